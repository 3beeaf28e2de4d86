import { newId } from '../../core/kernel/ids.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import type { PlacedEvent } from './log-place.ts';
import { nextAttemptMs } from './retry.ts';
import type { DeliveryAttempt, Webhook } from './webhook.ts';

/** How many attempts of one delivery are kept. */
const KEPT_ATTEMPTS = 20;

/** Returns the row of a delivery that waits. `lane`: by default that of the event's wallet. */
export function firstRow(
  webhookId: string,
  event: Pick<PlacedEvent, 'id' | 'type' | 'walletId' | 'lightningId'>,
  nowMs: number,
  lane?: string,
): DeliveryRow {
  return {
    id: `whd_${newId(nowMs)}`,
    webhook_id: webhookId,
    event_id: event.id,
    event_type: event.type,
    wallet_id: event.walletId ?? null,
    lntx: event.lightningId ?? null,
    lane: lane ?? event.walletId ?? '',
    state: 'queued',
    created_at_ms: nowMs,
    due_at_ms: null,
    first_attempt_ms: null,
    ended_at_ms: null,
    attempts: 0,
    log: null,
  };
}

export function rowWith(row: DeliveryRow, changes: Partial<DeliveryRow>): DeliveryRow {
  return { ...row, ...changes };
}

/** Returns the row after an attempt. `isFinal`: there is no further one. A test is sent once. */
export function rowAfterAttempt(row: DeliveryRow, attempt: DeliveryAttempt, nowMs: number, isFinal: boolean): DeliveryRow {
  const attempts = row.attempts + 1;
  const earlier: DeliveryAttempt[] = row.log === null ? [] : JSON.parse(row.log);
  const log = JSON.stringify([...earlier, attempt].slice(-KEPT_ATTEMPTS));
  const first_attempt_ms = row.first_attempt_ms ?? attempt.atMs;
  const common = { ...row, attempts, log, first_attempt_ms };
  if (attempt.error === null) return { ...common, state: 'delivered', due_at_ms: null, ended_at_ms: nowMs };
  const next = isFinal || row.event_type === 'webhook_test' ? undefined : nextAttemptMs(first_attempt_ms, nowMs, attempts);
  if (next === undefined) return { ...common, state: 'dead', due_at_ms: null, ended_at_ms: nowMs };
  return { ...common, state: 'retrying', due_at_ms: next };
}

/** The event of a test is not in the log. */
export function testEvent(webhook: Webhook, row: DeliveryRow): PlacedEvent {
  return {
    id: row.event_id,
    position: 0,
    place: { position: 0, rank: 0 },
    createdAtMs: row.created_at_ms,
    type: 'webhook_test',
    accountId: webhook.accountId,
    walletId: undefined,
    subject: webhook.id,
    lightningId: undefined,
    data: { webhook_id: webhook.id },
  };
}
