import type { Tx } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { eventId } from '../../core/journal/event-log.ts';
import { EVENT_NAMES, isEventType } from '../../core/journal/event-types.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import * as sql from './deliveries.sql.ts';
import type { DeliveryAttempt } from './webhook-object.ts';
import type { WebhookRow } from './webhooks.sql.ts';
import type { WebhookDependencies } from './webhooks.ts';

/** How many queued deliveries of a webhook are looked at. */
const LOOKED_AT = 100;

/** How long an event is tried again, and how long an endpoint without a success stays enabled. */
export const RETRY_SECONDS = 3 * 24 * 60 * 60;

/** The longest wait after the first failed attempt; it doubles with each further one. */
const FIRST_MS = 10_000;
export const LONGEST_WAIT_MS = 8 * 60 * 60 * 1000;

/** How many attempts of one delivery are kept. */
const KEPT_ATTEMPTS = 20;
/** HTTP 410 Gone: the receiver wants nothing more. */
const GONE = 410;

/** Returns the id of the event of a delivery. */
export function eventIdOf({ event_position, event_created_at_ms }: DeliveryRow): string {
  return eventId(event_position, event_created_at_ms);
}

export function attemptsOf({ log }: DeliveryRow): DeliveryAttempt[] {
  return log === null ? [] : JSON.parse(log);
}

/** The event of a test is not in the log. */
export function isTest({ event_type }: DeliveryRow): boolean {
  return event_type === 'webhook_test';
}

/** Whether an endpoint has failed so often in a row that it gets one delivery at a time. */
export function isDown({ failures }: { readonly failures: number }): boolean {
  return failures >= 5;
}

/** Deliveries that this instance sends now. Those with the same ordering key must be sent one after the other. */
export interface Claim {
  readonly webhook: WebhookRow;
  readonly rows: readonly DeliveryRow[];
  /** Whether there may be more that can be claimed. */
  readonly isPart: boolean;
}

/**
 * Claims deliveries of webhooks: retries that are due, and queued ones that wait for no earlier one of their ordering key. Queued ones that do
 * are held until that one has ended, so that each is looked at once. Webhooks that another instance is claiming from are left out, and so are
 * those whose signing secrets were sealed with another key. `limit`: the most deliveries of one webhook.
 */
export async function claimDeliveries(
  tx: Tx,
  { instances, secretBox, clock }: WebhookDependencies,
  webhookIds: readonly string[],
  limit: number,
): Promise<Claim[]> {
  if (webhookIds.length === 0) return [];
  const locked = await tx.all(sql.lockActive, webhookIds, secretBox.keyId);
  const found = await Promise.all(locked.map((webhook) => findDeliveries(tx, webhook, clock.nowMs(), limit)));
  const claimed = found.flatMap(({ rows }) => rows.map(({ position }) => position));
  const blocked = found.flatMap((one) => one.blocked.map(({ position }) => position));
  if (claimed.length > 0) await tx.run(sql.claim, claimed, instances.id);
  if (blocked.length > 0) await tx.run(sql.hold, blocked);
  return found;
}

async function findDeliveries(tx: Tx, webhook: WebhookRow, nowMs: number, limit: number): Promise<Claim & { blocked: DeliveryRow[] }> {
  const { id } = webhook;
  const most = isDown(webhook) ? 1 : limit;
  const [due, queued, sending] = await Promise.all([
    // A retry that is planned later than any wait lasts was planned before the clock was set back.
    tx.all(sql.findDue, id, nowMs, nowMs + LONGEST_WAIT_MS, most, EVENT_NAMES),
    tx.all(sql.findQueued, id, LOOKED_AT),
    isDown(webhook) ? tx.first(sql.findClaimed, id) : undefined,
  ]);
  if (sending) return { webhook, rows: [], isPart: false, blocked: [] };
  // A newer version stored events of types that this one cannot render. They are left to instances of that version, and so are later ones of their keys.
  const unknown = new Set(queued.filter(({ event_type }) => !isEventType(event_type)).map(({ ordering_key }) => ordering_key));
  const known = queued.filter(({ ordering_key }) => !unknown.has(ordering_key));
  const rows = [...due, ...known.filter(({ is_blocked }) => is_blocked === 0)].slice(0, most).map((row) => ({ ...row, due_at_ms: null }));
  const blocked = known.filter(({ is_blocked }) => is_blocked === 1);
  return { webhook, rows, isPart: queued.length === LOOKED_AT && rows.length + blocked.length > 0, blocked };
}

