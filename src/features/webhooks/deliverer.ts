import { isOutage } from '../../core/db/errors.ts';
import type { LoggedEvent } from '../../core/journal/event-log.ts';
import { pause } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import * as deliveries from './deliveries.sql.ts';
import { type Claim, claimDeliveries, eventIdOf, isDown, isTest, LONGEST_WAIT_MS, storeResults } from './deliveries.ts';
import { Sending } from './sending.ts';
import { checkSecrets, continueReplays, deleteSome, makeRetriesDue, releaseLostClaims } from './upkeep.ts';
import { renderTestEvent } from './webhook-object.ts';
import { findAny } from './webhooks.sql.ts';
import type { WebhookDependencies } from './webhooks.ts';

/** The waits of the deliverer. Tests shorten them. */
const TIMING = {
  /** Between two looks at retries that are due, changed webhooks, replays, deletions and dead instances. */
  refreshMs: 1000,
  /** Between two looks for events of other instances. */
  pollMs: 100,
  /** How long results are collected. */
  flushMs: 100,
  /** How long a receiver may take. */
  timeoutMs: 15_000,
};

export type WebhookTiming = typeof TIMING;

/** When the clock is set back by more than this, retries do not wait until it shows their time. */
const CLOCK_JUMP_MS = 60_000;
/** The shortest time between two turns: one serves many commits. */
const SHORTEST_WAIT_MS = 20;
/** The longest time between two turns under load. */
const LONGEST_WAIT_FOR_TURN_MS = 1000;
/** The most webhooks of which one turn claims deliveries. */
const WEBHOOKS_AT_ONCE = 16;
/** On SQLite, only tools that write to the file are noticed by polling. */
const SQLITE_POLLS = 10;

/**
 * Delivers what waits in `webhook_delivery`, in turns. Each turn stores the results since the last one and claims further deliveries, in one
 * transaction.
 */
export class Deliverer {
  readonly #deps: WebhookDependencies;
  readonly #timing: WebhookTiming;
  readonly #sending: Sending;
  /** The webhooks whose retries are made due. */
  readonly #recovered = new Set<string>();
  /** Whether there may be webhooks to which something is sent. */
  #hasWebhooks = true;
  /** Whether the last turn left deliveries that wait. */
  #hasBacklog = false;
  /** Whether an error may have left claims in the database that are not in memory. */
  #mayHaveLostClaims = false;
  /** Whether the alert about unreadable secrets is open; undefined: not known. */
  #isAlertOpen: boolean | undefined;
  /** The time of the clock minus that since the start of the process. */
  #clockOffsetMs: number;
  #refreshAt = 0;
  #turnAt = 0;
  /** Whether the next turn does not wait, however long the last one took. */
  #isUrgent = false;
  #turnIsEarlier = new AbortController();

  constructor(deps: WebhookDependencies) {
    this.#deps = deps;
    this.#timing = { ...TIMING, ...deps.timing };
    this.#clockOffsetMs = deps.clock.nowMs() - performance.now();
    const { timeoutMs, flushMs } = this.#timing;
    this.#sending = new Sending(deps, timeoutMs, (hasRoom) => this.#planTurn(hasRoom ? SHORTEST_WAIT_MS : flushMs));
  }

  /** The attempts of this process by outcome. */
  get counts() {
    return this.#sending.counts;
  }

  /** See {@link Sending.onFirstAttempt}. */
  onFirstAttempt(listener: (seconds: number) => void): void {
    this.#sending.onFirstAttempt = listener;
  }

  /** Notices a change of a webhook or its deliveries by this process at once. */
  wake(): void {
    this.#isUrgent = true;
    this.#planRefresh();
  }

  /** Makes all retries of a webhook due, a part of them in each turn. */
  makeDue(id: string): void {
    this.#recovered.add(id);
    this.#planTurn(0);
  }

