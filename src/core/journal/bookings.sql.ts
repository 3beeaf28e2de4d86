import { statement } from '../db/statement.ts';
import { BOOKED_EVENTS, type BookedEventType } from './event-types.ts';
import { SIDE_LETTER, type Side } from './wallet-transaction-id.ts';

/** The types of wallet transactions that are fees: of the network, or of this service. */
const FEES = "('network_fee', 'service_fee')";

/**
 * Returns a SELECT of one side of the transfers `t`, those of wallets only, as rows of `wallet_transaction`. `ord` is the order of bookings.
 * A payment or invoice has its label in its own row.
 */
function sideOf(side: Side, transfers: string): string {
  const [own, sign, other, from, label] =
    side === 'from' ? ['from', '-', 'to', 'payment', 'user_label'] : ['to', '', 'from', 'invoice', 'memo'];
  return `SELECT t.position * 2 + ${side === 'from' ? 0 : 1} AS ord, 'wtx_' || t.id || '${SIDE_LETTER[side]}' AS id, w.id AS wallet_id,
      w.ledger_account, w.account_id, t.${own}_type AS type, ${sign}t.amount_msat AS amount_msat, t.${own}_entry AS entry,
      t.${own}_balance_msat AS balance_msat, t.created_at_ms AS placed_at_ms, t.${own}_lntx AS lntx,
      coalesce(o.${label}, t.memo, '') AS label, t.${other}_account AS other_account
    FROM ${transfers} CROSS JOIN wallet w LEFT JOIN ${from} o ON o.id = t.${own}_lntx
    WHERE w.ledger_account = t.${own}_account AND t.${own}_type IS NOT NULL`;
}

const COLUMNS =
  'id, wallet_id, ledger_account, account_id, type, amount_msat, entry, balance_msat, placed_at_ms, lntx, label, other_account';

/** A pending or failed payment has a row already, which becomes that of its booking. */
function becomesSettled(booking: string): string {
  const columns = ['position', 'amount_msat', 'entry', 'balance_msat', 'placed_at_ms', 'other_account'];
  return `status = 'settled', ${columns.map((name) => `${name} = ${booking}.${name}`).join(', ')}`;
}

const EVENT_OF_TYPE = (Object.entries(BOOKED_EVENTS) as [string, BookedEventType][])
  .map(([type, event]) => `WHEN '${type}' THEN '${event}'`)
  .join(' ');

const insertEvents = (rows: string, order: string) =>
  `INSERT INTO event (created_at_ms, type, account_id, wallet_id, subject, lntx)
    SELECT placed_at_ms, CASE type ${EVENT_OF_TYPE} END, account_id, wallet_id, id, lntx
    FROM ${rows} AND CASE type ${EVENT_OF_TYPE} END IS NOT NULL ORDER BY ${order}`;

const SUMS = ['in_msat', 'in_count', 'out_msat', 'out_count', 'fees_msat', 'fees_count'];

const SUMMED = [
  ['in', 'amount_msat > 0'],
  ['out', `amount_msat < 0 AND type NOT IN ${FEES}`],
  ['fees', `amount_msat < 0 AND type IN ${FEES}`],
]
  .map(
    ([name, condition]) => `coalesce(sum(abs(amount_msat)) FILTER (WHERE ${condition}), 0) AS ${name}_msat,
      count(*) FILTER (WHERE ${condition}) AS ${name}_count`,
  )
  .join(', ');

const added = (table: string, more: string) => SUMS.map((sum) => `${sum} = ${table}.${sum} + ${more}.${sum}`).join(', ');

const HOUR = 'placed_at_ms / 3600000';

/** The sums of the bookings in `rows`, per wallet and hour, and per account and hour. */
const sumsOfWallets = (rows: string) => `SELECT ledger_account, ${HOUR} AS hour, ${SUMMED} FROM ${rows} GROUP BY 1, 2`;

const sumsOfAccounts = (rows: string) =>
  `SELECT account_id, CASE WHEN is_total = 1 THEN -1 ELSE ${HOUR} END AS hour, ${SUMMED}
    FROM (SELECT 1 AS is_total UNION ALL SELECT 0) AS part CROSS JOIN ${rows} GROUP BY 1, 2`;

