import type { service as english } from '../en-service.ts';
import type { Shape } from '../lookup.ts';

const days = (count: number) => {
  if (count < 1) return 'weniger als einen Tag';
  if (count === 1) return '1 Tag';
  return count > 365 ? 'mehr als ein Jahr' : `${count} Tage`;
};

export const service = {
  liquidity: {
    title: 'Liquidität aller Nodes',
    counted: (counted, nodes) => `Summen von ${counted} von ${nodes} Nodes: Die anderen nennen ihre Kanäle derzeit nicht.`,
    none: 'Kein Node nennt derzeit seine Kanäle.',
    receiving: 'Empfangen reicht',
    sending: 'Senden reicht',
    days,
    received: (sats) => `${sats} sats gingen pro Tag ein, im Durchschnitt der letzten sieben Tage`,
    sent: (sats) => `${sats} sats gingen pro Tag mit Routing-Gebühren aus, im Durchschnitt der letzten sieben Tage`,
    unknown: 'unbekannt',
    tooLittle: 'wird angezeigt, sobald es Zahlungen aus sieben Tagen gibt',
    noneIn: 'in den letzten sieben Tagen ging nichts ein',
    noneOut: 'in den letzten sieben Tagen ging nichts aus',
    covers: 'Zahlungen in der Gegenrichtung schaffen wieder Platz und sind nicht eingerechnet.',
    was: 'Was er bei seiner letzten Antwort senden und empfangen konnte,',
  },
  cover: {
    title: 'Verbindlichkeiten und Deckung',
    period: 'Zeitraum',
    periods: { day: '24 h', week: '7 T', month: '30 T', year: '1 J' },
    over: { day: 'in 24 Stunden', week: 'in 7 Tagen', month: 'in 30 Tagen', year: 'in einem Jahr' },
    owed: 'Verbindlichkeiten, sats',
    owedTo: (sats, wallets, inFlight) =>
      `${sats} gegenüber ${wallets} ${wallets === 1 ? 'Wallet' : 'Wallets'}, davon ${inFlight} unterwegs`,
    suspense: (sats, count) => `und ${sats} auf dem Klärungskonto (${count === 1 ? '1 Zahlung' : `${count} Zahlungen`})`,
    cover: 'Deckung',
    coverRemark: 'mal die Verbindlichkeiten liegen auf den Nodes',
    nothingOwed: 'keine Verbindlichkeiten',
    assets: 'Auf den Nodes, sats',
    measured: 'gemessen',
    own: 'Eigene Mittel, sats',
    ownRemark: 'über den Verbindlichkeiten',
    unknown: 'unbekannt',
    noHistory: 'Das Diagramm beginnt mit dem ersten Abgleich.',
    noCover: 'Das Diagramm beginnt mit dem ersten Abgleich, der alle Nodes misst, während es Verbindlichkeiten gibt.',
    owedChart: (over, now) => `Verbindlichkeiten ${over}, bei der letzten Messung ${now} sats`,
    ratioChart: (over, lowest, highest, isBelow) =>
      `Deckung ${over}, niedrigste ${lowest}, höchste ${highest}, ${isBelow ? 'zeitweise unter 1' : 'nie unter 1'}`,
    lowestOf: {
      day: 'stündlich gemessen',
      week: 'stündlich gemessen',
      month: 'niedrigste von 6 stündlichen Messungen',
      year: 'niedrigste der stündlichen Messungen eines Tages',
    },
    limit: '1,00: Alle Verbindlichkeiten sind auf den Nodes gedeckt',
    peak: (ratio) => `bis ${ratio}`,
  },
  health: {
    answers: 'Antwortet in',
    answer: (ms, median) => `${ms} ms, Median der letzten Antworten ${median} ms`,
    answered: 'Letzte Antwort',
    block: 'Neuester Block',
    synced: 'synchron',
    behind: 'hinter der Blockchain',
  },
  backups: {
    last: 'Die letzten Sicherungen',
    checked: 'Geprüft',
    failed: 'Fehlgeschlagen',
    result: (megabytes, seconds) => `${megabytes} MB, Dauer ${seconds} s`,
  },
  webhooks: {
    title: 'Webhooks aller Konten',
    waiting: 'Wartende Zustellungen',
    active: (count) => `${count} aktive Webhooks`,
    retrying: 'Gescheitert, erneut gesendet',
    retryingRemark: 'von den wartenden, gezählt bis 10 000',
    disabled: (count) => `${count} abgeschaltet`,
    show: 'Eigene Webhooks',
  },
  limits: {
    title: 'Gebühren und Limits',
    defaults:
      'Haben weder ein Wallet noch sein Konto oder ein übergeordnetes Konto Gebühren oder Limits, berechnet der Dienst nichts und begrenzt keine Beträge. Beides wird auf der Seite eines Kunden festgelegt.',
    show: 'Alle Limits',
    customers: 'Kunden',
  },
} satisfies Shape<typeof english>;
