import { statement } from '../db/statement.ts';

export type WalletTransactionRow = {
  position: number;
  /** `wtx_…` */
  id: string;
  wallet_id: string;
  ledger_account: number;
  account_id: string;
  type: string;
  status: 'settled' | 'pending' | 'failed';
  /** Signed. */
  amount_msat: number;
  /** The number of the wallet's entry and its balance after it; null until it is booked. */
  entry: number | null;
  balance_msat: number | null;
  placed_at_ms: number;
  lntx: string | null;
  label: string;
  other_account: number | null;
  /** The lineage of the key that made a payment or transfer. */
  key_lineage_id: string | null;
};

const COLUMNS = `position, id, wallet_id, ledger_account, account_id, type, status, amount_msat, entry, balance_msat, placed_at_ms, lntx, label,
  other_account, key_lineage_id`;

const PENDING = 'id, wallet_id, ledger_account, account_id, type, status, amount_msat, placed_at_ms, lntx, label, key_lineage_id';

/** The transaction of a payment that was started. */
export const insertPending = statement(
  'wallet_transaction_insert_pending',
  `INSERT INTO wallet_transaction (${PENDING})
   SELECT $1, w.id, w.ledger_account, w.account_id, $3, 'pending', $4, $5, $6, $7, $8 FROM wallet w WHERE w.id = $2`,
  `INSERT INTO wallet_transaction (${PENDING})
    SELECT n.id, w.id, w.ledger_account, w.account_id, n.type, 'pending', n.amount_msat, n.placed_at_ms, n.lntx, n.label, n.key_lineage_id
    FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[])
      AS n (id, wallet_id, type, amount_msat, placed_at_ms, lntx, label, key_lineage_id)
    JOIN wallet w ON w.id = n.wallet_id RETURNING 1`,
);

/** The transaction of a payment that the node has reported and that never arrived. */
export const insertNotReceived = statement(
  'wallet_transaction_insert_not_received',
  `INSERT INTO wallet_transaction (${PENDING})
   SELECT $1, w.id, w.ledger_account, w.account_id, $3, 'failed', $4, $5, $6, $7, $8 FROM wallet w WHERE w.id = $2`,
);

export const markFailed = statement(
  'wallet_transaction_fail',
  `UPDATE wallet_transaction SET status = 'failed' WHERE id = $1 AND status = 'pending'`,
);

export const findById = statement<WalletTransactionRow>(
  'wallet_transaction_find',
  `SELECT ${COLUMNS} FROM wallet_transaction WHERE id = $1`,
);

export const findMany = statement<WalletTransactionRow>(
  'wallet_transaction_find_many',
  `SELECT ${COLUMNS} FROM wallet_transaction WHERE id = ANY($1::text[])`,
);

/** The credit of an invoice. */
export const findCredit = statement<WalletTransactionRow>(
  'wallet_transaction_find_credit',
  `SELECT ${COLUMNS} FROM wallet_transaction WHERE lntx = $1 AND amount_msat > 0`,
);

/** A booked transaction with the fee of the service that was charged with it. The transfer of such a fee has the wallet's next entry. */
export type BookingRow = Pick<WalletTransactionRow, 'id' | 'type' | 'lntx' | 'amount_msat' | 'placed_at_ms' | 'label'> & {
  balance_msat: number;
  service_fee_msat: number;
};

const BOOKING = `SELECT t.id, t.type, t.lntx, t.amount_msat, t.placed_at_ms, t.label, t.balance_msat, coalesce(
    (SELECT CASE WHEN f.type = 'service_fee' AND f.entry = t.entry + 1 THEN -f.amount_msat END FROM wallet_transaction f
     WHERE f.ledger_account = t.ledger_account AND f.status = 'settled' AND f.position > t.position ORDER BY f.position LIMIT 1),
    0) AS service_fee_msat`;

export const findBookings = statement<BookingRow>(
  'wallet_transaction_find_bookings',
  `${BOOKING} FROM wallet_transaction t WHERE t.id = ANY($1::text[]) AND t.status = 'settled'`,
);

/** The credits of invoices. */
export const findCredits = statement<BookingRow>(
  'wallet_transaction_find_credits',
  `${BOOKING} FROM wallet_transaction t WHERE t.lntx = ANY($1::text[]) AND t.amount_msat > 0 AND t.status = 'settled'`,
);

/** The transactions that are neither of an invoice or a payment nor fees, among the newest $2 of a wallet ($1), newest first. */
export const listInternal = statement<BookingRow>(
  'wallet_transaction_list_internal',
  `${BOOKING} FROM (SELECT * FROM wallet_transaction WHERE ledger_account = $1 AND status = 'settled' ORDER BY position DESC LIMIT $2) AS t
   WHERE t.lntx IS NULL AND t.type NOT IN ('network_fee', 'service_fee') ORDER BY t.position DESC`,
);

/** The invoices that were credited since a time ($3, Unix milliseconds), among the newest $2 transactions of a wallet ($1). */
export const listCredited = statement<{ lntx: string }>(
  'wallet_transaction_list_credited',
  `SELECT lntx FROM (SELECT lntx, amount_msat, placed_at_ms FROM wallet_transaction WHERE ledger_account = $1 AND status = 'settled'
     ORDER BY position DESC LIMIT $2) AS listed WHERE amount_msat > 0 AND lntx IS NOT NULL AND placed_at_ms >= $3`,
);

export type ListOwner = 'wallet' | 'account';
/** A list may also be that of a key, by its lineage. */
type PageOwner = ListOwner | 'key';
export type Status = 'settled' | 'pending' | 'failed';
export type Order = 'desc' | 'asc';

const OWNER_COLUMN = { wallet: 'ledger_account', account: 'account_id', key: 'key_lineage_id' } as const;

