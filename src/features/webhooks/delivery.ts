import { eventId } from '../../core/journal/event-log.ts';
import { decodeBase62, encodeBase62 } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { DeliveryRow } from './deliveries.sql.ts';

export const DELIVERY_STATES = ['queued', 'retrying', 'delivered', 'dead', 'cancelled'] as const;

/** The state of a delivery in the API. */
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** One request to the receiver, as it is stored. */
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

const WIDTH = 8;

/** Returns the id of a delivery: its position, and its time, because positions of a database that was restored are taken again. */
export function deliveryId({ position, created_at_ms }: Pick<DeliveryRow, 'position' | 'created_at_ms'>): string {
  return `whd_${encodeBase62(position, WIDTH)}${encodeBase62(created_at_ms, WIDTH)}`;
}

/** Returns the position and the time in the id of a delivery. @throws Refusal if it is malformed */
export function parseDeliveryId(id: string, onMalformed: () => Refusal = malformedCursor): [position: number, createdAtMs: number] {
  if (!/^whd_[0-9A-Za-z]{16}$/.test(id)) throw onMalformed();
  return [decodeBase62(id.slice(4, 4 + WIDTH)), decodeBase62(id.slice(4 + WIDTH))];
}

function malformedCursor(): Refusal {
  return new Refusal('validation_failed', '`after` must be the id of an item of this list, `whd_…`.');
}

/** The event of a test is not in the log. */
export function isTest({ event_type }: DeliveryRow): boolean {
  return event_type === 'webhook_test';
}
