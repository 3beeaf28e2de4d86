import { type Static, Type } from 'typebox';
import { parsePositionId, positionId } from '../../core/journal/event-log.ts';
import { EVENT_NAMES, EVENT_TYPES, type EventType } from '../../core/journal/event-types.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import { attemptsOf, eventIdOf } from './deliveries.ts';
import type { WebhookRow } from './webhooks.sql.ts';

export const DELIVERY_STATES = ['queued', 'retrying', 'delivered', 'dead', 'cancelled'] as const;

/** The state of a delivery in the API. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** A webhook without its secret. */
export const WebhookObject = namedObject('Webhook', {
  id: Type.String({ description: 'The id of the webhook, `whk_…`' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  updated_at: Type.Integer({ description: 'Unix seconds' }),
  url: Type.String({ description: 'Where events are sent' }),
  event_types: nullable(Type.Array(Type.String(), { description: 'The names of the events that are sent; null: all' })),
  wallet_id: nullable(Type.String({ description: 'Only events of this wallet are sent; null: all of the account' })),
  user_label: Type.String({ description: 'The label that the caller gave the webhook' }),
  status: oneOf(['active', 'paused', 'disabled'], { description: '`disabled`: by the service, see `disabled_reason`' }),
  disabled_reason: nullable(
    oneOf(['failing', 'gone'], {
      description: '`failing`: nothing was delivered for three days. `gone`: the receiver responded 410. Null unless disabled',
    }),
  ),
  last_success_at: nullable(Type.Integer({ description: 'The last delivery, in Unix seconds; null: none' })),
  failing_since: nullable(Type.Integer({ description: 'The first failed attempt after it, in Unix seconds; null: none' })),
  consecutive_failures: Type.Integer({ description: 'The failed attempts after it' }),
});

export const WebhookHealthObject = namedObject('WebhookHealth', {
  ...WebhookObject.properties,
  waiting: Type.Integer({ description: 'The number of events that were not delivered yet, at most 10000' }),
});

export const NewWebhookObject = namedObject('NewWebhook', {
  ...WebhookObject.properties,
  secret: Type.String({
    description: 'The signing secret, `whsec_…`. Only this response contains it: the service stores it encrypted',
  }),
});

export const DeliveryObject = namedObject('Delivery', {
  id: Type.String({ description: 'The id of the delivery, `whd_…`' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  webhook_id: Type.String({ description: 'The id of the webhook' }),
  event_id: Type.String({ description: 'The id of the event, which is the header `webhook-id`' }),
  event_name: oneOf(EVENT_NAMES, { description: 'What happened' }),
  wallet_id: nullable(Type.String({ description: 'The wallet of the event; null if it concerns none' })),
  status: oneOf(DELIVERY_STATES, {
    description:
      '`queued`: not sent yet. `retrying`: an attempt failed. `delivered`. `dead`: failed for good. `cancelled`: the event expired first',
  }),
  attempts: Type.Integer({ description: 'The number of attempts' }),
  next_attempt_at: nullable(
    Type.Integer({ description: 'Unix seconds; null while it is sent or waits for an earlier event of the wallet, and after its end' }),
  ),
  waits_for_earlier: Type.Boolean({
    description: 'Whether it is held back until earlier deliveries of the same wallet have ended. False while it is being sent',
  }),
  ended_at: nullable(Type.Integer({ description: 'Unix seconds; null before the end' })),
  log: Type.Array(
    Type.Object({
      at: Type.Integer({ description: 'Unix seconds' }),
      duration_ms: Type.Integer({ description: 'How long the attempt took' }),
      status_code: nullable(Type.Integer({ description: 'The status of the response; null without one' })),
      error: nullable(Type.String({ description: 'Why the attempt failed; null if it did not' })),
      response: Type.String({ description: 'The first 1024 bytes of the body of the response' }),
    }),
    { description: 'The last 20 attempts, oldest first' },
  ),
});

/** One request to the receiver, as it is stored, too. */
export type DeliveryAttempt = Static<typeof DeliveryObject>['log'][number];

export const ReplayObject = namedObject('Replay', {
  id: Type.String({ description: 'The id of the replay, `whr_…`' }),
  webhook_id: Type.String({ description: 'The id of the webhook' }),
});

/** The response schema drops the other columns; the sealed secrets are left out here, too. */
export function renderWebhook({ secrets: _sealed, event_types, failures, ...row }: WebhookRow): Static<typeof WebhookObject> {
  return { ...row, event_types: event_types?.split(' ') ?? null, consecutive_failures: failures };
}

/** Returns the id of a delivery. It has the time, too, because positions of a database that was restored are taken again. */
export function deliveryId({ position, created_at_ms }: DeliveryRow): string {
  return positionId('whd', position, created_at_ms);
}

/** Returns the position and the time in the id of a delivery; undefined if it is malformed. */
export function parseDeliveryId(id: string) {
  return parsePositionId('whd', id);
}

/** A delivery that waits is queued before its first attempt, and then retrying. */
export function stateOf({ ended_at_ms, attempts, state }: DeliveryRow): DeliveryState {
  if (ended_at_ms !== null) return state as DeliveryState;
  return attempts === 0 ? 'queued' : 'retrying';
}

export function renderDelivery(row: DeliveryRow): Static<typeof DeliveryObject> {
  return {
    ...row,
    id: deliveryId(row),
    created_at: seconds(row.created_at_ms),
    event_id: eventIdOf(row),
    event_name: row.event_type as EventType,
    status: stateOf(row),
    next_attempt_at: row.due_at_ms === null ? null : seconds(row.due_at_ms),
    waits_for_earlier: row.state === 'held',
    ended_at: row.ended_at_ms === null ? null : seconds(row.ended_at_ms),
    log: attemptsOf(row),
  };
}

/** Returns the event of a test, which is not in the log. */
export function renderTestEvent(row: DeliveryRow): object {
  const { category, displayName } = EVENT_TYPES.webhook_test;
  return {
    id: eventIdOf(row),
    created_at: seconds(row.event_created_at_ms),
    type: 'webhook_test',
    event: { type: category, name: 'webhook_test', display_name: displayName },
    data: { webhook_id: row.webhook_id },
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
