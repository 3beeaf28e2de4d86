import { allowsInSql } from '../accounts/account-states.ts';

/** What a wallet must be to send without limits, to send within its limits, and to receive. An inactive wallet still receives. */
const WALLET_CONDITIONS = {
  send: `AND w.status = 'active' AND w.limit_owners = '' `,
  sendWithinLimits: `AND w.status = 'active' `,
  receive: '',
} as const;

export type WalletUse = keyof typeof WALLET_CONDITIONS;

/** Returns a SELECT of the ids of the wallets that allow a use, as their accounts (`a`) do. `ids` is the SQL condition for their ids. It locks nothing. */
export function walletsThatMayInSql(ids: string, use: WalletUse): string {
  const action = use === 'receive' ? 'receive' : 'send';
  return `SELECT w.id FROM wallet w JOIN account a ON a.id = w.account_id
     WHERE w.id ${ids} ${WALLET_CONDITIONS[use]}AND ${allowsInSql('a.status', action)}`;
}
