import { statement } from '../../core/db/statement.ts';
import { type OwnedEntryRow, selectEntries } from '../transactions/history.ts';

const bookedOn = (side: 'from' | 'to') => selectEntries(side, `t.position BETWEEN $1 AND $2 AND t.${side}_type IS NOT NULL`);

/** The entries of all wallets in a range of positions. */
export const bookedBetween = statement<OwnedEntryRow>(
  'feed_booked_between',
  `${bookedOn('from')} UNION ALL ${bookedOn('to')} ORDER BY position, side`,
);

export type StoredRow = {
  row: number;
  position: number;
  created_at_ms: number;
  type: string;
  ledger_account: number | null;
  /** The account of the wallet, or that of an event without a wallet. */
  account_id: string;
  wallet_id: string | null;
  subject: string;
  data: string | null;
};

const STORED = `SELECT e.row, e.position, e.created_at_ms, e.type, e.ledger_account, coalesce(e.account_id, w.account_id) AS account_id,
    w.id AS wallet_id, e.subject, e.data
  FROM event e LEFT JOIN wallet w ON w.ledger_account = e.ledger_account`;

/** Events with a row after a place ($1, $2), up to a position, of all wallets. */
export const storedAfter = statement<StoredRow>(
  'feed_stored_after',
  `${STORED} WHERE (e.position, e.row) > ($1, $2) AND e.position <= $3 ORDER BY e.position, e.row LIMIT $4`,
);

/** The same of one wallet. */
export const storedOfWalletAfter = statement<StoredRow>(
  'feed_stored_of_wallet_after',
  `${STORED} WHERE e.ledger_account = $5 AND (e.position, e.row) > ($1, $2) AND e.position <= $3 ORDER BY e.position, e.row LIMIT $4`,
);

export const findStored = statement<StoredRow>('feed_find_stored', `${STORED} WHERE e.row = $1 AND e.position = $2`);

export const transferTime = statement<{ created_at_ms: number }>(
  'feed_transfer_time',
  'SELECT created_at_ms FROM ledger_transfer WHERE position = $1',
);

const NEWEST = {
  sqlite: '(SELECT max(position) FROM ledger_transfer)',
  postgres: 'greatest((SELECT max(position) FROM ledger_transfer), (SELECT max(position) FROM event))',
};

export const newestPosition = statement<{ position: number | null }>('feed_newest_position', {
  sqlite: `SELECT ${NEWEST.sqlite} AS position`,
  postgres: `SELECT ${NEWEST.postgres} AS position`,
});

/**
 * The newest position, and the running transactions that may still commit an earlier one: those that have inserted into one of the two
 * tables, separated by spaces. An INSERT locks its table before it takes a position, and until its transaction has ended.
 */
export const newestPositionAndWriters = statement<{ position: number | null; writers: string | null }>('feed_newest_position_and_writers', {
  sqlite: `SELECT ${NEWEST.sqlite} AS position, NULL AS writers`,
  postgres: `SELECT ${NEWEST.postgres} AS position,
      (SELECT string_agg(DISTINCT virtualtransaction, ' ') FROM pg_locks
       WHERE locktype = 'relation' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
         AND relation IN ('ledger_transfer'::regclass, 'event'::regclass) AND mode = 'RowExclusiveLock') AS writers`,
});

/** The oldest retention period that is kept. Events before its position have expired, if earlier periods were deleted. */
export const oldestPeriod = statement<{ period: number; position: number }>(
  'feed_oldest_round',
  "SELECT period, position FROM retention_period WHERE name = 'event' ORDER BY period LIMIT 1",
);

export const oldestStoredPosition = statement<{ position: number | null }>(
  'feed_oldest_stored_position',
  'SELECT min(position) AS position FROM event',
);

export const deleteStoredBelow = statement('feed_delete_stored_below', 'DELETE FROM event WHERE position < $1');
