import { statement } from '../db/statement.ts';

/** All of this is SQLite's alone. */

export const readTail = statement<{ written: number; heads: Uint8Array; batch: string }>(
  'tail_read',
  'SELECT written, heads, batch FROM ledger_tail',
);

/** The id of the last batch that was committed. */
export const readMark = statement<{ batch: string }>('tail_read_mark', 'SELECT batch FROM ledger_tail');

export const saveTail = statement('tail_save', 'UPDATE ledger_tail SET written = $1, heads = $2, batch = $3');

export type TailRow = {
  position: number;
  from_account: number;
  from_entry: number;
  from_balance_msat: number;
  from_hash: Uint8Array;
  to_account: number;
  to_entry: number;
  to_balance_msat: number;
  to_hash: Uint8Array;
};

export const transfersAfter = statement<TailRow>(
  'tail_transfers',
  `SELECT position, from_account, from_entry, from_balance_msat, from_hash, to_account, to_entry, to_balance_msat, to_hash
   FROM ledger_transfer WHERE position > $1 ORDER BY position LIMIT $2`,
);

export const insertMilestone = statement(
  'tail_insert_milestone',
  'INSERT INTO ledger_milestone (account, entry, position) VALUES ($1, $2, $3)',
);
