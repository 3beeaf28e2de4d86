import { statement } from '../db/statement.ts';

export type EventRow = {
  position: number;
  created_at_ms: number;
  type: string;
  account_id: string;
  wallet_id: string | null;
  subject: string;
  lntx: string | null;
  data: string | null;
  /** Read by {@link findMany} alone. */
  traceparent?: string | null;
};

const COLUMNS = 'position, created_at_ms, type, account_id, wallet_id, subject, lntx, data';

const SELECT = `SELECT ${COLUMNS} FROM event`;

const pageOf = (owner: string, condition: string, order: 'asc' | 'desc') =>
  statement<EventRow>(
    `event_page_${order}_of_${owner}`,
    `${SELECT} WHERE ${condition}position ${order === 'asc' ? '>' : '<'} $1 ORDER BY position ${order} LIMIT $2`,
  );

const pagesOf = (owner: string, condition: string) => ({ asc: pageOf(owner, condition, 'asc'), desc: pageOf(owner, condition, 'desc') });

/** At most $2 events after a position ($1) in an order: those of a wallet or an account ($3), or all. */
export const pages = {
  wallet: pagesOf('wallet', 'wallet_id = $3 AND '),
  account: pagesOf('account', 'account_id = $3 AND '),
  all: pagesOf('all', ''),
};

/**
 * The trace of an event is that of its payment, invoice or transfer, whose id is the wallet transaction's without `wtx_` and the side. Only the
 * account of the request gets it: a trace would connect payments that another account has received.
 */
export const findMany = statement<EventRow>(
  'event_find_many',
  `SELECT ${COLUMNS}, (SELECT traceparent FROM event_trace t
     WHERE t.subject = coalesce(lntx, substr(event.subject, 5, length(event.subject) - 5)) AND t.account_id = event.account_id) AS traceparent
   FROM event WHERE position = ANY($1::bigint[])`,
);

export const newestPosition = statement<{ position: number | null }>(
  'event_newest_position',
  'SELECT max(position) AS position FROM event',
);

export const newestOfWallet = statement<{ position: number }>(
  'event_newest_of_wallet',
  'SELECT position FROM event WHERE wallet_id = $1 ORDER BY position DESC LIMIT 1',
);

/** The newest event up to a position. */
export const newestUpTo = statement<{ position: number; created_at_ms: number }>(
  'event_newest_up_to',
  'SELECT position, created_at_ms FROM event WHERE position <= $1 ORDER BY position DESC LIMIT 1',
);

/** The oldest retention period that is kept. Events before its position have expired, if earlier periods were deleted. */
export const oldestPeriod = statement<{ period: number; position: number }>(
  'event_oldest_period',
  "SELECT period, position FROM retention_period WHERE name = 'event' ORDER BY period LIMIT 1",
);
