import { statement } from '../db/statement.ts';

/** The limits of an account or a wallet and what counts against them, with the names of the API. */
export type LimitRow = {
  owner_id: string;
  max_balance_msat: number | null;
  max_payment_msat: number | null;
  max_receive_msat: number | null;
  max_out_day_msat: number | null;
  max_out_month_msat: number | null;
  max_payments_per_minute: number | null;
  max_pending: number | null;
  pending_msat: number;
  pending_count: number;
  day_start: number;
  day_msat: number;
  month_start: number;
  month_msat: number;
  minute_start: number;
  minute_count: number;
};

const COLUMNS = `owner_id, max_balance_msat, max_payment_msat, max_receive_msat, max_out_day_msat, max_out_month_msat, max_payments_per_minute,
  max_pending, pending_msat, pending_count, day_start, day_msat, month_start, month_msat, minute_start, minute_count`;

/** Whether any limit exists. */
export const findAny = statement<{ found: number }>('limit_find_any', 'SELECT 1 AS found FROM spending_limit LIMIT 1');

export const find = statement<LimitRow>('limit_find', `SELECT ${COLUMNS} FROM spending_limit WHERE owner_id = ANY($1::text[])`);

/** The limited owners of a wallet, separated by spaces: the wallet itself, its account, the accounts above. */
export const findOwners = statement<{ id: string; owners: string }>(
  'limit_find_owners',
  'SELECT id, limit_owners AS owners FROM wallet WHERE id = $1',
);

/** A counter of a period that began at `start`, in the period that begins at the parameter. A clock that is behind counts in the later period. */
const counted = (name: 'day' | 'month' | 'minute', parameter: string, column = `${name}_msat`) =>
  `CASE WHEN ${name}_start >= ${parameter} THEN ${column} ELSE 0 END`;

const later = (name: 'day' | 'month' | 'minute', parameter: string) =>
  `CASE WHEN ${name}_start >= ${parameter} THEN ${name}_start ELSE ${parameter} END`;

const [DAY, MONTH, MINUTE] = ['CAST($2 AS BIGINT)', 'CAST($3 AS BIGINT)', 'CAST($4 AS BIGINT)'];

/**
 * Counts a change: $5 and $6 are added to the amount and the number of pending payments, $7 to what was spent, $8 to the payments of the minute.
 * $9 and $10: the sum and the largest amount that must fit into the limits; NULL: they count even beyond them. The statement is the lock and the check.
 */
export const count = statement(
  'limit_count',
  `UPDATE spending_limit SET
     pending_msat = pending_msat + $5, pending_count = pending_count + $6,
     day_msat = ${counted('day', DAY)} + $7, day_start = ${later('day', DAY)},
     month_msat = ${counted('month', MONTH)} + $7, month_start = ${later('month', MONTH)},
     minute_count = ${counted('minute', MINUTE, 'minute_count')} + $8, minute_start = ${later('minute', MINUTE)}
   WHERE owner_id = $1 AND (CAST($9 AS BIGINT) IS NULL OR (
     coalesce(CAST($10 AS BIGINT) <= max_payment_msat, TRUE)
     AND coalesce(pending_msat + CAST($9 AS BIGINT) + ${counted('day', DAY)} <= max_out_day_msat, TRUE)
     AND coalesce(pending_msat + CAST($9 AS BIGINT) + ${counted('month', MONTH)} <= max_out_month_msat, TRUE)
     AND coalesce(${counted('minute', MINUTE, 'minute_count')} + $8 <= max_payments_per_minute, TRUE)
     AND ($6 = 0 OR coalesce(pending_count < max_pending, TRUE))))`,
);

/** Sets the limits of an owner. $9 and $11 are what it has spent in the day and the month, if it had no limits before. */
export const set = statement(
  'limit_set',
  `INSERT INTO spending_limit (owner_id, max_balance_msat, max_payment_msat, max_receive_msat, max_out_day_msat, max_out_month_msat,
     max_payments_per_minute, max_pending, day_msat, day_start, month_msat, month_start, minute_count, minute_start, pending_msat, pending_count)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 0, 0, 0, 0)
   ON CONFLICT (owner_id) DO UPDATE SET max_balance_msat = excluded.max_balance_msat, max_payment_msat = excluded.max_payment_msat,
     max_receive_msat = excluded.max_receive_msat, max_out_day_msat = excluded.max_out_day_msat,
     max_out_month_msat = excluded.max_out_month_msat, max_payments_per_minute = excluded.max_payments_per_minute,
     max_pending = excluded.max_pending`,
);

const WALLETS_OF = `(w.id = $1 OR w.account_id = $1 OR w.account_id IN (SELECT id FROM account WHERE ' ' || ancestors || ' ' LIKE '% ' || $1 || ' %'))`;

/** Adds an owner to those of its wallets, and waits for the postings that have read them. */
export const addOwner = statement(
  'limit_add_owner',
  `UPDATE wallet AS w SET limit_owners = CASE WHEN limit_owners = '' THEN $1 ELSE limit_owners || ' ' || $1 END WHERE ${WALLETS_OF}`,
);

/** Locks the account of an owner against new wallets and postings. */
export const lockAccounts = statement<{ id: string }>(
  'limit_lock_accounts',
  `SELECT id FROM account WHERE id = $1 OR ' ' || ancestors || ' ' LIKE '% ' || $1 || ' %' ORDER BY id FOR UPDATE`,
);

/** What the wallets of an owner have paid since an hour, without fees, and the amounts of their pending payments. */
export const readSpent = statement<{ spent_msat: number }>(
  'limit_read_spent',
  `SELECT CAST(coalesce((SELECT sum(h.out_msat) FROM wallet_hour h JOIN wallet w ON w.ledger_account = h.ledger_account
       WHERE ${WALLETS_OF} AND h.hour >= $2), 0)
     + coalesce((SELECT sum(p.amount_msat) FROM payment p JOIN wallet w ON w.id = p.wallet_id
       WHERE ${WALLETS_OF} AND p.state = 'pending'), 0) AS BIGINT) AS spent_msat`,
);
