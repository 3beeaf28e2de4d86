import { eventId, parsePositionId, positionId } from '../../core/journal/event-log.ts';
import type { DeliveryRow } from './deliveries.sql.ts';

export const DELIVERY_STATES = ['queued', 'retrying', 'delivered', 'dead', 'cancelled'] as const;

/** The state of a delivery in the API. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One request to the receiver, as it is stored and as the API shows it. */
export interface DeliveryAttempt {
  /** Unix seconds. */
  readonly at: number;
  readonly duration_ms: number;
  /** The HTTP status; null without a response. */
  readonly status_code: number | null;
  /** Why it failed; null for a success. */
  readonly error: string | null;
  /** The start of the body of the response. */
  readonly response: string;
}

/** Returns the id of the event of a delivery. */
export function eventIdOf({ event_position, event_created_at_ms }: DeliveryRow): string {
  return eventId(event_position, event_created_at_ms);
}

/** A delivery that waits is queued before its first attempt, and then retrying. */
export function stateOf({ ended_at_ms, attempts, state }: DeliveryRow): DeliveryState {
  if (ended_at_ms !== null) return state as DeliveryState;
  return attempts === 0 ? 'queued' : 'retrying';
}

export function attemptsOf({ log }: DeliveryRow): DeliveryAttempt[] {
  return log === null ? [] : JSON.parse(log);
}

/** Returns the id of a delivery. It has the time, too, because positions of a database that was restored are taken again. */
export function deliveryId({ position, created_at_ms }: DeliveryRow): string {
  return positionId('whd', position, created_at_ms);
}

/** Returns the position and the time in the id of a delivery; undefined if it is malformed. */
export function parseDeliveryId(id: string) {
  return parsePositionId('whd', id);
}

/** The event of a test is not in the log. */
export function isTest({ event_type }: DeliveryRow): boolean {
  return event_type === 'webhook_test';
}
