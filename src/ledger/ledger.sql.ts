import { statement } from '../db/statement.ts';

export type AccountRow = {
  id: number;
  balance_msat: number;
  held_msat: number;
  entries: number;
  head: Uint8Array | null;
  /** Where its last entry is: SQLite's way to an account's entries. */
  last_position: number;
};

/** Locks in id order, so that two batches never wait for each other in a circle. */
export const lockAccounts = statement<AccountRow>('ledger_lock_accounts', {
  sqlite: `SELECT id, balance_msat, held_msat, entries, head, last_position FROM ledger_account
    WHERE id IN (SELECT value FROM json_each($1))`,
  postgres: `SELECT id, balance_msat, held_msat, entries, head, 0 AS last_position FROM ledger_account
    WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
});

export type HoldRow = { id: string; account: number; amount_msat: number; state: 'open' | 'posted' | 'voided' };

/** Needs no lock of its own: a hold changes only under its account's lock. */
export const readHolds = statement<HoldRow>('ledger_read_holds', {
  sqlite: 'SELECT id, account, amount_msat, state FROM ledger_hold WHERE id IN (SELECT value FROM json_each($1))',
  postgres: 'SELECT id, account, amount_msat, state FROM ledger_hold WHERE id = ANY($1::text[])',
});

// What a batch writes. SQLite is as fast with a statement a row.
export const saveAccount = statement(
  'tail_save_account',
  'UPDATE ledger_account SET balance_msat = $2, held_msat = $3, entries = $4, head = $5, last_position = $6 WHERE id = $1',
);

export const insertHold = statement(
  'ledger_insert_hold',
  'INSERT INTO ledger_hold (id, account, amount_msat, state) VALUES ($1, $2, $3, $4)',
);

export const closeHold = statement('ledger_close_hold', 'UPDATE ledger_hold SET state = $2 WHERE id = $1');

const TRANSFER_COLUMNS = `id, amount_msat, created_at_ms,
  from_account, from_entry, from_balance_msat, from_hash, from_type, from_lntx,
  to_account, to_entry, to_balance_msat, to_hash, to_type, to_lntx, memo, pass_thru`;

/** Each row comes with its place (src/ledger/tail.ts). */
export const insertTransfer = statement(
  'tail_insert_transfer',
  `INSERT INTO ledger_transfer (${TRANSFER_COLUMNS}, position, from_previous, to_previous)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)`,
);

/** PostgreSQL takes a whole batch at once, a column a parameter. Its mark stands in the same statement, so it stands for all the rest. */
export const writeBatch = statement('ledger_write_batch', {
  sqlite: 'SELECT 1',
  postgres: `WITH transfers AS (
      INSERT INTO ledger_transfer (${TRANSFER_COLUMNS})
      SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[],
        $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[], $9::text[], $10::text[],
        $11::bigint[], $12::bigint[], $13::bigint[], $14::bytea[], $15::text[], $16::text[], $17::text[], $18::text[])
    ), opened AS (
      INSERT INTO ledger_hold (id, account, amount_msat, state)
      SELECT * FROM unnest($19::text[], $20::bigint[], $21::bigint[], $22::text[])
    ), closed AS (
      UPDATE ledger_hold h SET state = n.state FROM unnest($23::text[], $24::text[]) AS n (id, state) WHERE h.id = n.id
    ), saved AS (
      UPDATE ledger_account a SET balance_msat = n.balance_msat, held_msat = n.held_msat, entries = n.entries, head = n.head
      FROM unnest($25::bigint[], $26::bigint[], $27::bigint[], $28::bigint[], $29::bytea[]) AS n (id, balance_msat, held_msat, entries, head)
      WHERE a.id = n.id
    )
    INSERT INTO ledger_batch (id, outcome) VALUES ($1, 'committed')`,
});

/**
 * Waits for a transaction that is still inserting the same id. What is not committed by now never will be: in SQLite, because this
 * takes the place in the log where the commit that failed may have left something.
 */
export const refuteBatch = statement('ledger_refute_batch', {
  sqlite: `UPDATE ledger_tail SET batch = CASE batch WHEN $1 THEN $1 ELSE 'not ' || $1 END`,
  postgres: `INSERT INTO ledger_batch (id, outcome) VALUES ($1, 'refuted') ON CONFLICT DO NOTHING`,
});

/** In SQLite one batch follows the other, so the last one is enough. */
export const readBatch = statement<{ outcome: 'committed' | 'refuted' }>('ledger_read_batch', {
  sqlite: `SELECT CASE batch WHEN $1 THEN 'committed' ELSE 'refuted' END AS outcome FROM ledger_tail`,
  postgres: 'SELECT outcome FROM ledger_batch WHERE id = $1',
});

/** In PostgreSQL alone: SQLite keeps the mark of its last batch elsewhere. */
export const newestBatchPosition = statement<{ position: number | null }>('ledger_newest_batch_position', {
  sqlite: 'SELECT NULL AS position',
  postgres: 'SELECT max(position) AS position FROM ledger_batch',
});

export const oldestBatchPosition = statement<{ position: number | null }>('ledger_oldest_batch_position', {
  sqlite: 'SELECT NULL AS position',
  postgres: 'SELECT min(position) AS position FROM ledger_batch',
});

export const deleteBatchesBelow = statement('ledger_delete_batches_below', {
  sqlite: 'DELETE FROM ledger_batch WHERE $1 IS NULL',
  postgres: 'DELETE FROM ledger_batch WHERE position < $1',
});

/** Accounts as they are committed; in SQLite only those that the tail does not know better. */
export const readAccounts = statement<AccountRow>('ledger_read_accounts', {
  sqlite: lockAccounts.sqlite,
  postgres: `SELECT id, balance_msat, held_msat, entries, head, 0 AS last_position FROM ledger_account WHERE id = ANY($1::bigint[])`,
});

export const pageOfAccounts = statement<AccountRow>('ledger_page_of_accounts', {
  sqlite: 'SELECT id, balance_msat, held_msat, entries, head, last_position FROM ledger_account WHERE id > $1 ORDER BY id LIMIT $2',
  postgres: 'SELECT id, balance_msat, held_msat, entries, head, 0 AS last_position FROM ledger_account WHERE id > $1 ORDER BY id LIMIT $2',
});

export const readAccount = statement<AccountRow>('ledger_read_account', {
  sqlite: 'SELECT id, balance_msat, held_msat, entries, head, last_position FROM ledger_account WHERE id = $1',
  postgres: 'SELECT id, balance_msat, held_msat, entries, head, 0 AS last_position FROM ledger_account WHERE id = $1',
});

export const readHold = statement<HoldRow>('ledger_read_hold', 'SELECT id, account, amount_msat, state FROM ledger_hold WHERE id = $1');
