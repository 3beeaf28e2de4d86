import { statement } from '../../db/statement.ts';
import { TRANSFER_COLUMNS } from '../ledger.sql.ts';

export const writeAccount = statement(
  'ledger_write_account',
  'UPDATE ledger_account SET balance_msat = $2, held_msat = $3, entries = $4, head = $5 WHERE id = $1',
);

export const insertTransfer = statement(
  'ledger_insert_transfer',
  `INSERT INTO ledger_transfer (${TRANSFER_COLUMNS}, position)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
);

export const insertHold = statement(
  'ledger_insert_hold',
  'INSERT INTO ledger_hold (id, account, amount_msat, state) VALUES ($1, $2, $3, $4)',
);

export const closeHold = statement('ledger_close_hold', 'UPDATE ledger_hold SET state = $2 WHERE id = $1');

export const readCheckpoint = statement<{ position: number; heads: Uint8Array; batch_id: string }>(
  'ledger_read_checkpoint',
  'SELECT position, heads, batch_id FROM ledger_checkpoint',
);

/** The id of the last batch that was committed. */
export const readLastBatch = statement<{ batch_id: string }>('ledger_read_last_batch', 'SELECT batch_id FROM ledger_checkpoint');

export const writeCheckpoint = statement(
  'ledger_write_checkpoint',
  'UPDATE ledger_checkpoint SET position = $1, heads = $2, batch_id = $3',
);

export type TransferEnds = {
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

export const transfersAfter = statement<TransferEnds>(
  'ledger_transfers_after',
  `SELECT position, from_account, from_entry, from_balance_msat, from_hash, to_account, to_entry, to_balance_msat, to_hash
   FROM ledger_transfer WHERE position > $1 ORDER BY position LIMIT $2`,
);

/** Overwrites what a commit that failed may have left in SQLite's log: that batch can no longer be committed. */
export const refuteBatch = statement(
  'ledger_refute_batch',
  `UPDATE ledger_checkpoint SET batch_id = CASE batch_id WHEN $1 THEN $1 ELSE 'not ' || $1 END`,
);
