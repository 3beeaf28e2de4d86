import type { SqlReader } from '../db/database.ts';
import * as sql from './directory.sql.ts';

/** The fields that a change set; `setupLink`: a setup link was created. */
export interface RecordedChanges {
  readonly role?: 'operator' | 'member';
  readonly status?: 'active' | 'frozen';
  readonly email?: string;
  readonly maxWallets?: number;
  readonly setupLink?: 'created';
}

/** One change of an account by an operator. */
export interface AccountChange {
  readonly id: string;
  readonly accountId: string;
  /** The id of the key or session that requested it, and its account. */
  readonly madeBy: string;
  readonly madeByAccount: string;
  readonly changes: RecordedChanges;
  readonly reason: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** Returns a page of the changes of an account, newest first, and their number. */
export async function listAccountChanges(
  database: SqlReader,
  accountId: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ changes: AccountChange[]; total: number }> {
  const rows = await database.all(sql.listChanges, accountId, limit, offset);
  const count = await database.first(sql.countChanges, accountId);
  return { changes: rows.map(toChange), total: count?.n ?? 0 };
}

function toChange(row: sql.ChangeRow): AccountChange {
  return {
    id: row.id,
    accountId: row.account_id,
    madeBy: row.made_by,
    madeByAccount: row.made_by_account,
    changes: JSON.parse(row.changes),
    reason: row.reason,
    createdAt: row.created_at,
  };
}
