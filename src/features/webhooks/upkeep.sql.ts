import { statement } from '../../core/db/statement.ts';
import { PER_TURN } from '../../core/kernel/turns.ts';
import { COLUMNS, type DeliveryRow, INSERTED, UNFINISHED } from './deliveries.sql.ts';

/** The instances that send deliveries, and their webhooks. */
export const findClaimers = statement<{ claimed_by: string; webhook_id: string }>(
  'webhook_delivery_claimers',
  "SELECT DISTINCT claimed_by, webhook_id FROM webhook_delivery WHERE state = 'claimed'",
);

/**
 * Gives up the claims of an instance on deliveries of webhooks ($2), except those of `$3`. The webhooks are locked: otherwise a claim could
 * overlook these deliveries.
 */
export const releaseClaims = statement(
  'webhook_delivery_release',
  `UPDATE webhook_delivery SET state = 'queued', claimed_by = NULL WHERE state = 'claimed' AND claimed_by = $1
    AND webhook_id = ANY($2::text[]) AND position <> ALL($3::bigint[])`,
);

/** How many deliveries {@link makeDue} changes at most. */
export const MAX_DUE_AT_ONCE = PER_TURN.writtenRows;

/** Makes some later retries of a webhook due. */
export const makeDue = statement(
  'webhook_delivery_make_due',
  `UPDATE webhook_delivery SET due_at_ms = $2 WHERE position IN
    (SELECT position FROM webhook_delivery WHERE state = 'retrying' AND webhook_id = $1 AND due_at_ms > $2 LIMIT ${MAX_DUE_AT_ONCE})`,
);

/* Deletion. */

const ANY_STATE = "state IN ('queued', 'held', 'claimed', 'retrying', 'delivered', 'dead', 'cancelled')";

/** Deletes some deliveries of a webhook. The newest of all stays, so that SQLite never assigns a position twice. */
export const deleteDeliveries = statement(
  'webhook_delivery_delete_some',
  `DELETE FROM webhook_delivery WHERE position < (SELECT max(position) FROM webhook_delivery)
    AND position IN (SELECT position FROM webhook_delivery WHERE ${ANY_STATE} AND webhook_id = $1 LIMIT ${PER_TURN.writtenRows})`,
);

/** Deletes a webhook that has no deliveries. */
export const deleteWebhook = statement(
  'webhook_delete',
  `DELETE FROM webhook WHERE id = $1 AND status = 'deleted' AND NOT EXISTS
    (SELECT 1 FROM webhook_delivery WHERE ${ANY_STATE} AND webhook_id = $1)`,
);

/**
 * Deliveries that wait expire with their events. Those for which later ones of their key may wait remain; they are cancelled instead of sent,
 * which lets the later ones continue.
 */
export const EXPIRING = `state NOT IN ('claimed', 'retrying') AND NOT (state = 'queued' AND EXISTS (SELECT 1 FROM webhook_delivery d
  WHERE d.webhook_id = webhook_delivery.webhook_id AND d.ordering_key = webhook_delivery.ordering_key AND d.${UNFINISHED}
    AND d.position > webhook_delivery.position))`;

/* Deliveries of their own, and replays. */

/** A test or a redelivery. */
export const insertDelivery = statement<DeliveryRow>(
  'webhook_delivery_insert',
  `INSERT INTO webhook_delivery (${INSERTED}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${COLUMNS}`,
);

export const insertReplay = statement(
  'webhook_replay_insert',
  'INSERT INTO webhook_replay (id, webhook_id, created_at, position, until_position) VALUES ($1, $2, $3, $4, $5)',
);

export const countReplays = statement<{ n: number }>(
  'webhook_replay_count',
  'SELECT count(*) AS n FROM webhook_replay WHERE webhook_id = $1',
);

/**
 * The oldest replay of each active webhook to which an instance with the key `$1` delivers. In a random order, so that those that cannot continue
 * do not keep the others waiting.
 */
export const listReplays = statement<{ id: string; webhook_id: string }>(
  'webhook_replay_list',
  `SELECT min(r.id) AS id, r.webhook_id FROM webhook_replay r JOIN webhook w ON w.id = r.webhook_id
   WHERE w.status = 'active' AND w.key_id = $1 GROUP BY r.webhook_id ORDER BY random() LIMIT 100`,
);

export const findReplay = statement<{ position: number; until_position: number }>(
  'webhook_replay_find',
  'SELECT position, until_position FROM webhook_replay WHERE id = $1',
);

/** The last of the next events of an account in a range. */
export const endOfPart = statement<{ position: number | null }>(
  'webhook_replay_end_of_part',
  `SELECT max(position) AS position FROM (SELECT position FROM event WHERE account_id = $1 AND position > $2 AND position <= $3
    ORDER BY position LIMIT ${PER_TURN.writtenRows}) AS part`,
);

/** Inserts the deliveries of events in a range that a webhook wants. Those of one wallet keep their order, and do not wait for new events. */
export const insertReplayed = statement(
  'webhook_replay_deliveries',
  `INSERT INTO webhook_delivery (${INSERTED})
   SELECT w.id, e.position, e.created_at_ms, e.type, e.wallet_id, e.lntx, $2 || ' ' || coalesce(e.wallet_id, ''), $5
   FROM webhook w JOIN event e ON e.account_id = w.account_id
   WHERE w.id = $1 AND e.position > $3 AND e.position <= $4 AND (w.wallet_id IS NULL OR w.wallet_id = e.wallet_id)
     AND (w.event_types IS NULL OR ' ' || w.event_types || ' ' LIKE '% ' || e.type || ' %')
   ORDER BY e.position`,
);

export const advanceReplay = statement('webhook_replay_advance', 'UPDATE webhook_replay SET position = $2 WHERE id = $1');

export const deleteReplay = statement('webhook_replay_delete', 'DELETE FROM webhook_replay WHERE id = $1');

export const deleteReplays = statement('webhook_replay_delete_all', 'DELETE FROM webhook_replay WHERE webhook_id = $1');
