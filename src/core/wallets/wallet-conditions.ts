import { allowsInSql } from '../accounts/account-states.ts';

/** What a wallet must be to send without limits, to send within its limits, and to receive. An inactive wallet still receives. */
export const WALLET_CONDITIONS = {
  send: `AND w.status = 'active' AND w.limit_owners = '' `,
  sendWithinLimits: `AND w.status = 'active' `,
  receive: '',
} as const;

export type WalletUse = keyof typeof WALLET_CONDITIONS;

/** Returns the condition that a wallet and its account allow a use, for the wallet with the id of an SQL expression. It locks nothing. */
export function walletMayInSql(id: string, use: WalletUse): string {
  const action = use === 'receive' ? 'receive' : 'send';
  return `EXISTS (SELECT 1 FROM wallet w JOIN account a ON a.id = w.account_id
      WHERE w.id = ${id} ${WALLET_CONDITIONS[use]}AND ${allowsInSql('a.status', action)})`;
}
