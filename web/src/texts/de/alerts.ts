import type { alertTexts as english } from '../en-alerts.ts';
import type { Shape } from '../lookup.ts';

const payments = (count: number) => (count === 1 ? '1 Zahlung' : `${count} Zahlungen`);
const quoted = (reason: string | undefined, before: string) => (reason === undefined ? '' : ` ${before}: „${reason}“.`);

export const alerts = {
  close: 'Schließen',
  closeTitle: 'Warnung schließen?',
  closeText: 'Besteht die Ursache weiter, meldet der Dienst sie erneut.',
  closeAction: 'Warnung schließen',
  more: 'Mehr',
  less: 'Weniger',
  since: 'Seit',
  list: 'Warnungen',
  unknown: { sats: 'Geld', wallet: 'ein Wallet', node: 'die Node' },
  duration: (hours, minutes) => (hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`),
  days: (days) => (days === 1 ? '1 Tag' : `${days} Tagen`),
  actions: {
    payment: 'Zahlung anzeigen',
    payments: 'Zahlungen anzeigen',
    customer: 'Kunden anzeigen',
    channels: 'Kanäle anzeigen',
    node: 'Node anzeigen',
    reconciliation: 'Abgleich anzeigen',
    jobs: 'Aufgaben anzeigen',
    suspense: 'Zuordnen oder zurückzahlen',
    apps: 'Verbindungen anzeigen',
    backups: 'Sicherungen anzeigen',
    restore: 'Wiederherstellung anzeigen',
    rate: 'Kurs anzeigen',
    webhooks: 'Webhooks anzeigen',
    withdrawals: 'Fortsetzen',
    notifications: 'Test senden',
  },
  other: { title: () => 'Der Dienst hat eine Warnung gemeldet.', text: () => '' },
  sentences: {
    payment_stuck: {
      title: ({ age }) => `Eine Zahlung steht seit ${age} aus.`,
      text: ({ sats, wallet, node, reason }) =>
        `${sats} von ${wallet}. Sie endet, wenn ${node} das Ergebnis meldet; nie von Hand erstatten.${quoted(reason, 'Die Node meldet')}`,
    },
    payment_contradicted: {
      title: ({ sats }) => `Hauptbuch und Node widersprechen sich bei einer Zahlung von ${sats}.`,
      text: ({ wallet, status, reason }) =>
        `Sie gehört zu ${wallet} und ist im Hauptbuch ${status}.${quoted(reason, 'Die Node meldet')} Auf der Node prüfen, ob das Geld abging.`,
    },
    payment_corrected: {
      title: ({ sats }) => `Eine Zahlung von ${sats} gelang, nachdem sie als fehlgeschlagen gemeldet war.`,
      text: ({ wallet, status, charged }) =>
        status === 'borne'
          ? `${wallet} konnte sie nicht noch einmal bezahlen, der Betreiber trägt sie. Den Kunden informieren.`
          : `${wallet} wurde mit ${charged} belastet. Den Kunden informieren.`,
    },
    fee_above_limit: {
      title: ({ sats }) => `Die Node hat eine Gebührengrenze um ${sats} überschritten, die der Betreiber trägt.`,
      text: ({ wallet, charged }) =>
        `${wallet} hat seine Grenze von ${charged} für das Routing bezahlt. Klären, warum die Node ihre Grenze überschreitet.`,
    },
    invoice_contradicted: {
      title: ({ sats, status }) =>
        status === 'never_arrived'
          ? `${sats}, die die Node meldete, sind nie eingetroffen.`
          : status === 'credited_early'
            ? `${sats} wurden gutgeschrieben und sind nie eingetroffen.`
            : `Hauptbuch und Node widersprechen sich bei eingegangenen ${sats}.`,
      text: ({ wallet, status, reason }) => {
        if (status === 'never_arrived')
          return `${wallet} wurde nichts gutgeschrieben. Der Zahlende hat das Geld zurück; den Kunden informieren.`;
        if (status === 'credited_early') return 'Sie wurden gutgeschrieben, bevor sie endgültig waren; der Betreiber trägt sie.';
        if (status === 'credited')
          return `Sie wurden ${wallet} nach einer anderen Meldung der Node gutgeschrieben. Mit dem Guthaben des Kanals vergleichen.`;
        return `${wallet} hat eine Gutschrift erhalten.${quoted(reason, 'Die Node meldet')} Fehlt das Geld, die Auszahlungen sperren.`;
      },
    },
    payments_arriving: {
      title: ({ count, sats }) => `${payments(count)} über ${sats} gemeldet und noch nicht endgültig.`,
      text: ({ node, age }) =>
        `Sie sind nicht gutgeschrieben. Die älteste wurde vor ${age} gemeldet. Prüfen, ob die Kanäle von ${node} aktiv sind und ob sie endgültige Ergebnisse speichert.`,
    },
    holds_overdue: {
      title: ({ count }) => `Nach ihrer Frist noch zurückgehalten: ${payments(count)}.`,
      text: ({ node, age }) =>
        `Die älteste ist seit ${age} überfällig. Läuft ihr HTLC ab, schließt die Gegenseite den Kanal. Prüfen, ob ${node} antwortet.`,
    },
    credits_unproven: {
      title: ({ count, sats }) => `${payments(count)} über ${sats} ohne Beweis der Ankunft gutgeschrieben.`,
      text: ({ node }) => `${node} hat seit zehn Minuten nicht gezeigt, dass sie endgültig sind. Die Guthaben ihrer Kanäle vergleichen.`,
    },
    received_restricted: {
      title: ({ sats, wallet }) => `${sats} trafen für ${wallet} ein, dessen Konto nicht empfangen darf.`,
      text: ({ status }) => `Sie wurden gutgeschrieben. Das Konto ist ${status}. Entscheiden, was mit dem Geld geschieht.`,
    },
    over_limit: {
      title: ({ sats, wallet }) => `${sats} trafen für ${wallet} über dessen Limit hinaus ein.`,
      text: () => 'Sie wurden gutgeschrieben. Den Kunden um eine Auszahlung bitten oder das Limit erhöhen.',
    },
    settlement_unbooked: {
      title: ({ sats, wallet }) => `${sats} trafen für ${wallet} ein und konnten nicht gebucht werden.`,
      text: ({ reason }) => `Jeder Abgleich versucht es erneut.${quoted(reason, 'Der Grund')}`,
    },
    node_balance_fell: {
      title: ({ sats, node }) => `${sats} haben ${node} ohne Buchung im Hauptbuch verlassen.`,
      text: ({ inFlight }) =>
        `Nach dem Schließen eines Kanals oder dem Abzug eigener Mittel das Guthaben annehmen. Sonst die Auszahlungen sperren und klären, wohin das Geld ging.${inFlight === undefined ? '' : ` Bis zu ${inFlight} mehr können fehlen oder unterwegs sein.`}`,
    },
    event_unbooked: {
      title: ({ node }) => `Ein Ereignis von ${node} konnte nicht gebucht werden.`,
      text: ({ name, reason }) => `Es ist gespeichert und wird erneut versucht: ${name}.${quoted(reason, 'Der Grund')}`,
    },
    node_restored: {
      title: ({ node }) => `${node} wurde aus einer älteren Sicherung wiederhergestellt.`,
      text: () =>
        'Alle ihre Ereignisse werden erneut gelesen; nichts wird zweimal gutgeschrieben. Die Zahlungen prüfen, die ausstehend bleiben: Die Node kann sie verloren haben, obwohl das Geld abging.',
    },
    node_holds_less: {
      title: ({ node, sats }) => `${node} hat ${sats} weniger, als das Hauptbuch schuldet.`,
      text: ({ inFlight }) =>
        `${inFlight === undefined ? 'Nichts' : `Bis zu ${inFlight}`} davon kann unterwegs sein. Die Auszahlungen sperren und klären, wohin das Geld ging.`,
    },
    relay_unavailable: {
      title: ({ name }) => `Das Nostr-Relay ${name} funktioniert nicht.`,
      text: ({ reason }) => `Apps, die nur dieses Relay benutzen, erhalten keine Antworten.${quoted(reason, 'Das Relay')}`,
    },
    job_failing: {
      title: ({ name, count }) => `Die Hintergrundaufgabe „${name}“ ist ${count}-mal in Folge fehlgeschlagen.`,
      text: ({ reason }) => `Sie wird erneut versucht.${quoted(reason, 'Der letzte Grund')}`,
    },
    suspense_not_empty: {
      title: ({ sats }) => `${sats} trafen für kein Wallet ein.`,
      text: () => 'Das Geld einem Wallet zuordnen oder an den Zahlenden zurückzahlen.',
    },
    node_silent: {
      title: ({ node }) => `${node} antwortet nicht.`,
      text: ({ reason }) =>
        `Ihre Wallets können weder senden noch empfangen, und ausstehende Zahlungen bleiben reserviert.${quoted(reason, 'Der Grund')}`,
    },
    node_setting: {
      title: ({ node }) => `Eine Einstellung von ${node} kann einen Kanal kosten oder empfangenes Geld verzögern.`,
      text: ({ reason }) => `${reason ?? ''} Sie ändern und die Node neu starten.`.trim(),
    },
    replication_broken: {
      title: () => 'Ein Commit hat nicht auf den Standby der Datenbank gewartet.',
      text: () =>
        'Was er schrieb, ging an keine Node, bevor ein Standby es hatte. Den Standby wiederherstellen; nach einem Failover abgleichen.',
    },
    backup_failed: {
      title: () => 'Eine Sicherung wurde nicht geschrieben.',
      text: ({ reason }) => `Die nächste schließt die Warnung.${quoted(reason, 'Der Grund')}`,
    },
    backup_old: {
      title: ({ age }) => (age === '' ? 'Es gibt keine Sicherung.' : `Die neueste Sicherung ist von vor ${age}.`),
      text: () => 'Das sind mehr als drei Intervalle. Klären, warum Sicherungen fehlschlagen.',
    },
    restored: {
      title: () => 'Der Dienst wurde aus einer Sicherung wiederhergestellt und sendet kein Geld.',
      text: () => 'Er empfängt und liest von seinen Nodes zurück, was seitdem geschah. Danach die Wiederherstellung annehmen.',
    },
    restore_shortfall: {
      title: ({ sats, wallet }) => `${wallet} hatte ${sats} weniger, als seine Zahlungen kosteten.`,
      text: () =>
        'Dem wiederhergestellten Hauptbuch fehlt, was es empfangen hatte; der Betreiber trägt die Differenz. Klären, von welchem Wallet das Geld kam.',
    },
    fiat_rate: {
      title: ({ name }) => `Der Kurs von ${name} muss geprüft werden.`,
      text: ({ reason }) => reason ?? 'Beträge werden nie mit einem zweifelhaften Kurs umgerechnet.',
    },
    withdrawals_stopped: {
      title: () => 'Auszahlungen sind angehalten.',
      text: ({ reason }) => `Kunden lesen: „${reason ?? ''}“ Empfangen und Umbuchungen funktionieren.`,
    },
    webhook_disabled: {
      title: ({ name }) => `Der Webhook zu ${name} wurde deaktiviert.`,
      text: ({ status }) =>
        status === 'gone'
          ? 'Er hat mit 410 Gone geantwortet. Sein Inhaber kann ihn fortsetzen.'
          : 'Drei Tage lang kam nichts an. Den Inhaber informieren, der ihn fortsetzen kann.',
    },
    webhook_secrets_unreadable: {
      title: ({ count }) => (count === 1 ? 'Ein Webhook erhält nichts.' : `${count} Webhooks erhalten nichts.`),
      text: () =>
        'Ihre Geheimnisse wurden mit einem anderen SECRET_KEY verschlüsselt. Den früheren Schlüssel wieder einsetzen oder die Inhaber die Geheimnisse erneuern lassen.',
    },
  },
} satisfies Shape<typeof english>;
