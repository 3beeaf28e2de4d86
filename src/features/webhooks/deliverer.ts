import { pause } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { type Claim, claimDeliveries } from './claims.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import * as deliveries from './deliveries.sql.ts';
import { eventIdOf, isTest } from './delivery.ts';
import type { Results } from './results.ts';
import { LONGEST_WAIT_MS } from './retry.ts';
import { Sending } from './sending.ts';
import { Upkeep } from './upkeep.ts';
import { renderTestEvent } from './webhook-object.ts';
import type { WebhookDependencies } from './webhooks.ts';

/** The waits of the deliverer. Tests shorten them. */
export interface WebhookTiming {
  /** Between two looks at changed webhooks, replays, deletions and dead instances. */
  readonly refreshMs: number;
  /** Between two looks for events of other instances. */
  readonly pollMs: number;
  /** Between two looks for retries that are due. */
  readonly retryMs: number;
  /** How long results are collected. */
  readonly flushMs: number;
  /** How long a receiver may take. */
  readonly timeoutMs: number;
}

const TIMING: WebhookTiming = { refreshMs: 2000, pollMs: 100, retryMs: 1000, flushMs: 100, timeoutMs: 15_000 };

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
  readonly #upkeep: Upkeep;
  /** The webhooks whose retries are made due. */
  readonly #recovered = new Set<string>();
  /** Whether the last turn left deliveries that wait. */
  #hasBacklog = false;
  /** Whether an error may have left claims in the database that are not in memory. */
  #mayHaveLostClaims = false;
  #refreshAt = 0;
  #retriesAt = 0;
  #turnAt = 0;
  #turnIsEarlier = new AbortController();

  constructor(deps: WebhookDependencies) {
    this.#deps = deps;
    this.#timing = { ...TIMING, ...deps.timing };
    this.#upkeep = new Upkeep(deps);
    const { timeoutMs, flushMs } = this.#timing;
    this.#sending = new Sending(deps, timeoutMs, (hasRoom) => this.#planTurn(hasRoom ? SHORTEST_WAIT_MS : flushMs));
  }

  /** The attempts of this process by outcome. */
  get counts() {
    return this.#sending.counts;
  }

  /** Notices a change of a webhook or its deliveries by this process at once. */
  wake(): void {
    this.#refreshAt = 0;
    this.#planTurn(0);
  }

  /** Makes all retries of a webhook due, a part of them in each turn. */
  makeDue(id: string): void {
    this.#recovered.add(id);
    this.#planTurn(0);
  }

  /** Delivers until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const stopListening = this.#deps.commits.listen(() => {
      // Under load, a commit brings no turn forward while the events of earlier ones wait.
      if (this.#upkeep.hasWebhooks && !(this.#hasBacklog && this.#sending.rate.isLow)) this.#planTurn(SHORTEST_WAIT_MS);
    });
    while (!signal.aborted) {
      const started = performance.now();
      this.#turnAt = started + this.#pollMs();
      try {
        await this.#turn();
      } catch (error) {
        this.#mayHaveLostClaims = true;
        this.#refreshAt = 1;
        this.#warn(error, 'webhook deliveries were interrupted; they continue');
        await pause(this.#timing.refreshMs / 2, signal);
      }
      this.#sending.pump();
      // Turns take a small part of the time under load. On SQLite they wait for the transactions before them, too.
      const waitMs = (performance.now() - started) * (this.#sending.rate.isLow ? 30 : 4);
      await this.#untilTurn(Math.min(waitMs, LONGEST_WAIT_FOR_TURN_MS), signal);
    }
    stopListening();
    await this.#sending.stop();
    const stored = this.#exchange(this.#sending.takeResults(), [], 0);
    await stored.catch((error) => this.#warn(error, 'the last webhook deliveries are repeated'));
  }

  #pollMs(): number {
    const { pollMs, refreshMs } = this.#timing;
    if (!this.#upkeep.hasWebhooks) return refreshMs;
    return this.#deps.database.dialect === 'postgres' ? pollMs : pollMs * SQLITE_POLLS;
  }

  #planTurn(inMs: number): void {
    const at = performance.now() + inMs;
    if (at >= this.#turnAt) return;
    this.#turnAt = at;
    this.#turnIsEarlier.abort();
  }

  async #untilTurn(atLeastMs: number, signal: AbortSignal): Promise<void> {
    const earliest = performance.now() + Math.max(SHORTEST_WAIT_MS, atLeastMs);
    while (!signal.aborted) {
      this.#turnIsEarlier = new AbortController();
      const at = this.#refreshAt === 0 ? 0 : Math.max(this.#turnAt, earliest);
      const waitMs = at - performance.now();
      if (waitMs <= 0) return;
      await pause(waitMs, AbortSignal.any([signal, this.#turnIsEarlier.signal]));
    }
  }

  async #turn(): Promise<void> {
    if (performance.now() >= this.#refreshAt) await this.#refresh();
    await this.#makeRetriesDue();
    const { ids, limit } = await this.#webhooksToClaim();
    const results = this.#sending.takeResults();
    let claims: Claim[];
    try {
      claims = await this.#exchange(results, ids, limit);
    } catch (error) {
      this.#sending.returnResults(results);
      throw error;
    }
    for (const id of results.recovered) this.makeDue(id);
    await this.#begin(claims);
    if (claims.some(({ isPart }) => isPart)) this.#planTurn(0);
  }

  async #refresh(): Promise<void> {
    this.#refreshAt = performance.now() + this.#timing.refreshMs;
    const isPart = await this.#upkeep.run(this.#sending, this.#mayHaveLostClaims);
    this.#mayHaveLostClaims = false;
    if (!isPart) return;
    this.#refreshAt = 1;
    this.#planTurn(0);
  }

  async #makeRetriesDue(): Promise<void> {
    const { database, clock } = this.#deps;
    for (const id of this.#recovered) {
      const count = await database.transaction((tx) => tx.run(deliveries.makeDue, id, clock.nowMs()));
      if (count < deliveries.MAX_DUE_AT_ONCE) this.#recovered.delete(id);
      this.#retriesAt = 0;
      this.#planTurn(0);
    }
  }

  /** Returns webhooks of which deliveries can be claimed, and how many of each. */
  async #webhooksToClaim(): Promise<{ ids: string[]; limit: number }> {
    const { database, secretBox, clock } = this.#deps;
    if (!this.#upkeep.hasWebhooks) return { ids: [], limit: 0 };
    const found = await database.all(deliveries.webhooksWithQueued, secretBox.keyId);
    if (performance.now() >= this.#retriesAt) {
      this.#retriesAt = performance.now() + this.#timing.retryMs;
      const now = clock.nowMs();
      found.push(...(await database.all(deliveries.webhooksWithDue, secretBox.keyId, now, now + LONGEST_WAIT_MS)));
    }
    // In a random order, so that none always comes first.
    const shuffled = found.toSorted(() => Math.random() - 0.5);
    const selected = this.#sending.selectClaimable(shuffled, WEBHOOKS_AT_ONCE);
    this.#hasBacklog = selected.ids.length < found.length;
    return selected;
  }

  /** Stores results and claims deliveries. */
  async #exchange(results: Results, webhookIds: readonly string[], limit: number): Promise<Claim[]> {
    const { database, instances, secretBox, clock, alerts } = this.#deps;
    if (results.count === 0 && webhookIds.length === 0) return [];
    let isDisabled = false;
    const claims = await database.transaction(async (tx) => {
      isDisabled = await results.store(tx, this.#deps);
      return claimDeliveries(tx, webhookIds, { instanceId: instances.id, keyId: secretBox.keyId, nowMs: clock.nowMs(), limit });
    });
    if (isDisabled) await alerts.announce().catch(() => undefined);
    return claims;
  }

  /** Renders the events of claimed deliveries, each once, and begins to send them. */
  async #begin(claims: readonly Claim[]): Promise<void> {
    const { eventLog, renderEvents } = this.#deps;
    const ids = new Set(claims.flatMap(({ rows }) => rows.filter((row) => !isTest(row)).map(eventIdOf)));
    const events = ids.size === 0 ? [] : await eventLog.findMany([...ids]);
    const rendered = events.length === 0 ? [] : await renderEvents(events);
    const bodies = new Map(events.map(({ id }, index) => [id, JSON.stringify(rendered[index])]));
    const bodyOf = (row: DeliveryRow) => (isTest(row) ? JSON.stringify(renderTestEvent(row)) : bodies.get(eventIdOf(row)));
    for (const { webhook, rows } of claims) {
      const claimed = rows.map((row) => ({ row, body: bodyOf(row) }));
      this.#sending.add(webhook, claimed);
    }
  }

  #warn(error: unknown, text: string): void {
    this.#deps.log.warn({ reason: errorMessage(error) }, text);
  }
}