const addTo = (table: string, owner: string, sums: string) =>
  `INSERT INTO ${table} (${owner}, hour, ${SUMS.join(', ')}) ${sums}
    ON CONFLICT (${owner}, hour) DO UPDATE SET ${added(table, 'excluded')}`;

const AFTER = 'ledger_transfer t';

/** SQLite: the position of the newest wallet transaction. */
export const newestTransaction = statement<{ position: number }>(
  'journal_newest_transaction',
  'SELECT coalesce(max(position), 0) AS position FROM wallet_transaction',
);

/** SQLite: inserts the wallet transactions of the transfers after position $1, at positions after $2. */
export const bookTransactions = statement(
  'journal_book_transactions',
  `INSERT INTO wallet_transaction (position, ${COLUMNS}, status)
    SELECT $2 + row_number() OVER (ORDER BY ord), ${COLUMNS}, 'settled'
    FROM (${sideOf('from', AFTER)} AND t.position > $1 UNION ALL ${sideOf('to', AFTER)} AND t.position > $1) WHERE true
    ON CONFLICT (id) DO UPDATE SET ${becomesSettled('excluded')}`,
);

const NEW = 'wallet_transaction WHERE position > $1';

/** SQLite: inserts the events of the wallet transactions after position $1. */
export const bookEvents = statement('journal_book_events', insertEvents(NEW, 'position'));

/** SQLite: adds the wallet transactions after position $1 to the sums of their wallets and accounts. */
export const addToWalletHours = statement('journal_add_to_wallet_hours', addTo('wallet_hour', 'ledger_account', sumsOfWallets(NEW)));

export const addToAccountHours = statement('journal_add_to_account_hours', addTo('account_hour', 'account_id', sumsOfAccounts(NEW)));

/**
 * PostgreSQL: adds sums to the rows that exist, and inserts the others. ON CONFLICT for all of them would write a lock of each row to the WAL
 * before its update.
 */
const addOnPostgres = (table: string, owner: string, sums: string) =>
  `${table}_sums AS MATERIALIZED (${sums}), ${table}_updated AS (
      UPDATE ${table} h SET ${added('h', 's')} FROM ${table}_sums s WHERE h.${owner} = s.${owner} AND h.hour = s.hour
      RETURNING h.${owner}, h.hour
    ), ${table}_inserted AS (
      ${addTo(table, owner, `SELECT * FROM ${table}_sums WHERE (${owner}, hour) NOT IN (SELECT ${owner}, hour FROM ${table}_updated)`)}
    )`;

/**
 * PostgreSQL: everything that the journal inserts for the transfers of the CTE `transfers`, as further CTEs. Only a booking of a payment can
 * have a row already.
 */
export const POSTGRES_BOOKING = `sides AS MATERIALIZED (
      SELECT nextval('wallet_transaction_position_seq') AS position, s.*
      FROM (${sideOf('from', 'transfers t')} UNION ALL ${sideOf('to', 'transfers t')} ORDER BY ord) AS s
    ), settled AS (
      UPDATE wallet_transaction x SET ${becomesSettled('s')} FROM sides s WHERE x.id = s.id AND s.lntx IS NOT NULL
      RETURNING x.id
    ), transactions AS (
      INSERT INTO wallet_transaction (position, ${COLUMNS}, status)
      SELECT position, ${COLUMNS}, 'settled' FROM sides WHERE id NOT IN (SELECT id FROM settled)
    ), events AS (
      ${insertEvents('sides WHERE true', 'ord')}
    ), ${addOnPostgres('wallet_hour', 'ledger_account', sumsOfWallets('sides'))},
    ${addOnPostgres('account_hour', 'account_id', sumsOfAccounts('sides'))}`;

/**
 * Makes the transactions that insert events wait for each other until their commits. Without it, sums of an account that two transactions change
 * in another order could wait for each other in a circle.
 */
export const lockEventOrder = statement('journal_lock_event_order', {
  sqlite: 'SELECT 1',
  postgres: 'SELECT 1 FROM event_order FOR UPDATE',
});
