import type { Alert } from '../../core/alerts/alerts.ts';
import { statement } from '../../core/db/statement.ts';

/** Times are Unix seconds. */
export type ChannelRow = {
  name: string;
  created_at: number;
  last_sent_at: number | null;
  failing_since: number | null;
  failure: string | null;
  failures: number;
  next_at: number;
};

export const addChannel = statement(
  'alert_channel_add',
  'INSERT INTO alert_channel (name, created_at) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
);

export const findChannel = statement<ChannelRow>(
  'alert_channel_find',
  'SELECT name, created_at, last_sent_at, failing_since, failure, failures, next_at FROM alert_channel WHERE name = $1',
);

/** Records that a message was sent. The failure is null if all recipients got it. */
export const recordSent = statement(
  'alert_channel_sent',
  `UPDATE alert_channel SET last_sent_at = $2, next_at = $3, failure = CAST($4 AS TEXT), failures = 0,
     failing_since = CASE WHEN CAST($4 AS TEXT) IS NULL THEN NULL ELSE coalesce(failing_since, $2) END
   WHERE name = $1`,
);

export const recordFailure = statement(
  'alert_channel_failed',
  `UPDATE alert_channel SET failing_since = coalesce(failing_since, $2), next_at = $3, failure = $4, failures = failures + 1 WHERE name = $1`,
);

/** `notice` is the state of the alert that the channel has sent last. */
export type DueRow = Alert & { notice: 'raised' | null };

const DUE = `SELECT a.id, a.kind, a.subject, a.message, a.details, a.raised_at, a.last_seen_at, a.cleared_at, a.closed_by, a.close_reason, n.state AS notice
  FROM alert a LEFT JOIN alert_notice n ON n.channel = $1 AND n.alert_id = a.id
  WHERE NOT (a.kind = 'alert_channel_failing' AND a.subject = $1)`;

/** The oldest open alerts that a channel has not sent, without the alert about the failure of the channel itself. */
export const listRaised = statement<DueRow>(
  'alert_notice_raised',
  `${DUE} AND a.cleared_at IS NULL AND n.alert_id IS NULL ORDER BY a.id LIMIT 500`,
);

/**
 * The alerts that were resolved from a time ($2) on and that a channel has not sent as resolved. Newest first, because an alert that is raised and
 * resolved repeatedly can have more rows than the limit.
 */
export const listResolved = statement<DueRow>(
  'alert_notice_resolved',
  `${DUE} AND a.cleared_at >= $2 AND (n.alert_id IS NULL OR n.state = 'raised') ORDER BY a.cleared_at DESC, a.id DESC LIMIT 500`,
);

/** The alerts that a channel has sent since a time ($2), each with the time of its last message. */
export const listRecent = statement<{ kind: string; subject: string; sent_at: number }>(
  'alert_notice_recent',
  'SELECT a.kind, a.subject, n.sent_at FROM alert_notice n JOIN alert a ON a.id = n.alert_id WHERE n.channel = $1 AND n.sent_at > $2',
);

export const storeNotice = statement(
  'alert_notice_store',
  `INSERT INTO alert_notice (channel, alert_id, state, sent_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (channel, alert_id) DO UPDATE SET state = excluded.state, sent_at = excluded.sent_at`,
);
