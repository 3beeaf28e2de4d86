import type { print as english } from '../en-print.ts';
import type { Shape } from '../lookup.ts';
import { formatCount } from './count.ts';

export const print = {
  receiptAction: 'Beleg drucken',
  receipt: 'Beleg',
  sent: 'Gesendete Zahlung',
  received: 'Empfangene Zahlung',
  heldParts: { paid: 'Bezahlt', released: 'Freigegeben', feeReserve: 'Gebührenreserve' },
  serviceFee: 'Servicegebühr',
  insideOnly:
    'Nur Wallets dieses Dienstes können diese Rechnung bezahlen: Sie wurde am Node für eine Zahlung geschlossen, die dann abgelehnt wurde. Für Zahlende von außerhalb eine neue erstellen.',
  date: 'Datum',
  preimage: 'Preimage (Zahlungsnachweis)',
  printed: (host, time) => `${host}, gedruckt am ${time}`,
  voucherAction: 'Gutschein drucken',
  vouchersAction: 'Gutscheine drucken',
  voucher: 'Gutschein',
  voucherText: 'Den Code mit einem Lightning-Wallet scannen. Das erste Wallet, das ihn scannt, erhält die Sats.',
  manyText: 'Den Code mit einem Lightning-Wallet scannen, um die Sats zu erhalten.',
  until: (time) => `Gültig bis ${time}`,
  more: 'Weitere Optionen',
  copies: 'Gutscheine',
  copiesHint: 'Mehr als 1: einzelne Links zum Drucken, jeder einmal einlösbar.',
  copiesError: 'Eine ganze Zahl von 1 bis 60.',
  created: (count) => `${formatCount(count)} Gutscheine wurden erstellt`,
  copyLinks: 'Links kopieren',
  cardAction: 'Karte drucken',
  cardText: 'Den Code scannen oder die Adresse in einem Lightning-Wallet eingeben.',
  linkCardText: 'Zum Bezahlen den Code mit einem Lightning-Wallet scannen.',
} satisfies Shape<typeof english>;
