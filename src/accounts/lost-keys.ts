import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import * as sql from './accounts.sql.ts';
import { insertKey } from './accounts.ts';
import { lockAccount } from './keyring.sql.ts';
import { newKeyText } from './keys.ts';

/** An account as an operator knows it again. */
export interface AccountSummary {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly wallets: number;
}

/** Every account, oldest first: they are made by starts of the service, so there are few. */
export async function listAccounts(database: Pick<Database, 'all'>): Promise<AccountSummary[]> {
  const rows = await database.all(sql.listAccounts);
  return rows.map(({ id, created_at, wallets }) => ({ id, createdAt: created_at, wallets }));
}

/**
 * Makes a secret API key without limits for an account whose owner has none that works. No key asks for it: whoever may write to the
 * database decides. The keys that there are stay as they are.
 * @returns its id, and its text, which is not kept; undefined for an unknown account.
 */
export function replaceLostKey(database: Database, clock: Clock, accountId: string): Promise<{ id: string; text: string } | undefined> {
  return database.transaction(async (tx) => {
    if (!(await tx.first(lockAccount, accountId))) return undefined;
    const text = newKeyText('secret_api');
    const id = await insertKey(tx, clock, text, { accountId, walletId: undefined, label: 'made by the operator' });
    return { id, text };
  });
}
