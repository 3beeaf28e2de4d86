import { statement } from '../db/statement.ts';
import { POSTGRES_BOOKING } from '../journal/bookings.sql.ts';
import { ACCOUNT, type AccountRow, TRANSFER_COLUMNS } from './ledger.sql.ts';

/** Locks in the order of ids, so that two batches never wait for each other in a circle. */
export const lockAccounts = statement<AccountRow>(
  'ledger_lock_accounts',
  `${ACCOUNT} WHERE id = ANY($1::bigint[]) ORDER BY id FOR NO KEY UPDATE`,
);

/**
 * Writes a whole batch, a list of values per column. The batch's mark is part of the statement, so it proves that all of it was written. If the
 * number of an account's entries is not the one from which the batch continues, its outcome is NULL, and the statement fails: no two transfers
 * can be the same entry of an account. Holds are closed without a join: a plan made while there were few of them would read all of them.
 */
const batchWith = (journal: string) =>
  `WITH transfers AS (
      INSERT INTO ledger_transfer (${TRANSFER_COLUMNS})
      SELECT * FROM unnest($2::text[], $3::bigint[], $4::bigint[],
        $5::bigint[], $6::bigint[], $7::bigint[], $8::bytea[], $9::text[], $10::text[],
        $11::bigint[], $12::bigint[], $13::bigint[], $14::bytea[], $15::text[], $16::text[], $17::text[], $18::text[], $19::text[])
      RETURNING *
    ), opened AS (
      INSERT INTO ledger_hold (id, account, amount_msat, state)
      SELECT * FROM unnest($20::text[], $21::bigint[], $22::bigint[], $23::text[])
    ), closed AS (
      UPDATE ledger_hold SET state = ($25::text[])[array_position($24::text[], id)] WHERE id = ANY($24::text[])
    ), saved AS (
      UPDATE ledger_account a SET balance_msat = n.balance_msat, held_msat = n.held_msat, entries = n.entries, head = n.head
      FROM unnest($26::bigint[], $27::bigint[], $28::bigint[], $29::bigint[], $30::bytea[], $31::bigint[])
        AS n (id, balance_msat, held_msat, entries, head, entries_before)
      WHERE a.id = n.id AND a.entries = n.entries_before RETURNING a.id
    )${journal}
    INSERT INTO ledger_batch (id, outcome)
    SELECT $1, CASE WHEN (SELECT count(*) FROM saved) = cardinality($26::bigint[]) THEN 'committed' END`;

/** Also inserts what happened by its transfers, after {@link lockEventOrder}. */
export const writeBatch = statement('ledger_write_batch', batchWith(`, ${POSTGRES_BOOKING}`));

export const writeBatchWithoutTransfers = statement('ledger_write_batch_without_transfers', batchWith(''));

/**
 * Returns the outcome of a batch. Waits for a transaction that is still inserting the same id; once this is committed, that id cannot be inserted
 * again. It always writes: its own commit waits until a synchronous standby has the batch, too.
 */
export const settleBatch = statement<{ outcome: 'committed' | 'refuted' }>(
  'ledger_settle_batch',
  `INSERT INTO ledger_batch (id, outcome) VALUES ($1, 'refuted')
   ON CONFLICT (id) DO UPDATE SET outcome = ledger_batch.outcome RETURNING outcome`,
);
