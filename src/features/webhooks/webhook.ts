import { type EventType, isEventType } from '../../core/journal/event-types.ts';
import type { LogPlace, PlacedEvent } from './log-place.ts';
import type { StoredSecret } from './secrets.ts';
import type { DeliveryRow, WebhookRow } from './webhooks.sql.ts';

export type WebhookStatus = 'active' | 'paused' | 'disabled';

/** Why the service disabled a webhook: nothing was delivered for three days, or the receiver responded 410. */
export type DisabledReason = 'failing' | 'gone';

/** An endpoint of an account. Times are Unix seconds. */
export interface Webhook {
  readonly id: string;
  readonly accountId: string;
  /** Only events of this wallet; undefined: all of the account. */
  readonly walletId: string | undefined;
  /** Its path and query may contain secrets of the receiver. */
  readonly url: string;
  /** Undefined: all. */
  readonly eventTypes: readonly EventType[] | undefined;
  readonly userLabel: string;
  readonly status: WebhookStatus | 'deleted';
  readonly disabledReason: DisabledReason | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Newest first. */
  readonly secrets: readonly StoredSecret[];
  readonly cursor: LogPlace;
  readonly lastSuccessAt: number | undefined;
  readonly failingSince: number | undefined;
  /** Failed attempts after the last success. */
  readonly failures: number;
}

export const DELIVERY_STATES = ['queued', 'retrying', 'delivered', 'dead', 'cancelled'] as const;

export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One request to the receiver. */
export interface DeliveryAttempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** The HTTP status; null without a response. */
  readonly status: number | null;
  /** Why it failed; null for a success. */
  readonly error: string | null;
  /** The start of the body of the response. */
  readonly response: string;
}

/** The delivery of one event to one endpoint. */
export interface Delivery {
  readonly id: string;
  readonly webhookId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly walletId: string | undefined;
  readonly state: DeliveryState;
  readonly createdAtMs: number;
  readonly nextAttemptMs: number | undefined;
  readonly endedAtMs: number | undefined;
  readonly attempts: number;
  /** The last attempts, oldest first. */
  readonly log: readonly DeliveryAttempt[];
}

/** Returns whether an event of the account is sent to the webhook. */
export function isWanted({ walletId, eventTypes }: Webhook, event: Pick<PlacedEvent, 'walletId' | 'type'>): boolean {
  return (walletId === undefined || event.walletId === walletId) && (!eventTypes || eventTypes.includes(event.type));
}

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    accountId: row.account_id,
    walletId: row.wallet_id ?? undefined,
    url: row.url,
    // A newer version may have stored types that this version does not know.
    eventTypes: row.event_types?.split(' ').filter(isEventType),
    userLabel: row.user_label,
    status: row.status as Webhook['status'],
    disabledReason: (row.disabled_reason as DisabledReason | null) ?? undefined,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    secrets: JSON.parse(row.secrets),
    cursor: { position: row.position, rank: row.rank },
    lastSuccessAt: row.last_success_at ?? undefined,
    failingSince: row.failing_since ?? undefined,
    failures: row.failures,
  };
}

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    eventType: row.event_type as EventType,
    walletId: row.wallet_id ?? undefined,
    state: row.state as DeliveryState,
    createdAtMs: row.created_at_ms,
    nextAttemptMs: row.due_at_ms ?? undefined,
    endedAtMs: row.ended_at_ms ?? undefined,
    attempts: row.attempts,
    log: row.log === null ? [] : JSON.parse(row.log),
  };
}
