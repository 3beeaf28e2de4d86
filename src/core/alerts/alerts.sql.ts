import { listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';

/** An alert for the operator. At most one alert of a kind and subject is open. Times are Unix seconds. */
export type AlertRow = {
  /** `alert_…` */
  id: string;
  /** A newer version may have stored kinds that this version does not have. */
  kind: string;
  /** The id of a payment, an invoice or a reconciliation; `node` or `suspense`. */
  subject: string;
  message: string;
  /** JSON of {@link AlertDetails}. */
  details: string;
  raised_at: number;
  last_seen_at: number;
  /** Null while it is open. */
  cleared_at: number | null;
  /** The operator who closed it, and why; null if the service closed it. */
  closed_by: string | null;
  close_reason: string | null;
};

/** What the event of a closed alert has. */
export type ClosedAlertRow = Pick<AlertRow, 'id' | 'kind' | 'subject' | 'message' | 'details' | 'raised_at'>;

/** Changes one row in every case: opens the alert, or updates the open one. */
export const raise = statement(
  'alert_raise',
  `INSERT INTO alert (id, kind, subject, message, raised_at, last_seen_at, details) VALUES ($1, $2, $3, $4, $5, $5, $6)
   ON CONFLICT (kind, subject) WHERE cleared_at IS NULL
   DO UPDATE SET last_seen_at = excluded.last_seen_at, message = excluded.message, details = excluded.details`,
);

/** Closes the open alert and returns it. */
export const clear = statement<ClosedAlertRow>(
  'alert_clear',
  `UPDATE alert SET cleared_at = $3 WHERE kind = $1 AND subject = $2 AND cleared_at IS NULL
   RETURNING id, kind, subject, message, details, raised_at`,
);

/** Closes an open alert on behalf of an operator and returns it. */
export const close = statement<ClosedAlertRow>(
  'alert_close',
  `UPDATE alert SET cleared_at = $2, closed_by = $3, close_reason = $4 WHERE id = $1 AND cleared_at IS NULL
   RETURNING id, kind, subject, message, details, raised_at`,
);

/** When an alert that operators have closed was last raised. */
export const findAccepted = statement<{ last_seen_at: number | null }>(
  'alert_find_accepted',
  'SELECT max(last_seen_at) AS last_seen_at FROM alert WHERE kind = $1 AND subject = $2 AND closed_by IS NOT NULL',
);

export const findUnannounced = statement<{ id: string }>(
  'alert_find_unannounced',
  'SELECT id FROM alert WHERE announced_at IS NULL ORDER BY id LIMIT 1',
);

/** Returns the alerts that were not announced. Each row is returned to one instance, which logs it. */
export const announce = statement<{ kind: string; subject: string; message: string }>(
  'alert_announce',
  'UPDATE alert SET announced_at = $1 WHERE announced_at IS NULL RETURNING kind, subject, message',
);

const ALERT = 'SELECT id, kind, subject, message, details, raised_at, last_seen_at, cleared_at, closed_by, close_reason FROM alert';

export const find = statement<AlertRow>('alert_find', `${ALERT} WHERE id = $1`);

/** Open alerts, oldest first. */
export const listOpen = statement<AlertRow>('alert_list_open', `${ALERT} WHERE cleared_at IS NULL ORDER BY id LIMIT 1000`);

/** The alerts of each state. */
export const listOfState = {
  open: listStatements<AlertRow>('alert_of_open', { select: ALERT, table: 'alert', where: 'cleared_at IS NULL' }),
  resolved: listStatements<AlertRow>('alert_of_resolved', { select: ALERT, table: 'alert', where: 'cleared_at IS NOT NULL' }),
  all: listStatements<AlertRow>('alert_of_all', { select: ALERT, table: 'alert' }),
};

export const openSubjects = statement<{ subject: string }>(
  'alert_open_subjects',
  'SELECT subject FROM alert WHERE kind = $1 AND cleared_at IS NULL AND subject > $2 ORDER BY subject LIMIT $3',
);

export const countOpen = statement<{ kind: string; n: number }>(
  'alert_count_open',
  'SELECT kind, count(*) AS n FROM alert WHERE cleared_at IS NULL GROUP BY kind ORDER BY kind',
);
