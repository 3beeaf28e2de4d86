import { listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';

export type WebhookRow = {
  id: string;
  account_id: string;
  wallet_id: string | null;
  url: string;
  event_types: string | null;
  user_label: string;
  status: string;
  disabled_reason: string | null;
  missed_after: number | null;
  created_at: number;
  updated_at: number;
  active_since: number;
  secrets: string;
  last_success_at: number | null;
  failing_since: number | null;
  failures: number;
};

const COLUMNS = `id, account_id, wallet_id, url, event_types, user_label, status, disabled_reason, missed_after, created_at, updated_at, active_since,
  secrets, last_success_at, failing_since, failures`;

export const listOfAccount = listStatements<WebhookRow>('webhook_list_of_account', {
  select: `SELECT ${COLUMNS} FROM webhook`,
  table: 'webhook',
  where: "account_id = $1 AND status <> 'deleted'",
  filters: 1,
});

export const insertWebhook = statement(
  'webhook_insert',
  `INSERT INTO webhook (id, account_id, wallet_id, url, event_types, user_label, status, created_at, updated_at, active_since, secrets, key_id)
   VALUES ($1, $2, $3, $4, $5, $6, 'active', $7, $7, $7, $8, $9)`,
);

const FIND = `SELECT ${COLUMNS} FROM webhook WHERE id = $1 AND account_id = $2 AND status <> 'deleted'`;

export const findWebhook = statement<WebhookRow>('webhook_find', FIND);

/** Locks the webhook until the transaction ends, so that changes and claims of it are made one after the other. */
export const lockWebhook = statement<WebhookRow>('webhook_lock', { sqlite: FIND, postgres: `${FIND} FOR NO KEY UPDATE` });

export const updateWebhook = statement(
  'webhook_update',
  `UPDATE webhook SET url = $2, event_types = $3, user_label = $4, status = $5, disabled_reason = CASE WHEN $5 = 'disabled' THEN disabled_reason END,
     missed_after = CASE WHEN $5 = 'disabled' THEN missed_after END, failing_since = $6, failures = $7, active_since = $8, updated_at = $9
   WHERE id = $1`,
);

export const updateSecrets = statement(
  'webhook_update_secrets',
  'UPDATE webhook SET secrets = $2, key_id = $3, updated_at = $4 WHERE id = $1',
);

export const markDeleted = statement(
  'webhook_mark_deleted',
  "UPDATE webhook SET status = 'deleted', disabled_reason = NULL, missed_after = NULL, secrets = '[]' WHERE id = $1 AND status <> 'deleted'",
);

export const listDeleted = statement<{ id: string }>('webhook_list_deleted', "SELECT id FROM webhook WHERE status = 'deleted' LIMIT 100");

export const countDisabled = statement<{ n: number }>(
  'webhook_count_disabled',
  "SELECT count(*) AS n FROM webhook WHERE status = 'disabled'",
);

/** A webhook for which there may be work. */
export const findAny = statement<{ id: string }>(
  'webhook_find_any',
  "SELECT id FROM webhook WHERE status IN ('active', 'deleted') LIMIT 1",
);

/** The number of active webhooks whose secrets another key has sealed. */
export const countUnreadable = statement<{ n: number }>(
  'webhook_count_unreadable',
  "SELECT count(*) AS n FROM webhook WHERE status = 'active' AND key_id <> $1",
);

/* The deliverer. */

const ACTIVE = (ids: string) => `SELECT ${COLUMNS} FROM webhook WHERE id ${ids} AND status = 'active' AND key_id = $2 ORDER BY id`;

/** The webhooks of a list ($1) to which an instance with the key `$2` delivers. */
export const findActive = statement<WebhookRow>('webhook_find_active', {
  sqlite: ACTIVE('IN (SELECT value FROM json_each($1))'),
  postgres: ACTIVE('= ANY($1::text[])'),
});

/** The same, locked, without those that another transaction has locked. */
export const lockActive = statement<WebhookRow>('webhook_lock_active', {
  sqlite: ACTIVE('IN (SELECT value FROM json_each($1))'),
  postgres: `${ACTIVE('= ANY($1::text[])')} FOR NO KEY UPDATE SKIP LOCKED`,
});

/** Locks webhooks in the order of their ids, so that no two transactions wait for each other. */
export const lockMany = statement<{ id: string }>('webhook_lock_many', {
  sqlite: 'SELECT value AS id FROM json_each($1)',
  postgres: 'SELECT id FROM webhook WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE',
});

/** Stores the results of some attempts: the time of the last success ($2), the failures after it ($3), and the time of the first of these ($4). */
export const storeHealth = statement(
  'webhook_store_health',
  `UPDATE webhook SET last_success_at = coalesce($2, last_success_at), failures = CASE WHEN $2 IS NULL THEN failures ELSE 0 END + $3,
     failing_since = CASE WHEN $2 IS NULL THEN coalesce(failing_since, $4) ELSE $4 END
   WHERE id = $1 AND status <> 'deleted'`,
);

/**
 * Disables a webhook that responded 410 Gone, or that has failed since `$4` or longer. An event that is inserted at this moment may have a
 * delivery although its position is after the newest one.
 */
export const disableWebhook = statement(
  'webhook_disable',
  `UPDATE webhook SET status = 'disabled', disabled_reason = $2, missed_after = (SELECT coalesce(max(position), 0) FROM event), updated_at = $3
   WHERE id = $1 AND status = 'active' AND ($2 = 'gone' OR failing_since <= $4)`,
);
