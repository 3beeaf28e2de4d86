import { setTimeout as delay } from 'node:timers/promises';
import { pause } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { type DeliveryRow, MAX_CLAIMED_OF_WEBHOOK } from './deliveries.sql.ts';
import { isDown, type Result, resultOf } from './deliveries.ts';
import { sendDelivery } from './sender.ts';
import { StartRate } from './start-rate.ts';
import type { DeliveryAttempt } from './webhook-object.ts';
import type { WebhookRow } from './webhooks.sql.ts';
import type { WebhookDependencies } from './webhooks.ts';

/**
 * The most concurrent deliveries: in total, for one account, to one endpoint, and to endpoints that are down, of which each gets one at a time: in
 * total, and of one account.
 */
const SLOTS = 64;
const SLOTS_OF_ACCOUNT = SLOTS / 4;
const SLOTS_OF_ENDPOINT = 8;
const SLOTS_DOWN = 16;
const SLOTS_DOWN_OF_ACCOUNT = SLOTS_DOWN / 4;
/** The most claimed deliveries; one account may have a quarter of them. */
const MAX_CLAIMED = 1000;
/** With more results to write, no delivery begins. */
const MAX_RESULTS = 2000;
/** The wait after something that was not the receiver's fault. */
const STALL_MS = 500;
/** How long running deliveries may take when the service stops. */
const GRACE_MS = 3000;

/** A delivery that this instance has claimed. Its body is undefined if the event cannot be rendered. */
export interface ClaimedDelivery {
  readonly row: DeliveryRow;
  readonly body: string | undefined;
  /** The trace of the request that caused the event. */
  readonly traceparent?: string | undefined;
}

/** Deliveries with the same ordering key, which are sent one after the other. */
type Chain = ClaimedDelivery[];

/** The deliveries to one webhook that this instance has claimed. */
class Endpoint {
  webhook: WebhookRow;
  waiting: Chain[] = [];
  /** Those whose first delivery is being sent. */
  readonly running = new Set<Chain>();

  constructor(webhook: WebhookRow) {
    this.webhook = webhook;
  }

  get isReady(): boolean {
    return this.waiting.length > 0 && this.running.size < (isDown(this.webhook) ? 1 : SLOTS_OF_ENDPOINT);
  }

  get deliveries(): ClaimedDelivery[] {
    return [...this.waiting, ...this.running].flat();
  }
}

/** A number in total and of each account. */
class Tally {
  all = 0;
  readonly #ofAccount = new Map<string, number>();

  add({ account_id }: { readonly account_id: string }, count: number): void {
    this.all += count;
    this.#ofAccount.set(account_id, this.of({ account_id }) + count);
  }

  of({ account_id }: { readonly account_id: string }): number {
    return this.#ofAccount.get(account_id) ?? 0;
  }
}

/** Sends the deliveries that this instance has claimed, beside requests. */
export class Sending {
  /** The attempts of this process by outcome. */
  readonly counts = { delivered: 0, failed: 0, dead: 0 };
  readonly rate = new StartRate();
  /** Called with the seconds from a delivery's creation to its first attempt. */
  onFirstAttempt: ((seconds: number) => void) | undefined;
  /** What is to be stored. */
  readonly results: Result[] = [];
  readonly #deps: WebhookDependencies;
  readonly #timeoutMs: number;
  readonly #onResult: (hasRoom: boolean) => void;
  readonly #endpoints = new Map<string, Endpoint>();
  readonly #life = new AbortController();
  #isStopping = false;
  #pumpTimer: NodeJS.Timeout | undefined;

  /** @param onResult is called after each attempt; `hasRoom`: more deliveries of its webhook can be claimed */
  constructor(deps: WebhookDependencies, timeoutMs: number, onResult: (hasRoom: boolean) => void) {
    this.#deps = deps;
    this.#timeoutMs = timeoutMs;
    this.#onResult = onResult;
  }

