import type { Database, SqlReader } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import * as sql from './accounts.sql.ts';
import { insertKey } from './accounts.ts';
import { lockAccount } from './keyring.sql.ts';
import { newKeyText } from './keys.ts';

/** An account, for an operator to identify it. */
export interface AccountSummary {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly wallets: number;
}

/** Returns all accounts, oldest first. There are few, because only starts of the service create them. */
export async function listAccounts(database: SqlReader): Promise<AccountSummary[]> {
  const rows = await database.all(sql.listAccounts);
  return rows.map(({ id, created_at, wallets }) => ({ id, createdAt: created_at, wallets }));
}

/**
 * Creates a secret API key without limits for an account whose keys are lost. Write access to the database is the authorization. Existing
 * keys are not changed.
 * @returns the id and the text of the key, which is not stored; undefined for an unknown account.
 */
export function replaceLostKey(database: Database, clock: Clock, accountId: string): Promise<{ id: string; text: string } | undefined> {
  return database.transaction(async (tx) => {
    if (!(await tx.first(lockAccount, accountId))) return undefined;
    const text = newKeyText('secret_api');
    const id = await insertKey(tx, clock, text, { accountId, walletId: undefined, label: 'made by the operator' });
    return { id, text };
  });
}
