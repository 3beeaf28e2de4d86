/** The English names of what a search finds. */
export const found = {
  types: {
    account: 'Account',
    wallet: 'Wallet',
    pay_link: 'Pay link',
    withdraw_link: 'Withdraw link',
    key: 'Key',
    lightning_transaction: 'Payment or invoice',
    wallet_transaction: 'Transaction',
  } as Readonly<Record<string, string>>,
};