  get webhookIds(): string[] {
    return [...this.#endpoints.keys()];
  }

  /** The positions of all claimed deliveries whose results are not stored. */
  get positions(): number[] {
    const claimed = Array.from(this.#endpoints.values(), ({ deliveries }) => deliveries).flat();
    return [...claimed, ...this.results].map(({ row }) => row.position);
  }

  #tally(countOf: (endpoint: Endpoint) => number): Tally {
    const tally = new Tally();
    for (const endpoint of this.#endpoints.values()) tally.add(endpoint.webhook, countOf(endpoint));
    return tally;
  }

  /** Returns those of the webhooks of which more deliveries can be claimed, and how many of each. */
  selectClaimable(webhooks: readonly { id: string; account_id: string }[], most: number): { ids: string[]; limit: number } {
    if (this.#isStopping || this.results.length >= MAX_RESULTS) return { ids: [], limit: 0 };
    // An instance that can send few leaves the rest to others.
    const total = Math.min(MAX_CLAIMED, 2 * this.rate.perSecond);
    const limit = Math.min(MAX_CLAIMED_OF_WEBHOOK, Math.floor(total / 4));
    const claimed = this.#tally(({ deliveries }) => deliveries.length);
    const ids: string[] = [];
    for (const webhook of webhooks) {
      const endpoint = this.#endpoints.get(webhook.id);
      const isFull = endpoint && endpoint.deliveries.length > (isDown(endpoint.webhook) ? 0 : limit / 2);
      if (isFull || ids.includes(webhook.id) || claimed.of(webhook) >= total / 4) continue;
      if (claimed.all >= total || ids.length >= most) break;
      claimed.add(webhook, limit);
      ids.push(webhook.id);
    }
    return { ids, limit };
  }

  /** Adds claimed deliveries. `webhook` is as it was when they were claimed. */
  add(webhook: WebhookRow, claimed: readonly ClaimedDelivery[]): void {
    const endpoint = this.#endpoints.get(webhook.id) ?? new Endpoint(webhook);
    this.#endpoints.set(webhook.id, endpoint);
    endpoint.webhook = webhook;
    endpoint.waiting.push(...Map.groupBy(claimed, ({ row }) => row.ordering_key).values());
    if (this.#isStopping) this.#giveUp(endpoint);
  }

  /** Updates webhooks that may have changed, and gives up the deliveries of the others. */
  update(webhooks: readonly WebhookRow[]): void {
    const active = new Map(webhooks.map((webhook) => [webhook.id, webhook]));
    for (const [id, endpoint] of this.#endpoints) {
      endpoint.webhook = active.get(id) ?? endpoint.webhook;
      if (!active.has(id)) this.#giveUp(endpoint);
      if (endpoint.deliveries.length === 0) this.#endpoints.delete(id);
    }
  }

  /** Gives up the claims of what is not being sent. */
  #giveUp(endpoint: Endpoint): void {
    const unsent = [...endpoint.waiting.splice(0), ...Array.from(endpoint.running, (chain) => chain.splice(1))];
    this.results.push(...unsent.flat().map(({ row }) => ({ row: { ...row, state: 'queued' } })));
  }

  /** Begins deliveries, one per endpoint in turn, as many as may run. */
  pump(): void {
    clearTimeout(this.#pumpTimer);
    this.#pumpTimer = undefined;
    if (this.#isStopping || this.results.length >= MAX_RESULTS) return;
    const running = this.#tally((endpoint) => endpoint.running.size);
    const down = this.#tally((endpoint) => (isDown(endpoint.webhook) && endpoint.running.size > 0 ? 1 : 0));
    // An endpoint that gets a delivery becomes the last one, which this loop visits again: slow ones would otherwise take all slots.
    for (const [id, endpoint] of this.#endpoints) {
      const { isReady, webhook } = endpoint;
      const isDownFull = down.all >= SLOTS_DOWN || down.of(webhook) >= SLOTS_DOWN_OF_ACCOUNT;
      const hasSlot = running.all < SLOTS && running.of(webhook) < SLOTS_OF_ACCOUNT && !(isDown(webhook) && isDownFull);
      if (!isReady || !hasSlot) continue;
      const waitMs = this.rate.take();
      if (waitMs > 0) {
        this.#pumpTimer = setTimeout(() => this.pump(), waitMs);
        return;
      }
      running.add(webhook, 1);
      if (isDown(webhook)) down.add(webhook, 1);
      void this.#deliver(endpoint);
      this.#endpoints.delete(id);
      this.#endpoints.set(id, endpoint);
    }
  }

  /** Makes the first delivery of a chain. Never throws. */
  async #deliver(endpoint: Endpoint): Promise<void> {
    const chain = endpoint.waiting.shift();
    const [delivery] = chain ?? [];
    if (!chain || !delivery) return;
    endpoint.running.add(chain);
    const limits = { timeoutMs: this.#timeoutMs, signal: this.#life.signal };
    const waitedMs = this.#deps.clock.nowMs() - delivery.row.created_at_ms;
    let isSent = false;
    try {
      const attempt = await sendDelivery(this.#deps, endpoint.webhook, delivery, limits);
      if (attempt && delivery.row.attempts === 0) this.onFirstAttempt?.(Math.max(0, waitedMs) / 1000);
      if (attempt) this.#record(endpoint, chain, delivery, attempt);
      isSent = attempt !== undefined;
    } catch (error) {
      const { id } = endpoint.webhook;
      this.#deps.log.warn({ webhook: id, reason: errorMessage(error) }, 'a webhook delivery was interrupted; it begins again');
    }
    if (!isSent) await pause(STALL_MS, this.#life.signal);
    endpoint.running.delete(chain);
    if (chain.length > 0) endpoint.waiting.push(chain);
    // Once per turn of the event loop is enough.
    this.#pumpTimer ??= setTimeout(() => this.pump(), 0);
  }

  #record(endpoint: Endpoint, chain: Chain, { row, body }: ClaimedDelivery, attempt: DeliveryAttempt): void {
    const { webhook } = endpoint;
    const result = resultOf(webhook, row, attempt, this.#deps.clock.nowMs(), body !== undefined);
    const { state, ended_at_ms } = result.row;
    chain.shift();
    const left = ended_at_ms === null ? chain.splice(0) : [];
    this.results.push(result, ...left.map((later) => ({ row: { ...later.row, state: 'held' } })));
    if (attempt.error === null) endpoint.webhook = { ...webhook, failures: 0 };
    else if (result.attempt?.isOutage) endpoint.webhook = { ...webhook, failures: webhook.failures + 1 };
    this.counts[attempt.error === null ? 'delivered' : state === 'dead' ? 'dead' : 'failed'] += 1;
    if (isDown(endpoint.webhook) && !isDown(webhook)) this.#giveUp(endpoint);
    this.#onResult(ended_at_ms !== null && endpoint.deliveries.length <= MAX_CLAIMED_OF_WEBHOOK / 4);
  }

  /** Begins no more deliveries, waits for the running ones, and gives up the others. The results can be taken afterwards. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#untilNoneRuns();
    this.#life.abort();
    await this.#untilNoneRuns();
    clearTimeout(this.#pumpTimer);
    for (const endpoint of this.#endpoints.values()) this.#giveUp(endpoint);
  }

  async #untilNoneRuns(): Promise<void> {
    const until = performance.now() + GRACE_MS;
    while (this.#tally(({ running }) => running.size).all > 0 && performance.now() < until) await delay(10);
  }
}
