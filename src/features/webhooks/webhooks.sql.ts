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
  created_at: number;
  updated_at: number;
  secrets: string;
  position: number;
  rank: number;
  last_success_at: number | null;
  failing_since: number | null;
  failures: number;
};

const COLUMNS = `id, account_id, wallet_id, url, event_types, user_label, status, disabled_reason, created_at, updated_at, secrets, position,
  rank, last_success_at, failing_since, failures`;

/** Webhooks of one account are created one after the other, so that their number is exact. */
export const lockAccount = statement<{ id: string }>('webhook_lock_account', {
  sqlite: 'SELECT id FROM account WHERE id = $1',
  postgres: 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE',
});

export const countOfAccount = statement<{ n: number }>(
  'webhook_count_of_account',
  "SELECT count(*) AS n FROM webhook WHERE account_id = $1 AND status <> 'deleted'",
);

export const insertWebhook = statement(
  'webhook_insert',
  `INSERT INTO webhook (id, account_id, wallet_id, url, event_types, user_label, status, created_at, updated_at, secrets, key_id, position, rank)
   VALUES ($1, $2, $3, $4, $5, $6, 'active', $7, $7, $8, $9, $10, $11)`,
);

export const findWebhook = statement<WebhookRow>(
  'webhook_find',
  `SELECT ${COLUMNS} FROM webhook WHERE id = $1 AND account_id = $2 AND status <> 'deleted'`,
);

/** Locks the webhook until the transaction ends, so that changes of it are made one after the other. */
export const lockWebhook = statement<WebhookRow>('webhook_lock', {
  sqlite: `SELECT ${COLUMNS} FROM webhook WHERE id = $1 AND account_id = $2 AND status <> 'deleted'`,
  postgres: `SELECT ${COLUMNS} FROM webhook WHERE id = $1 AND account_id = $2 AND status <> 'deleted' FOR NO KEY UPDATE`,
});

export const listOfAccount = statement<WebhookRow>(
  'webhook_list_of_account',
  `SELECT ${COLUMNS} FROM webhook WHERE account_id = $1 AND status <> 'deleted' ORDER BY id DESC LIMIT $2 OFFSET $3`,
);

export const updateWebhook = statement(
  'webhook_update',
  `UPDATE webhook SET url = $2, event_types = $3, user_label = $4, status = $5, disabled_reason = $6, failing_since = $7, failures = $8,
     updated_at = $9 WHERE id = $1`,
);

export const updateSecrets = statement(
  'webhook_update_secrets',
  'UPDATE webhook SET secrets = $2, key_id = $3, updated_at = $4 WHERE id = $1',
);

export const markDeleted = statement(
  'webhook_mark_deleted',
  "UPDATE webhook SET status = 'deleted', disabled_reason = NULL, secrets = '[]' WHERE id = $1 AND status <> 'deleted'",
);

export const deleteWebhook = statement('webhook_delete', "DELETE FROM webhook WHERE id = $1 AND status = 'deleted'");

export const disableWebhook = statement(
  'webhook_disable',
  "UPDATE webhook SET status = 'disabled', disabled_reason = $2, updated_at = $3 WHERE id = $1 AND status = 'active'",
);

/** Changes nothing if another instance has taken over. */
export const storeProgress = statement(
  'webhook_store_progress',
  `UPDATE webhook SET position = $3, rank = $4, last_success_at = $5, failing_since = $6, failures = $7
   WHERE id = $1 AND lease_holder = $2 AND status <> 'deleted'`,
);

export const countDisabled = statement<{ n: number }>(
  'webhook_count_disabled',
  "SELECT count(*) AS n FROM webhook WHERE status = 'disabled'",
);

/* Leases. PostgreSQL's clock decides, which all instances share. SQLite has one process, so what an earlier one held is free. */

const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Holders of other keys cannot open the secrets. Deliveries of a deleted webhook are deleted by any instance. */
const WORKED_ON = "(status = 'deleted' OR (status = 'active' AND key_id = $3))";

export const renewLeases = statement<WebhookRow>('webhook_renew_leases', {
  sqlite: `UPDATE webhook SET lease_until_ms = $2 WHERE lease_holder = $1 AND ${WORKED_ON} RETURNING ${COLUMNS}`,
  postgres: `UPDATE webhook SET lease_until_ms = ${NOW} + $2 WHERE lease_holder = $1 AND ${WORKED_ON} RETURNING ${COLUMNS}`,
});

