import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English texts of the history that a wallet had in another program. Its screen loads them, not the start. */
export const imported = inLanguage('imported', {
  title: 'Before the import',
  remark: (program: string) => `From ${program}. These rows are in the opening balance, and count nowhere else.`,
  programs: lookup({ lnbits: 'LNbits', lndhub: 'lndhub.go', lnpay: 'LNPay' }),
  kinds: lookup({ lightning: 'Lightning', internal: 'Between wallets', other: 'Other booking' }),
  /** States at the time of the import. */
  statuses: lookup({ settled: 'Settled', pending: 'Was pending', open: 'Was open', failed: 'Failed' }),
  unbooked: lookup({ pending: 'a payment since', open: 'an invoice since', failed: 'not charged' }),
  settled: 'Settled',
  kind: 'Kind',
  fee: 'Fee',
  id: (program: string) => `Id in ${program}`,
  fields: (program: string) => `Further fields of ${program}`,
});
