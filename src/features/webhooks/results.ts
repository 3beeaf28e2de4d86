import type { Tx } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import * as deliveries from './deliveries.sql.ts';
import { attemptsOf, type DeliveryAttempt, isTest } from './delivery.ts';
import { isDown, nextAttemptMs, RETRY_SECONDS } from './retry.ts';
import type { WebhookRow } from './webhooks.sql.ts';
import * as sql from './webhooks.sql.ts';
import type { WebhookDependencies } from './webhooks.ts';

/** How many attempts of one delivery are kept. */
const KEPT_ATTEMPTS = 20;
/** HTTP 410 Gone: the receiver wants nothing more. */
const GONE = 410;

/** An attempt, and the webhook before it. */
interface Attempted {
  readonly webhook: WebhookRow;
  readonly isTest: boolean;
  readonly isFailure: boolean;
  readonly isGone: boolean;
  /** Unix seconds. */
  readonly at: number;
}

/** Results of deliveries that are not stored yet. */
export class Results {
  /** The rows as they will be. */
  readonly #rows: DeliveryRow[] = [];
  readonly #attempts: Attempted[] = [];
  /** The ordering keys whose last claimed delivery has ended. */
  readonly #ended: Pick<DeliveryRow, 'webhook_id' | 'ordering_key'>[] = [];

  get count(): number {
    return this.#rows.length;
  }

  get positions(): number[] {
    return this.#rows.map(({ position }) => position);
  }

  /** The webhooks that were down, and have accepted a delivery. */
  get recovered(): string[] {
    return this.#attempts.filter(({ webhook, isFailure }) => !isFailure && isDown(webhook)).map(({ webhook }) => webhook.id);
  }

  /** Records an attempt. @returns the row after it */
  record(webhook: WebhookRow, row: DeliveryRow, attempt: DeliveryAttempt, clock: Clock): DeliveryRow {
    const after = rowAfterAttempt(webhook, row, attempt, clock.nowMs());
    this.put(after);
    const [isFailure, isGone] = [attempt.error !== null, attempt.status === GONE];
    this.#attempts.push({ webhook, isTest: isTest(row), isFailure, isGone, at: unixSeconds(clock) });
    return after;
  }

  /** Records a state that is not the result of an attempt: `queued` or `held` for a claim that is given up, `cancelled` for an expired event. */
  put(row: DeliveryRow): void {
    this.#rows.push(row);
  }

  /** Records that this instance has no further delivery of an ordering key. */
  end({ webhook_id, ordering_key }: DeliveryRow): void {
    this.#ended.push({ webhook_id, ordering_key });
  }

  /** Adds earlier results, which could not be stored. */
  addEarlier(earlier: Results): void {
    this.#rows.unshift(...earlier.#rows);
    this.#attempts.unshift(...earlier.#attempts);
    this.#ended.unshift(...earlier.#ended);
  }

  /**
   * Writes the results. Locks the webhooks first: ending a delivery and claiming later ones of its key exclude each other.
   * @returns whether a webhook was disabled
   */
  async store(tx: Tx, { instances, alerts, clock }: Pick<WebhookDependencies, 'instances' | 'alerts' | 'clock'>): Promise<boolean> {
    if (this.count === 0) return false;
    await tx.all(sql.lockMany, [...new Set(this.#rows.map(({ webhook_id }) => webhook_id))]);
    await tx.run(deliveries.storeOutcomes, JSON.stringify(this.#rows, deliveries.OUTCOME_COLUMNS), instances.id);
    const held = this.#ended.length === 0 ? [] : await tx.all(deliveries.findHeldKeys, JSON.stringify(this.#ended));
    for (const { webhook_id, ordering_key } of held) await tx.send(deliveries.unhold, webhook_id, ordering_key);
    let isDisabled = false;
    for (const [id, attempts] of Map.groupBy(this.#attempts, ({ webhook }) => webhook.id)) {
      const failures = attempts.slice(attempts.findLastIndex(({ isFailure }) => !isFailure) + 1).filter((attempt) => !attempt.isTest);
      const lastSuccess = attempts.findLast(({ isFailure }) => !isFailure);
      await tx.send(sql.storeHealth, id, lastSuccess?.at ?? null, failures.length, failures[0]?.at ?? null);
      const isGone = attempts.some((attempt) => attempt.isGone);
      if (failures.length === 0 && !isGone) continue;
      const [reason, since] = [isGone ? 'gone' : 'failing', (failures.at(-1)?.at ?? 0) - RETRY_SECONDS] as const;
      if ((await tx.run(sql.disableWebhook, id, reason, unixSeconds(clock), since)) === 0) continue;
      isDisabled = true;
      const message = alertText(attempts[0]?.webhook.url ?? '', reason);
      await writeRows(tx, alerts.rowsOf({ kind: 'webhook_disabled', subject: id, message }));
    }
    return isDisabled;
  }
}

/** Returns the row after an attempt. A test is sent once. */
function rowAfterAttempt({ active_since }: WebhookRow, row: DeliveryRow, attempt: DeliveryAttempt, nowMs: number): DeliveryRow {
  const attempts = row.attempts + 1;
  const log = JSON.stringify([...attemptsOf(row), attempt].slice(-KEPT_ATTEMPTS));
  const first_attempt_ms = row.first_attempt_ms ?? attempt.atMs;
  const common = { ...row, attempts, log, first_attempt_ms, due_at_ms: null };
  if (attempt.error === null) return { ...common, state: 'delivered', ended_at_ms: nowMs };
  const isFinal = attempt.status === GONE || isTest(row);
  const next = isFinal ? undefined : nextAttemptMs(Math.max(first_attempt_ms, active_since * 1000), nowMs, attempts);
  if (next === undefined) return { ...common, state: 'dead', ended_at_ms: nowMs };
  return { ...common, state: 'retrying', due_at_ms: next };
}

/** The path and the query of the URL may contain secrets. */
function alertText(url: string, reason: 'gone' | 'failing'): string {
  const { host } = new URL(url);
  return reason === 'gone' ? `${host} responded 410 Gone.` : `Nothing was delivered to ${host} for three days.`;
}
