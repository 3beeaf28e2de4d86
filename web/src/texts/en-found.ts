import { lookup } from './lookup.ts';
import { inLanguage } from './texts.ts';

/** The English names of what a search finds. */
export const found = inLanguage('found', {
  types: lookup({
    account: 'Account',
    wallet: 'Wallet',
    pay_link: 'Pay link',
    withdraw_link: 'Withdraw link',
    key: 'Key',
    lightning_transaction: 'Payment or invoice',
    wallet_transaction: 'Transaction',
  }),
});
