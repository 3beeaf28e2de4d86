import { statement } from '../db/statement.ts';

export type AlertRow = {
  id: string;
  kind: string;
  subject: string;
  message: string;
  raised_at: number;
  last_seen_at: number;
};

/** Changes one row in every case: opens the alert, or updates the open one. */
export const raise = statement(
  'alert_raise',
  `INSERT INTO alert (id, kind, subject, message, raised_at, last_seen_at) VALUES ($1, $2, $3, $4, $5, $5)
   ON CONFLICT (kind, subject) WHERE cleared_at IS NULL
   DO UPDATE SET last_seen_at = excluded.last_seen_at, message = excluded.message`,
);

/** Closes the open alert and returns it. */
export const clear = statement<Omit<AlertRow, 'last_seen_at'>>(
  'alert_clear',
  `UPDATE alert SET cleared_at = $3 WHERE kind = $1 AND subject = $2 AND cleared_at IS NULL
   RETURNING id, kind, subject, message, raised_at`,
);

/** Closes an open alert on behalf of an operator and returns it. */
export const close = statement<Omit<AlertRow, 'last_seen_at'>>(
  'alert_close',
  `UPDATE alert SET cleared_at = $2, closed_by = $3, close_reason = $4 WHERE id = $1 AND cleared_at IS NULL
   RETURNING id, kind, subject, message, raised_at`,
);

export const find = statement<ListedAlertRow>(
  'alert_find',
  `SELECT id, kind, subject, message, raised_at, last_seen_at, cleared_at, closed_by, close_reason FROM alert WHERE id = $1`,
);

export const findUnannounced = statement<{ id: string }>(
  'alert_find_unannounced',
  'SELECT id FROM alert WHERE announced_at IS NULL ORDER BY id LIMIT 1',
);

/** Returns the alerts that were not announced. Each row is returned to one instance, which logs it. */
export const announce = statement<AlertRow>(
  'alert_announce',
  `UPDATE alert SET announced_at = $1 WHERE announced_at IS NULL
   RETURNING id, kind, subject, message, raised_at, last_seen_at`,
);

/** Open alerts after an id. */
export const listOpen = statement<AlertRow>(
  'alert_list_open',
  `SELECT id, kind, subject, message, raised_at, last_seen_at FROM alert WHERE cleared_at IS NULL AND id > $1 ORDER BY id LIMIT $2`,
);

export type ListedAlertRow = AlertRow & { cleared_at: number | null; closed_by: string | null; close_reason: string | null };

const LISTED = 'SELECT id, kind, subject, message, raised_at, last_seen_at, cleared_at, closed_by, close_reason FROM alert';

/** Alerts of a state, newest first. */
export const listOf = {
  open: statement<ListedAlertRow>('alert_list_newest_open', `${LISTED} WHERE cleared_at IS NULL ORDER BY id DESC LIMIT $1 OFFSET $2`),
  resolved: statement<ListedAlertRow>('alert_list_resolved', `${LISTED} WHERE cleared_at IS NOT NULL ORDER BY id DESC LIMIT $1 OFFSET $2`),
  all: statement<ListedAlertRow>('alert_list_all', `${LISTED} ORDER BY id DESC LIMIT $1 OFFSET $2`),
};

export const countOf = {
  open: statement<{ n: number }>('alert_count_all_open', 'SELECT count(*) AS n FROM alert WHERE cleared_at IS NULL'),
  resolved: statement<{ n: number }>('alert_count_resolved', 'SELECT count(*) AS n FROM alert WHERE cleared_at IS NOT NULL'),
  all: statement<{ n: number }>('alert_count_all', 'SELECT count(*) AS n FROM alert'),
};

export const openSubjects = statement<{ subject: string }>(
  'alert_open_subjects',
  'SELECT subject FROM alert WHERE kind = $1 AND cleared_at IS NULL AND subject > $2 ORDER BY subject LIMIT $3',
);

export const countOpen = statement<{ kind: string; n: number }>(
  'alert_count_open',
  'SELECT kind, count(*) AS n FROM alert WHERE cleared_at IS NULL GROUP BY kind ORDER BY kind',
);
