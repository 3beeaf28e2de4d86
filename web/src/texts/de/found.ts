import type { found as english } from '../en-found.ts';
import type { Shape } from '../lookup.ts';

export const found = {
  types: {
    account: 'Konto',
    wallet: 'Wallet',
    pay_link: 'Zahlungslink',
    withdraw_link: 'Auszahlungslink',
    key: 'Schlüssel',
    lightning_transaction: 'Zahlung oder Rechnung',
    wallet_transaction: 'Transaktion',
  },
} satisfies Shape<typeof english>;
