import { type Static, Type } from 'typebox';
import { EVENT_NAMES, EVENT_TYPES, type EventType } from '../../core/journal/event-types.ts';
import { EXAMPLE } from '../../http/openapi/example-values.ts';
import { nullable, oneOf } from '../../http/responses/response-types.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import { attemptsOf, DELIVERY_STATES, deliveryId, eventIdOf, stateOf } from './delivery.ts';
import type { WebhookRow } from './webhooks.sql.ts';

/** A webhook without its secret. */
export const WebhookObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the webhook, `whk_…`', examples: [EXAMPLE.webhook] }),
    created_at: Type.Integer({ description: 'Unix seconds', examples: [EXAMPLE.now] }),
    updated_at: Type.Integer({ description: 'Unix seconds', examples: [EXAMPLE.now] }),
    url: Type.String({ description: 'Where events are sent', examples: ['https://shop.example/satchel'] }),
    event_types: nullable(Type.Array(Type.String(), { description: 'The names of the events that are sent; null: all', examples: [null] })),
    wallet_id: nullable(Type.String({ description: 'Only events of this wallet are sent; null: all of the account' })),
    user_label: Type.String({ description: 'The label that the caller gave the webhook', examples: ['shop'] }),
    status: oneOf(['active', 'paused', 'disabled'], { description: '`disabled`: by the service, see `disabled_reason`' }),
    disabled_reason: nullable(
      oneOf(['failing', 'gone'], {
        description: '`failing`: nothing was delivered for three days. `gone`: the receiver responded 410. Null unless disabled',
        examples: [null],
      }),
    ),
    last_success_at: nullable(Type.Integer({ description: 'The last delivery, in Unix seconds; null: none' })),
    failing_since: nullable(Type.Integer({ description: 'The first failed attempt after it, in Unix seconds; null: none' })),
    consecutive_failures: Type.Integer({ description: 'The failed attempts after it', examples: [0] }),
  },
  { title: 'Webhook' },
);

export const WebhookHealthObject = Type.Object(
  {
    ...WebhookObject.properties,
    waiting: Type.Integer({ description: 'The number of events that were not delivered yet, at most 10000', examples: [0] }),
  },
  { title: 'WebhookHealth' },
);

export const NewWebhookObject = Type.Object(
  {
    ...WebhookObject.properties,
    secret: Type.String({
      description: 'The signing secret, `whsec_…`. Only this response contains it: the service stores it encrypted',
      examples: ['whsec_…'],
    }),
  },
  { title: 'NewWebhook' },
);

export const DeliveryObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the delivery, `whd_…`', examples: [EXAMPLE.delivery] }),
    created_at: Type.Integer({ description: 'Unix seconds', examples: [EXAMPLE.now] }),
    webhook_id: Type.String({ description: 'The id of the webhook', examples: [EXAMPLE.webhook] }),
    event_id: Type.String({ description: 'The id of the event, which is the header `webhook-id`', examples: [EXAMPLE.event] }),
    event_name: oneOf(EVENT_NAMES, { description: 'What happened', examples: ['wallet_receive'] }),
    wallet_id: nullable(Type.String({ description: 'The wallet of the event; null if it concerns none', examples: [EXAMPLE.wallet] })),
    status: oneOf(DELIVERY_STATES, {
      description:
        '`queued`: not sent yet. `retrying`: an attempt failed. `delivered`. `dead`: failed for good. `cancelled`: the event expired first',
      examples: ['delivered'],
    }),
    attempts: Type.Integer({ description: 'The number of attempts', examples: [1] }),
    next_attempt_at: nullable(
      Type.Integer({ description: 'Unix seconds; null while it is sent or waits for an earlier event of the wallet, and after its end' }),
    ),
    ended_at: nullable(Type.Integer({ description: 'Unix seconds; null before the end', examples: [EXAMPLE.now] })),
    log: Type.Array(
      Type.Object({
        at: Type.Integer({ description: 'Unix seconds', examples: [EXAMPLE.now] }),
        duration_ms: Type.Integer({ description: 'How long the attempt took', examples: [84] }),
        status_code: nullable(Type.Integer({ description: 'The status of the response; null without one', examples: [200] })),
        error: nullable(Type.String({ description: 'Why the attempt failed; null if it did not' })),
        response: Type.String({ description: 'The first 1024 bytes of the body of the response', examples: ['ok'] }),
      }),
      { description: 'The last 20 attempts, oldest first' },
    ),
  },
  { title: 'Delivery' },
);

export const ReplayObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the replay, `whr_…`', examples: ['whr_0Vbb7c6N00kV7qSzNw6uX3'] }),
    webhook_id: Type.String({ description: 'The id of the webhook', examples: [EXAMPLE.webhook] }),
  },
  { title: 'Replay' },
);

export function renderWebhook(row: WebhookRow): Static<typeof WebhookObject> {
  const { id, created_at, updated_at, url, wallet_id, user_label, last_success_at, failing_since } = row;
  return {
    id,
    created_at,
    updated_at,
    url,
    event_types: row.event_types?.split(' ') ?? null,
    wallet_id,
    user_label,
    status: row.status as Static<typeof WebhookObject>['status'],
    disabled_reason: row.disabled_reason as 'failing' | 'gone' | null,
    last_success_at,
    failing_since,
    consecutive_failures: row.failures,
  };
}

export function renderDelivery(row: DeliveryRow): Static<typeof DeliveryObject> {
  return {
    id: deliveryId(row),
    created_at: seconds(row.created_at_ms),
    webhook_id: row.webhook_id,
    event_id: eventIdOf(row),
    event_name: row.event_type as EventType,
    wallet_id: row.wallet_id,
    status: stateOf(row),
    attempts: row.attempts,
    next_attempt_at: row.due_at_ms === null ? null : seconds(row.due_at_ms),
    ended_at: row.ended_at_ms === null ? null : seconds(row.ended_at_ms),
    log: attemptsOf(row).map(({ atMs, durationMs, status, error, response }) => ({
      at: seconds(atMs),
      duration_ms: durationMs,
      status_code: status,
      error,
      response,
    })),
  };
}

/** Returns the event of a test, which is not in the log. */
export function renderTestEvent(row: DeliveryRow): object {
  const { category, displayName } = EVENT_TYPES.webhook_test;
  return {
    id: eventIdOf(row),
    created_at: seconds(row.event_created_at_ms),
    event: { type: category, name: 'webhook_test', display_name: displayName },
    data: { webhook_id: row.webhook_id },
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}
