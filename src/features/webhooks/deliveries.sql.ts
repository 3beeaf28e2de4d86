import { statement } from '../../core/db/statement.ts';

export type DeliveryRow = {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  wallet_id: string | null;
  /** The invoice or payment of the event. */
  lntx: string | null;
  lane: string;
  state: string;
  created_at_ms: number;
  due_at_ms: number | null;
  first_attempt_ms: number | null;
  ended_at_ms: number | null;
  attempts: number;
  log: string | null;
};

const TYPES = {
  id: 'text',
  webhook_id: 'text',
  event_id: 'text',
  event_type: 'text',
  wallet_id: 'text',
  lntx: 'text',
  lane: 'text',
  state: 'text',
  created_at_ms: 'bigint',
  due_at_ms: 'bigint',
  first_attempt_ms: 'bigint',
  ended_at_ms: 'bigint',
  attempts: 'bigint',
  log: 'text',
} as const satisfies Record<keyof DeliveryRow, string>;

const NAMES = Object.keys(TYPES);
const COLUMNS = NAMES.join(', ');

/** The rows of a JSON array, `$1`: any number of rows in one parameter. */
const ROWS = {
  sqlite: `SELECT ${NAMES.map((name) => `json_extract(value, '$.${name}') AS ${name}`).join(', ')} FROM json_each($1)`,
  postgres: `SELECT ${COLUMNS} FROM json_to_recordset($1::json) AS given(${Object.entries(TYPES)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')})`,
};

const INSERT = (rows: string) => `INSERT INTO webhook_delivery (${COLUMNS}) ${rows} WHERE true ON CONFLICT DO NOTHING`;

/** Inserts the rows that do not exist. */
export const insertDeliveries = statement('webhook_delivery_insert', { sqlite: INSERT(ROWS.sqlite), postgres: INSERT(ROWS.postgres) });

const UPDATE = (rows: string) => `UPDATE webhook_delivery SET state = given.state, due_at_ms = given.due_at_ms,
    first_attempt_ms = given.first_attempt_ms, ended_at_ms = given.ended_at_ms, attempts = given.attempts, log = given.log
  FROM (${rows}) AS given WHERE webhook_delivery.id = given.id AND webhook_delivery.ended_at_ms IS NULL`;

/** Stores the attempts of deliveries that have not ended. */
export const updateDeliveries = statement('webhook_delivery_update', { sqlite: UPDATE(ROWS.sqlite), postgres: UPDATE(ROWS.postgres) });

export const findDelivery = statement<DeliveryRow>(
  'webhook_delivery_find',
  `SELECT ${COLUMNS} FROM webhook_delivery WHERE id = $1 AND webhook_id = $2`,
);

/** Deliveries before the one with the id `$2`, newest first; all if it is empty. */
export const listDeliveries = statement<DeliveryRow>(
  'webhook_delivery_list',
  `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook_id = $1
     AND position < coalesce((SELECT position FROM webhook_delivery WHERE id = $2), 9007199254740991) ORDER BY position DESC LIMIT $3`,
);

export const listDeliveriesInState = statement<DeliveryRow>(
  'webhook_delivery_list_in_state',
  `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook_id = $1 AND state = $4
     AND position < coalesce((SELECT position FROM webhook_delivery WHERE id = $2), 9007199254740991) ORDER BY position DESC LIMIT $3`,
);

const OF_LIGHTNING = `FROM webhook_delivery WHERE lntx = $1
     AND webhook_id IN (SELECT webhook.id FROM webhook WHERE webhook.account_id = $2 AND webhook.status <> 'deleted')`;

/** Deliveries of the events of an invoice or a payment, before the one with the id `$3`, newest first; all if it is empty. */
export const listDeliveriesOfLightning = statement<DeliveryRow>(
  'webhook_delivery_list_of_lightning',
  `SELECT ${COLUMNS} ${OF_LIGHTNING}
     AND position < coalesce((SELECT position FROM webhook_delivery WHERE id = $3), 9007199254740991) ORDER BY position DESC LIMIT $4`,
);

export const findDeliveryOfLightning = statement<{ id: string }>(
  'webhook_delivery_find_of_lightning',
  `SELECT id ${OF_LIGHTNING} AND id = $3`,
);