const after = { desc: 'position < $2', asc: 'position > $2' } as const;

// The status is part of the text, because each status has an index. SQLite uses the partial index of those that are not settled only for the
// condition of the index itself.
const isOf = (status: Status) => (status === 'settled' ? "status = 'settled'" : `status = '${status}' AND status <> 'settled'`);

const ofStatus = (columns: string, owner: PageOwner, order: Order, status: Status) =>
  `SELECT ${columns} FROM wallet_transaction WHERE ${OWNER_COLUMN[owner]} = $1 AND ${isOf(status)} AND ${after[order]}
     ORDER BY position ${order} LIMIT $3`;

const pageOf = (owner: PageOwner, order: Order, status: Status | 'all') => {
  const one = (each: Status) => `SELECT * FROM (${ofStatus(COLUMNS, owner, order, each)}) AS ${each}_rows`;
  const all = `SELECT * FROM (${one('settled')} UNION ALL ${one('pending')} UNION ALL ${one('failed')}) AS of_all
     ORDER BY position ${order} LIMIT $3`;
  const text = status === 'all' ? all : ofStatus(COLUMNS, owner, order, status);
  return statement<WalletTransactionRow>(`wallet_transaction_${status}_${order}_of_${owner}`, text);
};

/** Returns the last of the first $3 transactions after a position ($2), of which $4 are skipped. Reads the indexes alone. */
const skipOf = (owner: PageOwner, order: Order, status: Status | 'all') => {
  const one = (each: Status) => `SELECT * FROM (${ofStatus('position', owner, order, each)}) AS ${each}_rows`;
  const of = status === 'all' ? `${one('settled')} UNION ALL ${one('pending')} UNION ALL ${one('failed')}` : one(status);
  return statement<{ position: number }>(
    `wallet_transaction_skip_${status}_${order}_of_${owner}`,
    `SELECT position FROM (${of}) AS skipped ORDER BY position ${order} LIMIT 1 OFFSET $4`,
  );
};

const ofOrder = (owner: PageOwner, order: Order) => ({
  settled: pageOf(owner, order, 'settled'),
  pending: pageOf(owner, order, 'pending'),
  failed: pageOf(owner, order, 'failed'),
  all: pageOf(owner, order, 'all'),
  skip: {
    settled: skipOf(owner, order, 'settled'),
    pending: skipOf(owner, order, 'pending'),
    failed: skipOf(owner, order, 'failed'),
    all: skipOf(owner, order, 'all'),
  },
});

const ofOwner = (owner: PageOwner) => ({ desc: ofOrder(owner, 'desc'), asc: ofOrder(owner, 'asc') });

/** At most $3 transactions of an owner ($1) after a position ($2). */
export const pages = { wallet: ofOwner('wallet'), account: ofOwner('account'), key: ofOwner('key') };

const ofAmount = (owner: ListOwner) => {
  const account = owner === 'account' ? '$1' : '(SELECT account_id FROM wallet WHERE ledger_account = $1)';
  const between = (low: string, high: string) =>
    `SELECT position, ledger_account FROM wallet_transaction WHERE account_id = ${account} AND amount_msat > ${low} AND amount_msat < ${high}`;
  return statement<{ position: number; ledger_account: number }>(
    `wallet_transaction_of_amount_of_${owner}`,
    `SELECT position, ledger_account FROM (${between('$2', '$3')} UNION ALL ${between('$4', '$5')}) AS of_all LIMIT $6`,
  );
};

/**
 * At most $6 transactions, unordered, of an account ($1, or the account of a wallet) with an amount between $2 and $3 or between $4 and $5. Reads
 * only the index.
 */
export const listsOfAmount = { wallet: ofAmount('wallet'), account: ofAmount('account') };

export const findPositions = statement<WalletTransactionRow>(
  'wallet_transaction_find_positions',
  `SELECT ${COLUMNS} FROM wallet_transaction WHERE position = ANY($1::bigint[])`,
);

/** The newest transaction up to a position. */
export const newestUpTo = statement<{ position: number; placed_at_ms: number }>(
  'wallet_transaction_newest_up_to',
  'SELECT position, placed_at_ms FROM wallet_transaction WHERE position <= $1 ORDER BY position DESC LIMIT 1',
);

/** The number of transactions of an owner ($1) in a state, up to $2. Reads the index alone. */
const countOf = (owner: PageOwner, status: Status) =>
  statement<{ n: number }>(
    `wallet_transaction_count_${status}_of_${owner}`,
    `SELECT count(*) AS n FROM (SELECT 1 FROM wallet_transaction
       WHERE ${OWNER_COLUMN[owner]} = $1 AND ${isOf(status)} LIMIT $2) AS listed`,
  );

const countsOf = (owner: PageOwner) => ({ pending: countOf(owner, 'pending'), failed: countOf(owner, 'failed') });

export const counts = {
  wallet: countsOf('wallet'),
  account: countsOf('account'),
  key: { ...countsOf('key'), settled: countOf('key', 'settled') },
};

/** The number and the sum of what a key ($1) has paid, in at most $2 payments and transfers. Reads the index alone. */
export const sumOfKey = statement<{ n: number; amount_msat: number }>(
  'wallet_transaction_sum_of_key',
  `SELECT count(*) AS n, CAST(coalesce(-sum(amount_msat), 0) AS BIGINT) AS amount_msat
   FROM (SELECT amount_msat FROM wallet_transaction WHERE ${OWNER_COLUMN.key} = $1 AND ${isOf('settled')} LIMIT $2) AS listed`,
);

/** The sums of all bookings of an account. */
export const countOfAccount = statement<{ n: number }>(
  'account_hour_count',
  'SELECT in_count + out_count + fees_count AS n FROM account_hour WHERE account_id = $1 AND hour = -1',
);