  /** Delivers until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = this.#deps.database.onCommit(() => {
      // Under load, a commit brings no turn forward while the events of earlier ones wait.
      if (this.#hasWebhooks && !(this.#hasBacklog && this.#sending.rate.isLow)) this.#planTurn(SHORTEST_WAIT_MS);
    });
    while (!signal.aborted) {
      const started = performance.now();
      this.#turnAt = started + this.#pollMs();
      try {
        await this.#turn();
      } catch (error) {
        this.#mayHaveLostClaims = true;
        this.#warn(error, 'webhook deliveries were interrupted; they continue');
        this.#planRefresh();
        await pause(this.#timing.refreshMs, signal);
      }
      this.#sending.pump();
      // Turns take a small part of the time under load. On SQLite they wait for the transactions before them, too.
      const waitMs = (performance.now() - started) * (this.#sending.rate.isLow ? 30 : 4);
      await this.#untilTurn(Math.min(waitMs, LONGEST_WAIT_FOR_TURN_MS), signal);
    }
    stopListening();
    await this.#sending.stop();
    await this.#exchange([], 0).catch((error) => this.#warn(error, 'the last webhook deliveries are repeated'));
  }

  #pollMs(): number {
    const { pollMs, refreshMs } = this.#timing;
    if (!this.#hasWebhooks) return refreshMs;
    return this.#deps.database.dialect === 'postgres' ? pollMs : pollMs * SQLITE_POLLS;
  }

  #planTurn(inMs: number): void {
    const at = performance.now() + inMs;
    if (at >= this.#turnAt) return;
    this.#turnAt = at;
    this.#turnIsEarlier.abort();
  }

  #planRefresh(): void {
    this.#refreshAt = 0;
    this.#planTurn(0);
  }

  async #untilTurn(atLeastMs: number, signal: AbortSignal): Promise<void> {
    const earliest = performance.now() + Math.max(SHORTEST_WAIT_MS, atLeastMs);
    while (!signal.aborted && !this.#isUrgent) {
      this.#turnIsEarlier = new AbortController();
      const waitMs = Math.max(this.#turnAt, earliest) - performance.now();
      if (waitMs <= 0) return;
      await pause(waitMs, AbortSignal.any([signal, this.#turnIsEarlier.signal]));
    }
  }

  async #turn(): Promise<void> {
    for (const id of this.#recovered) {
      if (!(await makeRetriesDue(this.#deps, id))) this.#recovered.delete(id);
      this.#planRefresh();
    }
    const isRefresh = performance.now() >= this.#refreshAt;
    if (isRefresh) await this.#refresh();
    const { ids, limit } = await this.#webhooksToClaim(isRefresh);
    const claims = await this.#exchange(ids, limit);
    await this.#begin(claims);
    if (claims.some(({ isPart }) => isPart)) this.#planTurn(0);
  }

  /** Does the work that is rarely needed, a part of it each time. */
  async #refresh(): Promise<void> {
    const { database, secretBox } = this.#deps;
    this.#refreshAt = performance.now() + this.#timing.refreshMs;
    this.#isUrgent = false;
    const ids = this.#sending.webhookIds;
    this.#hasWebhooks = ids.length > 0 || (await database.first(findAny)) !== undefined;
    this.#isAlertOpen = await checkSecrets(this.#deps, this.#isAlertOpen);
    if (!this.#hasWebhooks) return;
    await this.#noticeClockJump();
    await releaseLostClaims(this.#deps, this.#mayHaveLostClaims ? this.#sending.positions : undefined);
    this.#mayHaveLostClaims = false;
    if (ids.length > 0) this.#sending.update(await database.all(deliveries.findActive, ids, secretBox.keyId));
    const isPart = await deleteSome(this.#deps);
    if ((await continueReplays(this.#deps)) || isPart) this.#planRefresh();
  }

  /** Makes all retries due when the clock was set back: they were planned by the time that it showed. */
  async #noticeClockJump(): Promise<void> {
    const { database, secretBox, clock } = this.#deps;
    const offsetMs = clock.nowMs() - performance.now();
    if (offsetMs < this.#clockOffsetMs - CLOCK_JUMP_MS) {
      const retrying = await database.all(deliveries.webhooksWithDue, secretBox.keyId, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
      for (const { id } of retrying) this.#recovered.add(id);
      this.#planTurn(0);
    }
    this.#clockOffsetMs = offsetMs;
  }

  /** Returns webhooks of which deliveries can be claimed, and how many of each. */
  async #webhooksToClaim(withRetries: boolean): Promise<{ ids: string[]; limit: number }> {
    const { database, secretBox, clock } = this.#deps;
    if (!this.#hasWebhooks) return { ids: [], limit: 0 };
    const now = clock.nowMs();
    const queued = await database.all(deliveries.webhooksWithQueued, secretBox.keyId);
    const due = withRetries ? await database.all(deliveries.webhooksWithDue, secretBox.keyId, now, now + LONGEST_WAIT_MS) : [];
    // In a random order, so that none always comes first.
    const found = [...queued, ...due].toSorted(() => Math.random() - 0.5);
    const selected = this.#sending.selectClaimable(found, WEBHOOKS_AT_ONCE);
    this.#hasBacklog = selected.ids.length < found.length;
    return selected;
  }

  /** Stores results and claims deliveries. */
  async #exchange(webhookIds: readonly string[], limit: number): Promise<Claim[]> {
    const { database, alerts } = this.#deps;
    const results = this.#sending.results.splice(0);
    if (results.length === 0 && webhookIds.length === 0) return [];
    try {
      const { isDisabled, claims } = await database.transaction(async (tx) => ({
        isDisabled: await storeResults(tx, this.#deps, results),
        claims: await claimDeliveries(tx, this.#deps, webhookIds, limit),
      }));
      for (const { attempt } of results) if (attempt?.error === null && isDown(attempt.webhook)) this.makeDue(attempt.webhook.id);
      if (isDisabled) await alerts.announce().catch(() => undefined);
      return claims;
    } catch (error) {
      this.#sending.results.unshift(...results);
      throw error;
    }
  }

  /** Begins to send claimed deliveries. Those of expired events are cancelled. */
  async #begin(claims: readonly Claim[]): Promise<void> {
    const { eventLog, clock } = this.#deps;
    const rows = claims.flatMap((claim) => claim.rows).filter((row) => !isTest(row));
    const events = await eventLog.findMany([...new Set(rows.map(eventIdOf))]);
    const bodies = await this.#render(events);
    const traces = new Map(events.map(({ id, traceparent }) => [id, traceparent]));
    for (const { webhook, rows } of claims) {
      const { sent = [], expired = [] } = Object.groupBy(rows, (row) => (isTest(row) || bodies.has(eventIdOf(row)) ? 'sent' : 'expired'));
      for (const row of expired) this.#sending.results.push({ row: { ...row, state: 'cancelled', ended_at_ms: clock.nowMs() } });
      const bodyOf = (row: DeliveryRow) => (isTest(row) ? JSON.stringify(renderTestEvent(row)) : bodies.get(eventIdOf(row)));
      this.#sending.add(
        webhook,
        sent.map((row) => ({ row, body: bodyOf(row), traceparent: traces.get(eventIdOf(row)) })),
      );
    }
    if (this.#sending.results.length > 0) this.#planTurn(this.#timing.flushMs);
  }

  /** Returns the bodies of events by their ids; undefined for those that cannot be rendered. */
  async #render(events: readonly LoggedEvent[]): Promise<Map<string, string | undefined>> {
    try {
      const objects = await this.#deps.renderEvents(events);
      return new Map(events.map(({ id }, index) => [id, JSON.stringify(objects[index])]));
    } catch (error) {
      // The claims are given up. The event may be fine.
      if (isOutage(error)) throw error;
      const [first, ...others] = events;
      if (first && others.length === 0) {
        this.#warn(error, `the event ${first.id} could not be rendered`);
        return new Map([[first.id, undefined]]);
      }
      const bodies = new Map<string, string | undefined>();
      for (const event of events) for (const [id, body] of await this.#render([event])) bodies.set(id, body);
      return bodies;
    }
  }

  #warn(error: unknown, text: string): void {
    this.#deps.log.warn({ reason: errorMessage(error) }, text);
  }
}
