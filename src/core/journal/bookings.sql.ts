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
  const [own, sign, other, from, label, lineage] =
    side === 'from'
      ? ['from', '-', 'to', 'payment', 'user_label', 't.key_lineage_id']
      : ['to', '', 'from', 'invoice', 'memo', 'CAST(NULL AS TEXT)'];
  return `SELECT t.position * 2 + ${side === 'from' ? 0 : 1} AS ord, 'wtx_' || t.id || '${SIDE_LETTER[side]}' AS id, w.id AS wallet_id,
      w.ledger_account, w.account_id, t.${own}_type AS type, ${sign}t.amount_msat AS amount_msat, t.${own}_entry AS entry,
      t.${own}_balance_msat AS balance_msat, t.created_at_ms AS placed_at_ms, t.${own}_lntx AS lntx,
      coalesce(o.${label}, t.memo, '') AS label, t.${other}_account AS other_account,
      ${lineage} AS key_lineage_id
    FROM ${transfers} CROSS JOIN wallet w LEFT JOIN ${from} o ON o.id = t.${own}_lntx
    WHERE w.ledger_account = t.${own}_account AND t.${own}_type IS NOT NULL`;
}

const COLUMNS =
  'id, wallet_id, ledger_account, account_id, type, amount_msat, entry, balance_msat, placed_at_ms, lntx, label, other_account, key_lineage_id';

/** A pending or failed payment has a row already, which becomes that of its booking. */
const BECOMES_SETTLED = `ON CONFLICT (id) DO UPDATE SET position = excluded.position, status = 'settled', amount_msat = excluded.amount_msat,
    entry = excluded.entry, balance_msat = excluded.balance_msat, placed_at_ms = excluded.placed_at_ms, other_account = excluded.other_account`;

const EVENT_OF_TYPE = (Object.entries(BOOKED_EVENTS) as [string, BookedEventType][])
  .map(([type, event]) => `WHEN '${type}' THEN '${event}'`)
  .join(' ');

const insertEvents = (rows: string, order: string) =>
  `INSERT INTO event (created_at_ms, type, account_id, wallet_id, subject, lntx)
    SELECT placed_at_ms, CASE type ${EVENT_OF_TYPE} END, account_id, wallet_id, id, lntx
    FROM ${rows} AND CASE type ${EVENT_OF_TYPE} END IS NOT NULL ORDER BY ${order}`;

const SUMS = ['in_msat', 'in_count', 'out_msat', 'out_count', 'fees_msat', 'fees_count'];

const SUMMED = `sum(CASE WHEN amount_msat > 0 THEN amount_msat ELSE 0 END), sum(CASE WHEN amount_msat > 0 THEN 1 ELSE 0 END),
      sum(CASE WHEN amount_msat < 0 AND type NOT IN ${FEES} THEN -amount_msat ELSE 0 END),
      sum(CASE WHEN amount_msat < 0 AND type NOT IN ${FEES} THEN 1 ELSE 0 END),
      sum(CASE WHEN amount_msat < 0 AND type IN ${FEES} THEN -amount_msat ELSE 0 END),
      sum(CASE WHEN amount_msat < 0 AND type IN ${FEES} THEN 1 ELSE 0 END)`;

const added = (table: string) => SUMS.map((sum) => `${sum} = ${table}.${sum} + excluded.${sum}`).join(', ');

const HOUR = 'placed_at_ms / 3600000';

const addToWallets = (rows: string) =>
  `INSERT INTO wallet_hour (ledger_account, hour, ${SUMS.join(', ')})
    SELECT ledger_account, ${HOUR}, ${SUMMED} FROM ${rows} GROUP BY ledger_account, ${HOUR}
    ON CONFLICT (ledger_account, hour) DO UPDATE SET ${added('wallet_hour')}`;

const addToAccounts = (rows: string) =>
  `INSERT INTO account_hour (account_id, hour, ${SUMS.join(', ')})
    SELECT account_id, CASE WHEN is_total = 1 THEN -1 ELSE ${HOUR} END, ${SUMMED}
    FROM (SELECT 1 AS is_total UNION ALL SELECT 0) AS part CROSS JOIN ${rows}
    GROUP BY account_id, CASE WHEN is_total = 1 THEN -1 ELSE ${HOUR} END
    ON CONFLICT (account_id, hour) DO UPDATE SET ${added('account_hour')}`;

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
    FROM (${sideOf('from', AFTER)} AND t.position > $1 UNION ALL ${sideOf('to', AFTER)} AND t.position > $1) AS sides WHERE true
    ${BECOMES_SETTLED}`,
);

const NEW = 'wallet_transaction WHERE position > $1';

/** SQLite: inserts the events of the wallet transactions after position $1. */
export const bookEvents = statement('journal_book_events', insertEvents(NEW, 'position'));

/** SQLite: adds the wallet transactions after position $1 to the sums of their wallets and accounts. */
export const addToWalletHours = statement('journal_add_to_wallet_hours', addToWallets(NEW));

export const addToAccountHours = statement('journal_add_to_account_hours', addToAccounts(NEW));

/** PostgreSQL: everything that the journal inserts for the transfers of the CTE `transfers`, as further CTEs. */
export const POSTGRES_BOOKING = `sides AS MATERIALIZED (
      ${sideOf('from', 'transfers t')} UNION ALL ${sideOf('to', 'transfers t')}
    ), transactions AS (
      INSERT INTO wallet_transaction (${COLUMNS}, status) SELECT ${COLUMNS}, 'settled' FROM sides ORDER BY ord
      ${BECOMES_SETTLED}
    ), events AS (
      ${insertEvents('sides WHERE true', 'ord')}
    ), wallet_hours AS (
      ${addToWallets('sides')}
    ), account_hours AS (
      ${addToAccounts('sides')}
    )`;

/**
 * Makes the transactions that insert events wait for each other until their commits. Without it, sums of an account that two transactions change
 * in another order could wait for each other in a circle.
 */
export const lockEventOrder = statement('journal_lock_event_order', {
  sqlite: 'SELECT 1',
  postgres: 'SELECT 1 FROM event_order FOR UPDATE',
});
