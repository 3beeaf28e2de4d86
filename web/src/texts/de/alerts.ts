import type { alertTexts as english } from '../en-alerts.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

/** States in the ledger, and statuses of accounts. */
const STATES: Readonly<Record<string, string>> = {
  settled: 'abgeschlossen',
  succeeded: 'abgeschlossen',
  pending: 'ausstehend',
  failed: 'fehlgeschlagen',
  receive_only: 'auf Empfangen beschränkt',
  frozen: 'eingefroren',
  closing: 'auf Auszahlungen beschränkt',
  closed: 'geschlossen',
};

const stateName = (status: string) => STATES[status] ?? status;
const payments = (count: number) => (count === 1 ? '1 Zahlung' : `${formatCount(count)} Zahlungen`);
const quoted = (reason: string | undefined, before: string) => (reason === undefined ? '' : ` ${before}: „${reason}“.`);

const channelNames: Readonly<Record<string, string>> = { email: 'per E-Mail', telegram: 'an Telegram' };

export const alerts = {
  close: 'Schließen',
  closeTitle: 'Warnung schließen?',
  closeText: 'Besteht die Ursache weiter, meldet der Dienst sie erneut.',
  closeAction: 'Warnung schließen',
  more: 'Mehr',
  less: 'Weniger',
  since: 'Seit',
  list: 'Warnungen',
  unknown: { sats: 'Sats in unbekannter Höhe', wallet: '(unbekannt)', node: '(unbekannt)' },
  duration: (hours, minutes) => (hours === 0 ? `${minutes} min` : `${hours} h ${minutes} min`),
  days: (days) => (days === 1 ? '1 Tag' : `${days} Tagen`),
  actions: {
    payment: 'Zahlung anzeigen',
    payments: 'Zahlungen anzeigen',
    customer: 'Zum Kunden',
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
  // Names of wallets and nodes follow the noun, which has the case and the article.
  sentences: {
    payment_stuck: {
      title: ({ age }) => `Eine Zahlung steht seit ${age} aus.`,
      text: ({ sats, wallet, node, reason }) =>
        `${sats} aus dem Wallet ${wallet}. Die Zahlung endet, sobald die Node ${node} das Ergebnis meldet; niemals von Hand erstatten.${quoted(reason, 'Die Node meldet')}`,
    },
    payment_contradicted: {
      title: ({ sats }) => `Hauptbuch und Node widersprechen sich bei einer Zahlung von ${sats}.`,
      text: ({ wallet, status, reason }) =>
        `Sie gehört zum Wallet ${wallet} und ist im Hauptbuch ${stateName(status)}.${quoted(reason, 'Die Node meldet')} Auf der Node prüfen, ob das Geld abgegangen ist.`,
    },
    payment_corrected: {
      title: ({ sats }) => `Eine Zahlung von ${sats} war erfolgreich, nachdem sie als fehlgeschlagen gemeldet worden war.`,
      text: ({ wallet, status, charged }) =>
        status === 'borne'
          ? `Das Guthaben des Wallets ${wallet} reichte dafür nicht mehr aus; der Betreiber trägt den Betrag. Den Kunden informieren.`
          : `Vom Wallet ${wallet} wurden ${charged} abgebucht. Den Kunden informieren.`,
    },
    fee_above_limit: {
      title: ({ sats }) => `Die Node hat eine Gebührengrenze um ${sats} überschritten. Den Mehrbetrag trägt der Betreiber.`,
      text: ({ wallet, charged }) =>
        `Das Wallet ${wallet} hat für das Routing bis zu seiner Grenze bezahlt: ${charged}. Klären, warum die Node ihre Grenze überschreitet.`,
    },
    invoice_contradicted: {
      title: ({ sats, status }) =>
        status === 'never_arrived'
          ? `Die Node hat ${sats} gemeldet, die nie eingetroffen sind.`
          : status === 'credited_early'
            ? `${sats} wurden gutgeschrieben, sind aber nie eingetroffen.`
            : `Hauptbuch und Node widersprechen sich bei einem Eingang von ${sats}.`,
      text: ({ wallet, status, reason }) => {
        if (status === 'never_arrived')
          return `Dem Wallet ${wallet} wurde nichts gutgeschrieben. Der Zahlende hat das Geld zurück; den Kunden informieren.`;
        if (status === 'credited_early') return 'Der Betrag wurde gutgeschrieben, bevor er endgültig war; der Betreiber trägt ihn.';
        if (status === 'credited')
          return `Der Betrag wurde dem Wallet ${wallet} nach einer anderslautenden Meldung der Node gutgeschrieben. Mit dem Guthaben des Kanals vergleichen.`;
        return `Der Betrag wurde dem Wallet ${wallet} gutgeschrieben.${quoted(reason, 'Die Node meldet')} Falls das Geld fehlt, die Auszahlungen dieses Wallets verhindern.`;
      },
    },
    payments_arriving: {
      title: ({ count, sats }) => `Gemeldet, aber noch nicht endgültig: ${payments(count)} (${sats}).`,
      text: ({ node, age }) =>
        `Davon ist noch nichts gutgeschrieben. Die älteste Meldung kam vor ${age}. Prüfen, ob die Kanäle der Node ${node} aktiv sind und ob diese Node endgültige Ergebnisse speichert.`,
    },
    holds_overdue: {
      title: ({ count }) => `Nach Ablauf der Frist noch zurückgehalten: ${payments(count)} an Hold-Rechnungen.`,
      text: ({ node, age }) =>
        `Die älteste ist seit ${age} überfällig. Läuft ihr HTLC ab, schließt der Peer den Kanal. Prüfen, ob die Node ${node} antwortet.`,
    },
    credits_unproven: {
      title: ({ count, sats }) => `Ohne Nachweis des Eingangs gutgeschrieben: ${payments(count)} (${sats}).`,
      text: ({ node }) =>
        `Seit zehn Minuten fehlt von der Node ${node} der Nachweis, dass sie endgültig sind. Die Guthaben der Kanäle vergleichen.`,
    },
    received_restricted: {
      title: ({ sats, wallet }) => `Auf dem Wallet ${wallet} trafen ${sats} ein, obwohl das Konto nicht empfangen darf.`,
      text: ({ status }) => `Der Betrag wurde gutgeschrieben. Das Konto ist ${stateName(status)}. Entscheiden, was mit dem Geld geschieht.`,
    },
    over_limit: {
      title: ({ sats, wallet }) => `Auf dem Wallet ${wallet} trafen ${sats} über das Limit hinaus ein.`,
      text: () => 'Der Betrag wurde gutgeschrieben. Den Kunden um eine Auszahlung bitten oder das Limit erhöhen.',
    },
    settlement_unbooked: {
      title: ({ sats, wallet }) => `Für das Wallet ${wallet} trafen ${sats} ein, die nicht gebucht werden konnten.`,
      text: ({ reason }) => `Jeder Abgleich versucht es erneut.${quoted(reason, 'Der Grund')}`,
    },
    node_balance_fell: {
      title: ({ sats, node }) => `${sats} haben die Node ${node} ohne Buchung im Hauptbuch verlassen.`,
      text: ({ inFlight }) =>
        `Wurde ein Kanal geschlossen oder eigenes Geld bewegt, den neuen Stand bestätigen. Andernfalls die Auszahlungen anhalten und klären, wohin das Geld ging.${inFlight === undefined ? '' : ` Bis zu ${inFlight} mehr können fehlen oder unterwegs sein.`}`,
    },
    event_unbooked: {
      title: ({ node }) => `Ein Ereignis der Node ${node} konnte nicht gebucht werden.`,
      text: ({ name, reason }) => `Es ist gespeichert und wird erneut versucht: ${name}.${quoted(reason, 'Der Grund')}`,
    },
    node_restored: {
      title: ({ node }) => `Die Node ${node} wurde aus einer älteren Sicherung wiederhergestellt.`,
      text: () =>
        'Alle ihre Ereignisse werden erneut gelesen; nichts wird zweimal gutgeschrieben. Die Zahlungen prüfen, die ausstehend bleiben: Die Node kann sie verloren haben, obwohl das Geld abgegangen ist.',
    },
    node_holds_less: {
      title: ({ node, sats }) => `Auf der Node ${node} liegen ${sats} weniger, als laut Hauptbuch geschuldet sind.`,
      text: ({ inFlight }) =>
        `${inFlight === undefined ? 'Nichts davon kann' : `Davon können bis zu ${inFlight}`} unterwegs sein. Die Auszahlungen anhalten und klären, wohin das Geld ging.`,
    },
    relay_unavailable: {
      title: ({ name }) => `Das Nostr-Relay ${name} funktioniert nicht.`,
      text: ({ reason }) => `Apps, die nur dieses Relay verwenden, erhalten keine Antworten.${quoted(reason, 'Das Relay meldet')}`,
    },
    job_failing: {
      title: ({ name, counted }) => `Die Hintergrundaufgabe „${name}“ ist ${counted}-mal in Folge fehlgeschlagen.`,
      text: ({ reason }) => `Sie wird erneut versucht.${quoted(reason, 'Der letzte Grund')}`,
    },
    suspense_not_empty: {
      title: ({ sats }) => `Ohne zugehöriges Wallet eingetroffen: ${sats}.`,
      text: () => 'Das Geld einem Wallet zuordnen oder an den Zahlenden zurückzahlen.',
    },
    node_silent: {
      title: ({ node }) => `Die Node ${node} antwortet nicht.`,
      text: ({ reason }) =>
        `Ihre Wallets können weder senden noch empfangen, und das Geld ausstehender Zahlungen bleibt reserviert.${quoted(reason, 'Der Grund')}`,
    },
    node_setting: {
      title: ({ node }) => `Eine Einstellung der Node ${node} kann zum Verlust eines Kanals führen oder empfangenes Geld verzögern.`,
      text: ({ reason }) => `${reason ?? ''} Die Einstellung ändern und die Node neu starten.`.trim(),
    },
    node_cannot_send: {
      title: ({ node, age }) => `Die Node ${node} kann seit ${age} nichts senden.`,
      text: ({ reason }) => `Zahlungen ihrer Wallets an andere Nodes werden abgelehnt.${quoted(reason, 'Der Grund')}`,
    },
    channel_lost: {
      title: ({ name, sats, status }) =>
        status === 'closing' ? `Der Kanal mit ${name} wird einseitig geschlossen.` : `Der Kanal mit ${name} (${sats}) ist inaktiv.`,
      text: ({ node, sats, age, status }) =>
        status === 'closing'
          ? `${sats} sind auf dem Weg in die On-Chain-Wallet der Node ${node}. Die Node laufen lassen, bis sie angekommen sind.`
          : `Die Gegenseite ist seit ${age} offline. Prüfen, ob sie erreichbar ist, und die Verbindung herstellen.`,
    },
    node_not_synced: {
      title: ({ node, age }) => `Die Node ${node} ist seit ${age} nicht mit der Blockchain synchron.`,
      text: () => 'Zahlungen können scheitern. Die zugehörige Bitcoin-Node prüfen.',
    },
    node_behind: {
      title: ({ node }) => `Die Node ${node} liegt hinter der Blockchain zurück.`,
      text: ({ reason }) =>
        `Zahlungen von ihr werden abgelehnt, bis sie aufgeholt hat. Ihre Bitcoin-Node oder die Peers von Neutrino prüfen.${quoted(reason, 'Der Grund')}`,
    },
    liquidity_low: {
      title: ({ node, sats, status }) =>
        status === 'sending' ? `Die Node ${node} kann nur noch ${sats} senden.` : `Die Node ${node} kann nur noch ${sats} empfangen.`,
      text: ({ status }) =>
        status === 'sending'
          ? 'Das ist weniger, als ihre Wallets an einem durchschnittlichen Tag senden.'
          : 'Das ist weniger, als ihre Wallets an einem durchschnittlichen Tag empfangen.',
    },
    replication_broken: {
      title: () => 'Ein Commit der Datenbank hat nicht auf den Standby gewartet.',
      text: () =>
        'Nichts davon ging an eine Node, bevor ein Standby es hatte. Den Standby wieder in Betrieb nehmen; nach einem Failover einen Abgleich starten.',
    },
    backup_failed: {
      title: () => 'Eine Sicherung wurde nicht geschrieben.',
      text: ({ reason }) => `Die nächste Sicherung schließt die Warnung.${quoted(reason, 'Der Grund')}`,
    },
    backup_old: {
      title: ({ age }) => (age === '' ? 'Es gibt keine Sicherung.' : `Die neueste Sicherung wurde vor ${age} erstellt.`),
      text: () => 'Das sind mehr als drei Intervalle. Klären, warum Sicherungen fehlschlagen.',
    },
    restored: {
      title: () => 'Der Dienst wurde aus einer Sicherung wiederhergestellt und sendet kein Geld.',
      text: () =>
        'Er empfängt und liest von seinen Nodes ein, was seit der Sicherung geschehen ist. Danach die Wiederherstellung bestätigen.',
    },
    restore_shortfall: {
      title: ({ sats, wallet }) => `Auf dem Wallet ${wallet} waren ${sats} weniger, als seine Zahlungen kosteten.`,
      text: () =>
        'Im wiederhergestellten Hauptbuch fehlt, was das Wallet empfangen hatte; der Betreiber trägt die Differenz. Klären, von welchem Wallet das Geld kam.',
    },
    fiat_rate: {
      title: ({ name }) => `Der Kurs für ${name} muss geprüft werden.`,
      text: ({ reason }) => reason ?? 'Beträge werden nie mit einem zweifelhaften Kurs umgerechnet.',
    },
    withdrawals_stopped: {
      title: () => 'Auszahlungen sind angehalten.',
      text: ({ reason }) => `Kunden sehen den Grund: „${reason ?? ''}“ Empfangen und Überweisungen funktionieren.`,
    },
    proxy_address_unreadable: {
      title: ({ name }) => `Der Proxy ${name} nennt seine Clients nicht.`,
      text: ({ reason }) =>
        `X-Forwarded-For enthält „${reason ?? ''}“, und das ist keine IP-Adresse. Alle Clients des Proxys teilen sich die Grenzen einer einzigen Adresse.`,
    },
    webhook_disabled: {
      title: ({ name }) => `Der Webhook an ${name} wurde deaktiviert.`,
      text: ({ status }) =>
        status === 'gone'
          ? 'Der Endpunkt hat mit 410 Gone geantwortet. Der Inhaber kann die Zustellungen fortsetzen.'
          : 'Drei Tage lang wurde nichts zugestellt. Den Inhaber informieren; er kann die Zustellungen fortsetzen.',
    },
    webhook_secrets_unreadable: {
      title: ({ count, counted }) => (count === 1 ? 'Ein Webhook erhält nichts.' : `${counted} Webhooks erhalten nichts.`),
      text: () =>
        'Ihre Geheimnisse wurden mit einem anderen SECRET_KEY verschlüsselt. Den früheren Schlüssel wieder einsetzen oder die Inhaber die Geheimnisse erneuern lassen.',
    },
    alert_channel_failing: {
      title: ({ name }) => `Warnungen können nicht ${channelNames[name] ?? `über ${name}`} gesendet werden.`,
      text: ({ reason }) => `Sie werden erneut gesendet.${quoted(reason, 'Der Grund')}`,
    },
  },
} satisfies Shape<typeof english>;
