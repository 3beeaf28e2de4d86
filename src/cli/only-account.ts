import { listAccounts } from '../accounts/lost-keys.ts';
import type { Database } from '../db/database.ts';
import { moment, table } from './table.ts';

/** Returns the only account. It does not guess: a key for the wrong account gives access to another customer's money. */
export async function onlyAccount(database: Database): Promise<string> {
  const [first, ...others] = await listAccounts(database);
  if (!first) throw new Error('The database has no account yet; the next start of the service creates one.');
  if (others.length === 0) return first.id;
  const rows = [first, ...others].map(({ id, createdAt, wallets }) => [id, moment(createdAt), String(wallets)]);
  throw new Error(`There are several accounts; name one.\n${table([['account', 'created', 'wallets'], ...rows], [2])}`);
}
