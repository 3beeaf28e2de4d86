import { listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';

export type WebhookRow = {
  id: string;
  account_id: string;
  wallet_id: string | null;
  url: string;
  event_types: string | null;
  user_label: string;
  status: 'active' | 'paused' | 'disabled';
  disabled_reason: 'failing' | 'gone' | null;
  missed_after: number | null;
  created_at: number;
  updated_at: number;
  active_since: number;
  secrets: string;
  last_success_at: number | null;
  failing_since: number | null;
  failures: number;
};

export const WEBHOOK_COLUMNS = `id, account_id, wallet_id, url, event_types, user_label, status, disabled_reason, missed_after, created_at, updated_at, active_since,
  secrets, last_success_at, failing_since, failures`;

export const listOfAccount = listStatements<WebhookRow>('webhook_list_of_account', {
  select: `SELECT ${WEBHOOK_COLUMNS} FROM webhook`,
  table: 'webhook',
  where: "account_id = $1 AND status <> 'deleted'",
  filters: 1,
});

export const insertWebhook = statement(
  'webhook_insert',
  `INSERT INTO webhook (id, account_id, wallet_id, url, event_types, user_label, status, created_at, updated_at, active_since, secrets, key_id)
   VALUES ($1, $2, $3, $4, $5, $6, 'active', $7, $7, $7, $8, $9)`,
);

export const insertPausedWebhook = statement(
  'webhook_insert_paused',
  `INSERT INTO webhook (id, account_id, url, event_types, user_label, status, created_at, updated_at, active_since, secrets, key_id)
   VALUES ($1, $2, $3, $4, $5, 'paused', $6, $6, $6, $7, $8)`,
);

const FIND = `SELECT ${WEBHOOK_COLUMNS} FROM webhook WHERE id = $1 AND account_id = $2 AND status <> 'deleted'`;

export const findWebhook = statement<WebhookRow>('webhook_find', FIND);

/** Locks the webhook until the transaction ends, so that changes and claims of it are made one after the other. */
export const lockWebhook = statement<WebhookRow>('webhook_lock', `${FIND} FOR NO KEY UPDATE`);

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
