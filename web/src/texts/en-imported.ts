/** The English texts of the history that a wallet had in another program. Its screen loads them, not the start. */
export const imported = {
  title: 'Before the import',
  remark: (program: string) => `From ${program}. These rows are in the opening balance, and count nowhere else.`,
  programs: { lnbits: 'LNbits', lndhub: 'lndhub.go', lnpay: 'LNPay' } as Readonly<Record<string, string>>,
  kinds: { lightning: 'Lightning', internal: 'Between wallets', other: 'Other booking' } as Readonly<Record<string, string>>,
  /** States at the time of the import. */
  statuses: { settled: 'Settled', pending: 'Was pending', open: 'Was open', failed: 'Failed' } as Readonly<Record<string, string>>,
  unbooked: { pending: 'a payment since', open: 'an invoice since', failed: 'not charged' } as Readonly<Record<string, string>>,
  settled: 'Settled',
  kind: 'Kind',
  fee: 'Fee',
  id: (program: string) => `Id in ${program}`,
  fields: (program: string) => `Further fields of ${program}`,
};
