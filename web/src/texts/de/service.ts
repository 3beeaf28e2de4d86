import type { service as english } from '../en-service.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

const days = (count: number) => {
  if (count < 1) return 'weniger als einen Tag';
  if (count === 1) return '1 Tag';
  return count > 365 ? 'mehr als ein Jahr' : `${formatCount(count)} Tage`;
};

export const service = {
  liquidity: {
    title: 'Liquidität aller Nodes',
    counted: (counted, nodes) =>
      `Summen über ${formatCount(counted)} von ${formatCount(nodes)} Nodes. Die anderen melden ihre Kanäle derzeit nicht.`,
    none: 'Derzeit meldet keine Node ihre Kanäle.',
    receiving: 'Empfang möglich für',
    sending: 'Senden möglich für',
    days,
    received: (sats) => `im Durchschnitt der letzten sieben Tage gingen täglich ${sats} sats ein`,
    sent: (sats) => `im Durchschnitt der letzten sieben Tage gingen täglich ${sats} sats aus, einschließlich Routing-Gebühren`,
    unknown: 'unbekannt',
    tooLittle: 'wird nach sieben Tagen mit Zahlungen angezeigt',
    noneIn: 'in den letzten sieben Tagen ging nichts ein',
    noneOut: 'in den letzten sieben Tagen ging nichts aus',
    covers: 'Zahlungen in Gegenrichtung schaffen neue Kapazität, sind aber nicht eingerechnet.',
    was: 'Das konnte die Node bei ihrer letzten Antwort senden und empfangen,',
  },
  cover: {
    title: 'Verbindlichkeiten und Deckung',
    period: 'Zeitraum',
    periods: { day: '24 h', week: '7 T', month: '30 T', year: '1 J' },
    over: { day: 'in 24 Stunden', week: 'in 7 Tagen', month: 'in 30 Tagen', year: 'in einem Jahr' },
    owed: 'Verbindlichkeiten, sats',
    owedTo: (sats, wallets, inFlight) =>
      `${sats} gegenüber ${formatCount(wallets)} ${wallets === 1 ? 'Wallet' : 'Wallets'}, davon ${inFlight} unterwegs`,
    suspense: (sats, count) => `und ${sats} auf dem Klärungskonto (${count === 1 ? '1 Zahlung' : `${formatCount(count)} Zahlungen`})`,
    cover: 'Deckung',
    coverRemark: 'Guthaben der Nodes geteilt durch Verbindlichkeiten',
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
    limit: '1,00: Die Nodes decken alle Verbindlichkeiten',
    peak: (ratio) => `bis ${ratio}`,
  },
  health: {
    answers: 'Antwortet in',
    answer: (ms, median) => `${formatCount(ms)} ms, Median der letzten Antworten ${formatCount(median)} ms`,
    answered: 'Letzte Antwort',
    block: 'Neuester Block',
    synced: 'synchron',
    behind: 'nicht synchron',
  },
  backups: {
    last: 'Die letzten Sicherungen',
    checked: 'Geprüft',
    failed: 'Fehlgeschlagen',
    result: (megabytes, seconds) => `${megabytes} MB, Dauer ${formatCount(seconds)} s`,
  },
  checks: {
    title: 'Prüfungen',
    allGood: 'Alle Prüfungen bestanden',
    good: (count) => (count === 1 ? '1 Prüfung bestanden' : `${formatCount(count)} Prüfungen bestanden`),
    subjects: {
      node: 'Node',
      liquidity: 'Liquidität',
      backup: 'Sicherungen',
      'public URL': 'Öffentliche Adresse',
      proxy: 'Proxyserver',
      alerts: 'Warnungen',
      disk: 'Festplatte',
      files: 'Dateien',
    },
  },
  webhooks: {
    title: 'Webhooks aller Konten',
    waiting: 'Wartende Zustellungen',
    active: (count) => `${count} aktive Webhooks`,
    failed: 'Fehlgeschlagen, letzte 24 h',
    failedRemark: 'nach allen Versuchen aufgegeben',
    retrying: 'Gescheitert, wird wiederholt',
    retryingRemark: 'von den wartenden, höchstens 10 000 gezählt',
    disabled: (count) => `${formatCount(count)} abgeschaltet`,
    show: 'Eigene Webhooks',
  },
  limits: {
    title: 'Gebühren und Limits',
    defaults:
      'Haben weder ein Wallet noch sein Konto noch ein übergeordnetes Konto Gebühren oder Limits, berechnet der Dienst nichts und begrenzt keine Beträge. Beides wird auf der Seite eines Kunden festgelegt.',
    show: 'Alle Limits',
    customers: 'Kunden',
  },
} satisfies Shape<typeof english>;
