import type { DatabaseSync } from 'node:sqlite';
import { toggleHead } from '../../core/ledger/store-sqlite/balance-cache.ts';

export const CHECKPOINT_TABLE = 'ledger_checkpoint';

/** Writes the state of SQLite's balance cache. The rows of the ledger accounts are up to date, as on PostgreSQL. */
export function writeCheckpoint(target: DatabaseSync): void {
  const heads = new Uint8Array(32);
  for (const { head } of target.prepare('SELECT head FROM ledger_account WHERE head IS NOT NULL').iterate())
    toggleHead(heads, head as Uint8Array);
  target
    .prepare(`UPDATE ${CHECKPOINT_TABLE} SET position = (SELECT coalesce(max(position), 0) FROM ledger_transfer), heads = ?, batch_id = ''`)
    .run(heads);
}