/** What happened to a claimed delivery. */
export interface Result {
  /** The row as it will be. */
  readonly row: DeliveryRow;
  /** The attempt; undefined if a claim is given up, and for an expired event. */
  readonly attempt?: DeliveryAttempt & {
    /** The webhook before it. */
    readonly webhook: WebhookRow;
    /** Whether it is a failure of the receiver, which may be down. */
    readonly isOutage: boolean;
  };
}

/**
 * Returns the time of the next attempt, or undefined after the last one, three days after the first. The wait is random, from 0 to twice its mean
 * ("full jitter"), so that a receiver that returns is not sent all events at one moment.
 */
export function nextAttemptMs(firstMs: number, nowMs: number, attempts: number, random: () => number = Math.random): number | undefined {
  const lastMs = firstMs + RETRY_SECONDS * 1000;
  if (nowMs >= lastMs) return undefined;
  const longest = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 30), LONGEST_WAIT_MS);
  return Math.min(nowMs + Math.max(1000, Math.ceil(longest * random())), lastMs);
}

/** Returns the result of an attempt. A test is sent once, and its failure is no outage. `isSent`: the receiver is responsible. */
export function resultOf(webhook: WebhookRow, row: DeliveryRow, attempt: DeliveryAttempt, nowMs: number, isSent = true): Result {
  const attempts = row.attempts + 1;
  const log = JSON.stringify([...attemptsOf(row), attempt].slice(-KEPT_ATTEMPTS));
  const first_attempt_ms = row.first_attempt_ms ?? nowMs;
  const common = { ...row, attempts, log, first_attempt_ms, due_at_ms: null };
  const isFailure = attempt.error !== null;
  const made = { ...attempt, webhook, isOutage: isFailure && isSent && !isTest(row) };
  if (!isFailure) return { row: { ...common, state: 'delivered', ended_at_ms: nowMs }, attempt: made };
  const isFinal = attempt.status_code === GONE || isTest(row);
  const next = isFinal ? undefined : nextAttemptMs(Math.max(first_attempt_ms, webhook.active_since * 1000), nowMs, attempts);
  if (next === undefined) return { row: { ...common, state: 'dead', ended_at_ms: nowMs }, attempt: made };
  return { row: { ...common, state: 'retrying', due_at_ms: next }, attempt: made };
}

/**
 * Writes results. Locks the webhooks first: ending a delivery and claiming later ones of its key exclude each other.
 * @returns whether a webhook was disabled
 */
export async function storeResults(
  tx: Tx,
  { instances, alerts, clock }: WebhookDependencies,
  results: readonly Result[],
): Promise<boolean> {
  if (results.length === 0) return false;
  const rows = results.map(({ row }) => row);
  await tx.all(sql.lockMany, [...new Set(rows.map(({ webhook_id }) => webhook_id))]);
  await tx.run(sql.storeOutcomes, JSON.stringify(rows), instances.id);
  const ended = new Set(rows.flatMap((row) => (row.ended_at_ms === null ? [] : JSON.stringify(row, ['webhook_id', 'ordering_key']))));
  if (ended.size > 0) await tx.run(sql.unhold, `[${[...ended]}]`);
  const attempts = results.flatMap(({ attempt }) => attempt ?? []);
  let isDisabled = false;
  for (const [id, own] of Map.groupBy(attempts, ({ webhook }) => webhook.id)) {
    const lastSuccess = own.findLast(({ error }) => error === null);
    const failures = own.slice(lastSuccess ? own.indexOf(lastSuccess) + 1 : 0).filter(({ isOutage }) => isOutage);
    await tx.send(sql.storeHealth, id, lastSuccess?.at ?? null, failures.length, failures[0]?.at ?? null);
    const isGone = own.some(({ status_code }) => status_code === GONE);
    if (failures.length === 0 && !isGone) continue;
    const [reason, since] = [isGone ? 'gone' : 'failing', (failures.at(-1)?.at ?? 0) - RETRY_SECONDS] as const;
    if ((await tx.run(sql.disableWebhook, id, reason, unixSeconds(clock), since)) === 0) continue;
    isDisabled = true;
    const { host } = new URL(own[0]?.webhook.url ?? '');
    const details = { name: host, status: reason, account_id: own[0]?.webhook.account_id };
    await writeRows(tx, alerts.rowsOf({ kind: 'webhook_disabled', subject: id, message: alertText(host, reason), details }));
  }
  return isDisabled;
}

/** The path and the query of the URL may contain secrets. */
function alertText(host: string, reason: 'gone' | 'failing'): string {
  return reason === 'gone' ? `${host} responded 410 Gone.` : `Nothing was delivered to ${host} for three days.`;
}
