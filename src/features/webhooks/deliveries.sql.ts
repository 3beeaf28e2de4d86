import { statement } from '../../core/db/statement.ts';
import { WEBHOOK_COLUMNS, type WebhookRow } from './webhooks.sql.ts';

export type DeliveryRow = {
  position: number;
  webhook_id: string;
  event_position: number;
  event_created_at_ms: number;
  event_type: string;
  wallet_id: string | null;
  lntx: string | null;
  ordering_key: string;
  created_at_ms: number;
  state: string;
  due_at_ms: number | null;
  first_attempt_ms: number | null;
  ended_at_ms: number | null;
  attempts: number;
  log: string | null;
};

export const INSERTED = 'webhook_id, event_position, event_created_at_ms, event_type, wallet_id, lntx, ordering_key, created_at_ms';
export const COLUMNS = `position, ${INSERTED}, state, due_at_ms, first_attempt_ms, ended_at_ms, attempts, log`;

/** The most deliveries of one webhook that an instance claims at once. */
export const MAX_CLAIMED_OF_WEBHOOK = 50;

/** Looked at, and not ended. SQLite uses a partial index only where the condition of the index is repeated. */
export const UNFINISHED = "state IN ('held', 'claimed', 'retrying')";

/** Returns a text for each dialect: `$1` is a JSON array, and `rows` a table whose column `value` has its items. */
function onEach(text: (rows: string) => string) {
  return { sqlite: text('json_each($1)'), postgres: text('json_array_elements($1::json) AS rows (value)') };
}

/* Claims. Each of these runs while the webhook is locked. */

const WEBHOOKS_WITH = (state: string) => `WITH RECURSIVE walk (id) AS (
    SELECT (SELECT webhook_id FROM webhook_delivery WHERE state = '${state}' ORDER BY webhook_id LIMIT 1)
    UNION ALL SELECT (SELECT webhook_id FROM webhook_delivery WHERE state = '${state}' AND webhook_id > walk.id ORDER BY webhook_id LIMIT 1)
      FROM walk WHERE walk.id IS NOT NULL
  ) SELECT w.id, w.account_id FROM walk CROSS JOIN webhook w WHERE w.id = walk.id AND w.status = 'active' AND w.key_id = $1`;

type WorkRow = { id: string; account_id: string };

/** The active webhooks with queued deliveries. Costs an index lookup per webhook that has some. */
export const webhooksWithQueued = statement<WorkRow>('webhook_delivery_webhooks_queued', WEBHOOKS_WITH('queued'));

/** The active webhooks with retries that are due: before `$2`, or after `$3`, which no retry is planned for. */
export const webhooksWithDue = statement<WorkRow>(
  'webhook_delivery_webhooks_due',
  `${WEBHOOKS_WITH('retrying')}
    AND (EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.state = 'retrying' AND d.webhook_id = w.id AND d.due_at_ms <= $2)
      OR EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.state = 'retrying' AND d.webhook_id = w.id AND d.due_at_ms > $3))`,
);

const DUE = (condition: string) => `SELECT * FROM (SELECT ${COLUMNS} FROM webhook_delivery
    WHERE state = 'retrying' AND webhook_id = $1 AND ${condition} AND event_type = ANY($5::text[]) LIMIT $4) AS part`;

/** The retries of some types of events ($5) that are due: before `$2`, or after `$3`, which no retry is planned for. */
export const findDue = statement<DeliveryRow>(
  'webhook_delivery_due',
  `${DUE('due_at_ms <= $2')} UNION ALL ${DUE('due_at_ms > $3')} ORDER BY position LIMIT $4`,
);

