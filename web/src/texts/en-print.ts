import { formatCount } from './count.ts';
import { inLanguage } from './texts.ts';

/** The English texts of what is printed, and of payments. Their screens load them, not the start. */
export const print = inLanguage('print', {
  receiptAction: 'Print receipt',
  receipt: 'Receipt',
  sent: 'Payment sent',
  received: 'Payment received',
  heldParts: { paid: 'Paid', released: 'Released', feeReserve: 'Fee reserve' },
  serviceFee: 'Service fee',
  insideOnly:
    'Only wallets of this service can pay this invoice: it was closed at its node for a payment that was refused then. Create another one for a payer outside.',
  date: 'Date',
  preimage: 'Preimage, the proof of payment',
  printed: (host: string, time: string) => `${host}, printed ${time}`,
  voucherAction: 'Print voucher',
  vouchersAction: 'Print vouchers',
  voucher: 'Voucher',
  voucherText: 'Scan the code with a Lightning wallet. The first wallet that scans it gets the sats.',
  manyText: 'Scan the code with a Lightning wallet to get the sats.',
  until: (time: string) => `Valid until ${time}`,
  more: 'More options',
  copies: 'Vouchers',
  copiesHint: 'More than 1: separate links to print, each claimed once.',
  copiesError: 'A whole number from 1 to 60.',
  created: (count: number) => `${formatCount(count)} vouchers are created`,
  copyLinks: 'Copy the links',
  cardAction: 'Print card',
  cardText: 'Scan the code, or enter the address in a Lightning wallet.',
  linkCardText: 'Scan the code with a Lightning wallet to pay.',
});
