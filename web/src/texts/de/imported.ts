import type { imported as english } from '../en-imported.ts';
import type { Shape } from '../lookup.ts';

export const imported = {
  title: 'Vor dem Import',
  remark: (program) => `Aus ${program}. Diese Zeilen sind im Anfangsguthaben enthalten und zählen sonst nirgends mit.`,
  programs: { lnbits: 'LNbits', lndhub: 'lndhub.go', lnpay: 'LNPay' },
  kinds: { lightning: 'Lightning', internal: 'Zwischen Wallets', other: 'Andere Buchung' },
  statuses: { settled: 'Abgeschlossen', pending: 'War ausstehend', open: 'War offen', failed: 'Fehlgeschlagen' },
  unbooked: { pending: 'seither eine Zahlung', open: 'seither eine Rechnung', failed: 'nicht abgebucht' },
  settled: 'Abgeschlossen',
  kind: 'Art',
  fee: 'Gebühr',
  id: (program) => `ID in ${program}`,
  fields: (program) => `Weitere Felder von ${program}`,
} satisfies Shape<typeof english>;
