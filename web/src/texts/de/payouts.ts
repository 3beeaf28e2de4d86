import type { payouts as english } from '../en-payouts.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const payouts = {
  title: 'Sammelzahlungen',
  of: 'Sammelzahlungen von',
  order: 'Neue Sammelzahlung',
  emptyTitle: 'Noch keine Sammelzahlungen',
  empty:
    'Eine Sammelzahlung ist eine Liste von Zahlungen: an Rechnungen, Lightning-Adressen, LNURLs und Wallets. Die Liste wird als CSV-Datei hochgeladen.',
  unnamed: 'Sammelzahlung ohne Namen',
  payout: 'Sammelzahlung',
  lines: 'Zeilen',
  sum: 'Summe, sats',
  running: 'Läuft',
  finished: 'Beendet',
  finishedWith: (failed) => `${formatCount(failed)} fehlgeschlagen`,
  progress: (paid, of) => `${formatCount(paid)} von ${formatCount(of)} bezahlt`,
  name: 'Name',
  file: 'CSV-Datei',
  fileHint:
    'Die erste Zeile nennt die Spalten: destination, num_satoshis oder num_msat oder amount mit currency, und bei Bedarf memo, comment, fee_limit_msat.',
  text: 'Oder die Zeilen hier einfügen',
  count: (lines) => (lines === 1 ? '1 Zeile' : `${formatCount(lines)} Zeilen`),
  preview: (lines, sats) => `${lines}, insgesamt ${sats} sats.`,
  ownAmounts: (count) =>
    count === 1 ? 'Eine Rechnung nennt ihren Betrag selbst.' : `${formatCount(count)} Rechnungen nennen ihre Beträge selbst.`,
  prices: (count) =>
    count === 1 ? 'Dazu kommt ein Betrag in einer Währung.' : `Dazu kommen ${formatCount(count)} Beträge in einer Währung.`,
  bad: (count) =>
    count === 1 ? 'Eine Zeile kann so nicht bezahlt werden:' : `${formatCount(count)} Zeilen können so nicht bezahlt werden:`,
  more: (count) => `und ${formatCount(count)} weitere`,
  noHeader: 'Die erste Zeile muss eine Spalte „destination“ haben.',
  unknownColumn: (name) => `Die Spalte „${name}“ ist unbekannt.`,
  unfinished: 'Ein schließendes Anführungszeichen fehlt.',
  tooMany: 'Höchstens 1000 Zeilen sind möglich.',
  row: (number, problem) => `Zeile ${number}: ${problem}`,
  noDestination: 'das Ziel fehlt',
  noAmount: 'der Betrag fehlt',
  badAmount: 'der Betrag muss eine ganze Zahl sein, mindestens 1',
  twoAmounts: 'genau eine der Angaben num_satoshis, num_msat und amount ist nötig',
  noCurrency: 'amount und currency gehören zusammen',
  badPrice: 'der Betrag in einer Währung muss eine Zahl über 0 mit Dezimalpunkt sein',
  send: (lines) => `${lines} bezahlen`,
  sendFrom: (lines, sats, wallet) => `${lines}, ${sats} sats, von ${wallet} bezahlen`,
  fromWallet: 'Von',
  total: 'Summe',
  feeLimit: 'Gebühren, höchstens',
  after: 'Guthaben danach, mindestens',
  tooLittle: 'Das Guthaben reicht vielleicht nicht für alle Zeilen mit ihren Gebühren. Zeilen, für die es nicht reicht, schlagen fehl.',
  warning:
    'Die Zahlungen beginnen sofort und laufen nach dem Abmelden weiter. „Rest abbrechen“ stoppt alle, die noch nicht begonnen haben.',
  cancel: 'Rest abbrechen',
  cancelTitle: 'Noch nicht begonnene Zeilen abbrechen?',
  cancelText: 'Begonnene Zahlungen laufen weiter.',
  report: 'Als CSV speichern',
  line: 'Zeile',
  to: 'An',
  amount: 'Sats',
  statuses: { pending: 'Wartet', sending: 'Wird gesendet', paid: 'Bezahlt', failed: 'Fehlgeschlagen' },
  counts: (paid, sending, pending, failed) =>
    `${formatCount(paid)} bezahlt, ${formatCount(sending)} in Ausführung, ${formatCount(pending)} wartend, ${formatCount(failed)} fehlgeschlagen.`,
  first: 'Erste Zeilen',
  next: 'Nächste Zeilen',
} satisfies Shape<typeof english>;