/** The lanes of a webhook with deliveries that wait. `due_at_ms` is that of the first one; null if it may be sent at once. */
export const waitingLanes = statement<{ lane: string; due_at_ms: number | null; n: number }>(
  'webhook_delivery_waiting_lanes',
  `SELECT lane, max(due_at_ms) AS due_at_ms, count(*) AS n FROM webhook_delivery WHERE webhook_id = $1 AND ended_at_ms IS NULL GROUP BY lane`,
);

/**
 * Waiting lanes of single deliveries: tests and redeliveries, which any instance may have inserted. The newest ones, because earlier reads have
 * returned the others.
 */
export const singleLanes = statement<{ webhook_id: string; lane: string; due_at_ms: number | null }>('webhook_delivery_single_lanes', {
  sqlite: `SELECT webhook_id, lane, due_at_ms FROM webhook_delivery WHERE webhook_id IN (SELECT value FROM json_each($1))
    AND ended_at_ms IS NULL AND lane >= 'whd_' AND lane < 'whd~' ORDER BY position DESC LIMIT 1000`,
  postgres: `SELECT webhook_id, lane, due_at_ms FROM webhook_delivery WHERE webhook_id = ANY($1::text[])
    AND ended_at_ms IS NULL AND lane >= 'whd_' AND lane < 'whd~' ORDER BY position DESC LIMIT 1000`,
});

/** The first waiting deliveries of a lane. */
export const firstOfLane = statement<DeliveryRow>(
  'webhook_delivery_first_of_lane',
  `SELECT ${COLUMNS} FROM webhook_delivery WHERE webhook_id = $1 AND lane = $2 AND ended_at_ms IS NULL ORDER BY event_id LIMIT $3`,
);

/** The events after a place whose delivery has a row; without single deliveries and replays, whose lanes begin with `wh`. */
export const knownEvents = statement<{ event_id: string }>(
  'webhook_delivery_known_events',
  `SELECT event_id FROM webhook_delivery WHERE webhook_id = $1 AND event_id >= $2 AND (lane < 'wh' OR lane >= 'wi') LIMIT $3`,
);

/** Makes all waiting deliveries due that have an attempt later than `$2`. */
export const makeDue = statement(
  'webhook_delivery_make_due',
  'UPDATE webhook_delivery SET due_at_ms = $2 WHERE webhook_id = $1 AND ended_at_ms IS NULL AND due_at_ms > $2',
);

/** The same when a webhook is resumed: the time of retries begins again. */
export const restartRetries = statement(
  'webhook_delivery_restart',
  `UPDATE webhook_delivery SET due_at_ms = $2, first_attempt_ms = NULL
   WHERE webhook_id = $1 AND ended_at_ms IS NULL AND due_at_ms IS NOT NULL`,
);

/** The number of waiting deliveries of a webhook, at most `$2`. */
export const countWaiting = statement<{ n: number }>(
  'webhook_delivery_count_waiting',
  'SELECT count(*) AS n FROM (SELECT 1 FROM webhook_delivery WHERE webhook_id = $1 AND ended_at_ms IS NULL LIMIT $2) AS waiting',
);

/** The same of all webhooks. */
export const countAllWaiting = statement<{ n: number }>(
  'webhook_delivery_count_all_waiting',
  'SELECT count(*) AS n FROM (SELECT 1 FROM webhook_delivery WHERE ended_at_ms IS NULL LIMIT $1) AS waiting',
);

export const oldestWaiting = statement<{ created_at_ms: number }>(
  'webhook_delivery_oldest_waiting',
  'SELECT created_at_ms FROM webhook_delivery WHERE ended_at_ms IS NULL ORDER BY position LIMIT 1',
);

/** Deletes some deliveries of a webhook. */
export const deleteSome = statement(
  'webhook_delivery_delete_some',
  'DELETE FROM webhook_delivery WHERE position IN (SELECT position FROM webhook_delivery WHERE webhook_id = $1 ORDER BY position LIMIT $2)',
);

/* Retention. Deliveries that wait are kept. */

export const newestPosition = statement<{ position: number | null }>(
  'webhook_delivery_newest_position',
  'SELECT max(position) AS position FROM webhook_delivery',
);

export const oldestPosition = statement<{ position: number | null }>(
  'webhook_delivery_oldest_position',
  'SELECT position FROM webhook_delivery WHERE ended_at_ms IS NOT NULL ORDER BY position LIMIT 1',
);

export const deleteBelow = statement(
  'webhook_delivery_delete_below',
  'DELETE FROM webhook_delivery WHERE position < $1 AND ended_at_ms IS NOT NULL',
);