/** The next queued deliveries. `is_blocked`: an earlier one of the same ordering key has not ended. */
export const findQueued = statement<DeliveryRow & { is_blocked: number }>(
  'webhook_delivery_queued',
  `SELECT ${COLUMNS}, CASE WHEN EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.webhook_id = webhook_delivery.webhook_id
     AND d.ordering_key = webhook_delivery.ordering_key AND d.${UNFINISHED} AND d.position < webhook_delivery.position) THEN 1 ELSE 0 END AS is_blocked
   FROM webhook_delivery WHERE state = 'queued' AND webhook_id = $1 ORDER BY position LIMIT $2`,
);

export const findClaimed = statement<{ position: number }>(
  'webhook_delivery_claimed',
  "SELECT position FROM webhook_delivery WHERE state = 'claimed' AND webhook_id = $1 LIMIT 1",
);

const UPDATE = (change: string) => `UPDATE webhook_delivery SET ${change} WHERE position = ANY($1::bigint[])`;

export const claim = statement('webhook_delivery_claim', UPDATE("state = 'claimed', claimed_by = $2, due_at_ms = NULL"));

export const hold = statement('webhook_delivery_hold', UPDATE("state = 'held'"));

const OF_KEY = (column: string, index: number) => `(SELECT d.${column} FROM webhook_delivery d
    WHERE d.webhook_id = k.webhook_id AND d.ordering_key = k.ordering_key AND d.${UNFINISHED} ORDER BY d.position LIMIT 1 OFFSET ${index})`;

/**
 * Lets the next deliveries of a JSON array of keys be looked at, as many of each as one claim takes, if no earlier one remains. `coalesce` keeps
 * SQLite from reading all held deliveries by their state.
 */
export const unhold = statement(
  'webhook_delivery_unhold',
  onEach(
    (rows) => `UPDATE webhook_delivery SET state = 'queued' WHERE coalesce(state, '') = 'held' AND position IN (
  SELECT d.position FROM (
    SELECT k.webhook_id, k.ordering_key, ${OF_KEY('state', 0)} AS first_state, ${OF_KEY('position', MAX_CLAIMED_OF_WEBHOOK - 1)} AS last
    FROM (SELECT value ->> 'webhook_id' AS webhook_id, value ->> 'ordering_key' AS ordering_key FROM ${rows}) AS k
  ) AS k JOIN webhook_delivery d ON d.webhook_id = k.webhook_id AND d.ordering_key = k.ordering_key AND d.${UNFINISHED}
  WHERE k.first_state = 'held' AND d.position <= coalesce(k.last, d.position))`,
  ),
);

const NUMBER = (column: string) => `CAST(value ->> '${column}' AS bigint)`;

/** Stores what an attempt, or giving up a claim, changes in a JSON array of rows. Changes nothing where another instance has taken over. */
export const storeOutcomes = statement(
  'webhook_delivery_store',
  onEach(
    (rows) => `UPDATE webhook_delivery SET claimed_by = NULL, state = value ->> 'state', log = value ->> 'log',
    due_at_ms = ${NUMBER('due_at_ms')}, first_attempt_ms = ${NUMBER('first_attempt_ms')}, ended_at_ms = ${NUMBER('ended_at_ms')},
    attempts = ${NUMBER('attempts')}
  FROM ${rows} WHERE position = ${NUMBER('position')} AND claimed_by = $2`,
  ),
);

/* The webhooks of these deliveries. */

const ACTIVE = `SELECT ${WEBHOOK_COLUMNS} FROM webhook WHERE id = ANY($1::text[]) AND status = 'active' AND key_id = $2 ORDER BY id`;

/** The webhooks of a list ($1) to which an instance with the key `$2` delivers. */
export const findActive = statement<WebhookRow>('webhook_find_active', ACTIVE);

/** The same, locked, without those that another transaction has locked. */
export const lockActive = statement<WebhookRow>('webhook_lock_active', `${ACTIVE} FOR NO KEY UPDATE SKIP LOCKED`);

/** Locks webhooks in the order of their ids, so that no two transactions wait for each other. */
export const lockMany = statement('webhook_lock_many', 'SELECT id FROM webhook WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE');

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