export const claim = statement<WebhookRow>('webhook_claim', {
  sqlite: `UPDATE webhook SET lease_holder = $1, lease_until_ms = $2
    WHERE id IN (SELECT id FROM webhook WHERE lease_holder IS NOT $1 AND ${WORKED_ON} ORDER BY id LIMIT $4) RETURNING ${COLUMNS}`,
  // The array is evaluated once. A join could evaluate the subquery for each row, and lock others each time.
  postgres: `UPDATE webhook SET lease_holder = $1, lease_until_ms = ${NOW} + $2
    WHERE id = ANY(ARRAY(SELECT id FROM webhook WHERE lease_until_ms < ${NOW} AND lease_holder IS DISTINCT FROM $1 AND ${WORKED_ON}
      ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED)) RETURNING ${COLUMNS}`,
});

export const release = statement('webhook_release', {
  sqlite: `UPDATE webhook SET lease_holder = NULL, lease_until_ms = 0 WHERE lease_holder = $1 AND id IN (SELECT value FROM json_each($2))`,
  postgres: `UPDATE webhook SET lease_holder = NULL, lease_until_ms = 0 WHERE lease_holder = $1 AND id = ANY($2::text[])`,
});

/** The number of webhooks that instances with this key can work on. */
export const countWork = statement<{ n: number }>(
  'webhook_count_work',
  "SELECT count(*) AS n FROM webhook WHERE status = 'deleted' OR (status = 'active' AND key_id = $1)",
);

export const reportAlive = statement('webhook_report_alive', {
  sqlite: `INSERT INTO webhook_instance (holder, key_id, alive_until_ms) VALUES ($1, $2, $3)
    ON CONFLICT (holder) DO UPDATE SET alive_until_ms = excluded.alive_until_ms`,
  postgres: `INSERT INTO webhook_instance (holder, key_id, alive_until_ms) VALUES ($1, $2, ${NOW} + $3)
    ON CONFLICT (holder) DO UPDATE SET alive_until_ms = excluded.alive_until_ms`,
});

export const deleteDead = statement('webhook_delete_dead', {
  sqlite: 'DELETE FROM webhook_instance WHERE holder <> $1',
  postgres: `DELETE FROM webhook_instance WHERE holder <> $1 AND alive_until_ms < ${NOW}`,
});

export const countAlive = statement<{ n: number }>('webhook_count_alive', 'SELECT count(*) AS n FROM webhook_instance WHERE key_id = $1');

export const reportEnd = statement('webhook_report_end', 'DELETE FROM webhook_instance WHERE holder = $1');

/** The number of active webhooks that no instance has held for `$2` milliseconds, because none has the key. */
export const countUnreadable = statement<{ n: number }>('webhook_count_unreadable', {
  sqlite: "SELECT count(*) AS n FROM webhook WHERE status = 'active' AND key_id <> $1 AND $2 >= 0",
  postgres: `SELECT count(*) AS n FROM webhook WHERE status = 'active' AND key_id <> $1 AND lease_until_ms + $2 < ${NOW}
    AND updated_at * 1000 + $2 < ${NOW}`,
});

/* Replays. */

export type ReplayRow = {
  id: string;
  webhook_id: string;
  position: number;
  rank: number;
  until_position: number;
  until_rank: number;
};

export const insertReplay = statement(
  'webhook_replay_insert',
  `INSERT INTO webhook_replay (id, webhook_id, created_at, position, rank, until_position, until_rank) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export const countReplays = statement<{ n: number }>(
  'webhook_replay_count',
  'SELECT count(*) AS n FROM webhook_replay WHERE webhook_id = $1',
);

/** The webhooks with replays that are not finished. */
export const replayedWebhooks = statement<{ webhook_id: string }>(
  'webhook_replay_webhooks',
  'SELECT DISTINCT webhook_id FROM webhook_replay',
);

export const oldestReplay = statement<ReplayRow>(
  'webhook_replay_oldest',
  `SELECT id, webhook_id, position, rank, until_position, until_rank FROM webhook_replay WHERE webhook_id = $1 ORDER BY id LIMIT 1`,
);

export const advanceReplay = statement('webhook_replay_advance', 'UPDATE webhook_replay SET position = $2, rank = $3 WHERE id = $1');

export const deleteReplay = statement('webhook_replay_delete', 'DELETE FROM webhook_replay WHERE id = $1');

export const deleteReplays = statement('webhook_replay_delete_all', 'DELETE FROM webhook_replay WHERE webhook_id = $1');

export type { DeliveryRow } from './deliveries.sql.ts';
