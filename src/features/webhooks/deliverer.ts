import { setTimeout as delay } from 'node:timers/promises';
import type { Alerts } from '../../core/alerts/alerts.ts';
import type { Commits } from '../../core/db/commits.ts';
import type { Database } from '../../core/db/database.ts';
import { type Clock, pause } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import type { Outbound } from '../../core/outbound/outbound.ts';
import { createDeletions, type Deletions } from './deletions.ts';
import * as deliveries from './deliveries.sql.ts';
import type { PlacedLog } from './log-place.ts';
import { LogReader } from './log-reader.ts';
import { type RenderEvents, WebhookQueue, type WebhookQueueDependencies } from './queue.ts';
import { continueReplay } from './replays.ts';
import { createResults, type Results } from './results.ts';
import type { SecretBox } from './secrets.ts';
import { createSender } from './sender.ts';
import { StartRate } from './start-rate.ts';
import { createUnreadableSecrets, type UnreadableSecrets } from './unreadable-secrets.ts';
import type { Webhook } from './webhook.ts';
import { createWebhookLeases, type WebhookLeases } from './webhook-leases.ts';
import * as sql from './webhooks.sql.ts';

/** The waits of the deliverer. Tests shorten them. */
export interface WebhookTiming {
  /** Between two looks at leases, and at webhooks of other instances. */
  readonly refreshMs: number;
  /** How long a lease lasts without being renewed. */
  readonly leaseMs: number;
  /** Between two looks at new events of other instances (PostgreSQL), and at deliveries that have become due. */
  readonly pollMs: number;
  /** How long results are collected. */
  readonly flushMs: number;
  /** How long a receiver may take. */
  readonly timeoutMs: number;
}

const TIMING: WebhookTiming = { refreshMs: 2000, leaseMs: 10_000, pollMs: 100, flushMs: 100, timeoutMs: 15_000 };

/** The most concurrent deliveries, and those of them to endpoints that are down. */
const MAX_RUNNING = 64;
const MAX_RUNNING_DOWN = 16;
/** With more results to write, no delivery begins. */
const MAX_PENDING_RESULTS = 2000;
/** The shortest time between two reads of the log: under load, one read serves many commits. */
const SHORTEST_WAIT_MS = 20;
/** How long running deliveries may take when the service stops. */
const GRACE_MS = 3000;
const RETRY_MS = 1000;
const BUSY_FLUSH_MS = 1000;
const READS_AT_ONCE = 16;

export interface DelivererDependencies {
  readonly database: Database;
  readonly commits: Commits;
  readonly eventLog: Pick<PlacedLog, 'read' | 'oldest' | 'findMany'>;
  readonly renderEvents: RenderEvents;
  readonly outbound: Pick<Outbound, 'post'>;
  readonly alerts: Pick<Alerts, 'rowsOf' | 'announce' | 'raise' | 'clear'>;
  readonly secretBox: SecretBox;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: Partial<WebhookTiming> | undefined;
}

export type DeliveryCounts = Readonly<Record<'delivered' | 'failed' | 'dead', number>>;

/** Delivers events to the webhooks that this instance holds, beside requests. */
export interface Deliverer {
  /** Delivers until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Notices a change of a webhook or its deliveries by this process at once. */
  wake(): void;
  /** Returns the attempts of this process by outcome. */
  counts(): DeliveryCounts;
}

export function createDeliverer(deps: DelivererDependencies): Deliverer {
  return new RunningDeliverer(deps);
}

class RunningDeliverer implements Deliverer {
  readonly #deps: DelivererDependencies;
  readonly #timing: WebhookTiming;
  readonly #leases: WebhookLeases;
  readonly #results: Results;
  readonly #reader: LogReader;
  readonly #queues = new Map<string, WebhookQueue>();
  readonly #queueDeps: WebhookQueueDependencies;
  readonly #rate = new StartRate();
  readonly #counts = { delivered: 0, failed: 0, dead: 0 };
  readonly #deletions: Deletions;
  readonly #unreadable: UnreadableSecrets;
  /** Endpoints whose running deliveries end. */
  readonly #dropping = new Map<string, WebhookQueue>();
  #running = 0;
  #runningDown = 0;
  #total = 0;
  #refreshAt = 0;
  #refreshedAt = 0;
  #mustRefresh = true;
  #isBehind = true;
  #pumpTimer: NodeJS.Timeout | undefined;
  #wakeUp = (): void => undefined;
  #hurry = (): void => undefined;

  constructor(deps: DelivererDependencies) {
    this.#deps = deps;
    const { database, secretBox, eventLog, clock, outbound, log } = deps;
    this.#timing = { ...TIMING, ...deps.timing };
    const { leaseMs, flushMs, timeoutMs } = this.#timing;
    this.#leases = createWebhookLeases(database, secretBox.keyId, leaseMs);
    // A commit delays those of payments: on SQLite it waits for the disk.
    const flush = () => (this.#rate.isLow ? Math.max(flushMs, BUSY_FLUSH_MS) : flushMs);
    this.#results = createResults({ ...deps, holder: this.#leases.holder, flushMs: flush });
    this.#reader = new LogReader(eventLog, log);
    this.#deletions = createDeletions({ database, log });
    this.#unreadable = createUnreadableSecrets(deps, leaseMs);
    const sender = createSender({ outbound, secretBox, clock, timeoutMs });
    const count = (outcome: keyof DeliveryCounts) => {
      this.#counts[outcome] += 1;
    };
    this.#queueDeps = { ...deps, sender, results: this.#results, count };
  }

  counts(): DeliveryCounts {
    return this.#counts;
  }

  wake(): void {
    this.#mustRefresh = true;
    this.#hurry();
  }

  async run(signal: AbortSignal): Promise<void> {
    const stopListening = this.#deps.commits.listen(() => {
      if (this.#queues.size === 0) return;
      this.#isBehind = true;
      this.#wakeUp();
    });
    try {
      while (!signal.aborted) {
        try {
          await this.#round(signal);
        } catch (error) {
          if (signal.aborted) break;
          this.#stopIfLeasesEnded();
          this.#deps.log.warn({ reason: errorMessage(error) }, 'webhook deliveries were interrupted; they continue');
          await pause(RETRY_MS, signal);
        }
      }
    } finally {
      stopListening();
      await this.#end();
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    if (this.#mustRefresh || performance.now() >= this.#refreshAt) await this.#refresh();
    const started = performance.now();
    this.#isBehind = await this.#read();
    const readMs = performance.now() - started;
    for (const queue of this.#queues.values()) queue.checkDue();
    this.#pump();
    // Under load, reading takes only a small part of the time.
    await this.#untilWoken(Math.max(SHORTEST_WAIT_MS, this.#rate.isLow ? readMs * 30 : 0), signal);
  }

  /** Reads events for the endpoints that need some. @returns whether there may be more */
  async #read(): Promise<boolean> {
    let isBehind = await this.#reader.readNew();
    let reads = 0;
    for (const queue of this.#queues.values()) {
      if (!queue.ownPlace || !(await this.#reader.readFor(queue))) continue;
      reads += 1;
      if (queue.ownPlace && queue.needsEvents) isBehind = true;
      // Leases are renewed between the parts.
      if (reads >= READS_AT_ONCE) return true;
    }
    return isBehind;
  }

  async #untilWoken(atLeastMs: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const hurried = new AbortController();
    let isWoken = false;
    this.#wakeUp = () => {
      isWoken = true;
      woken.abort();
    };
    this.#hurry = () => {
      hurried.abort();
      woken.abort();
    };
    if (this.#mustRefresh || (await pause(atLeastMs, AbortSignal.any([hurried.signal, signal])))) return;
    if (this.#isBehind || isWoken) return;
    await pause(this.#waitMs(), AbortSignal.any([woken.signal, signal]));
  }

  #waitMs(): number {
    const { pollMs, refreshMs } = this.#timing;
    const isPostgres = this.#deps.database.dialect === 'postgres';
    if (this.#queues.size > 0) return isPostgres ? pollMs : Math.max(pollMs, Math.min(1000, pollMs * 5));
    // Without webhooks, only those that other instances create are looked for.
    return isPostgres || this.#total > 0 ? refreshMs : 2 ** 31 - 1;
  }

  /** Renews leases, and takes and drops webhooks. */
  async #refresh(): Promise<void> {
    this.#mustRefresh = false;
    this.#refreshAt = performance.now();
    const { held, taken, share, total } = await this.#leases.refresh();
    this.#total = total;
    this.#refreshedAt = this.#refreshAt;
    this.#refreshAt += this.#timing.refreshMs;
    const active = new Map(held.filter(({ status }) => status === 'active').map((webhook) => [webhook.id, webhook]));
    for (const [id, queue] of this.#queues) {
      const webhook = active.get(id);
      // Another instance held it meanwhile, so the queue lacks what that one stored.
      if (webhook && taken.has(id)) {
        this.#abandon(queue);
        continue;
      }
      if (webhook && !queue.isStopped && !hasOtherFilter(webhook, queue.webhook)) queue.webhook = webhook;
      else this.#drop(queue);
    }
    const begun = performance.now();
    for (const webhook of active.values()) {
      // Leases are renewed before they end: with thousands of webhooks, this takes longer than a lease lasts.
      if (performance.now() - begun >= this.#timing.leaseMs * 0.3) {
        this.#mustRefresh = true;
        break;
      }
      await this.#take(webhook);
    }
    // The results of running deliveries are written first: rows that are inserted after the others were deleted would stay.
    for (const { id, status } of held) if (status === 'deleted' && !this.#dropping.has(id)) this.#deletions.start(id);
    for (const queue of [...this.#queues.values()].slice(share)) this.#drop(queue);
    await this.#addSingles();
    await this.#continueReplays();
    await this.#unreadable.check();
  }

  async #take(webhook: Webhook): Promise<void> {
    if (this.#queues.has(webhook.id) || this.#dropping.has(webhook.id)) return;
    this.#queues.set(webhook.id, await WebhookQueue.open(this.#queueDeps, webhook, () => this.#reader.place));
  }

  /** Ends the work on an endpoint: running deliveries end, results are written, and the lease is released. */
  #drop(queue: WebhookQueue): void {
    queue.stop();
    this.#reader.remove(queue);
    const { id } = queue.webhook;
    this.#queues.delete(id);
    this.#dropping.set(id, queue);
    const release = async () => {
      while (queue.running > 0) await delay(10);
      this.#results.touch(queue);
      await this.#results.flush();
      await this.#leases.release([id]);
    };
    release()
      .catch((error) => this.#deps.log.warn({ reason: errorMessage(error) }, 'the lease of a webhook was not released; it ends by itself'))
      .finally(() => {
        this.#dropping.delete(id);
        this.wake();
      });
  }

  /** An instance that could not renew its leases stops before another one takes over. */
  #stopIfLeasesEnded(): void {
    if (this.#deps.database.dialect === 'sqlite') return;
    if (performance.now() - this.#refreshedAt < this.#timing.leaseMs * 0.8) return;
    for (const queue of this.#queues.values()) this.#abandon(queue);
    this.#mustRefresh = true;
  }

  /** Ends the work on an endpoint on which another instance may work already. */
  #abandon(queue: WebhookQueue): void {
    queue.abort();
    this.#reader.remove(queue);
    this.#queues.delete(queue.webhook.id);
  }

  /** Finds tests and redeliveries. */
  async #addSingles(): Promise<void> {
    if (this.#queues.size === 0) return;
    const lanes = await this.#deps.database.all(deliveries.singleLanes, [...this.#queues.keys()]);
    for (const { webhook_id, lane, due_at_ms } of lanes) this.#queues.get(webhook_id)?.addWaiting(lane, due_at_ms ?? 0);
  }

  async #continueReplays(): Promise<void> {
    if (this.#queues.size === 0) return;
    for (const { webhook_id } of await this.#deps.database.all(sql.replayedWebhooks)) {
      const queue = this.#queues.get(webhook_id);
      if (queue?.mayAddRows && (await continueReplay(this.#deps, queue))) this.#mustRefresh = true;
    }
  }

  /** Begins deliveries, one per endpoint in turn, as many as may run. */
  #pump(): void {
    clearTimeout(this.#pumpTimer);
    this.#pumpTimer = undefined;
    this.#stopIfLeasesEnded();
    let waitMs = 0;
    for (let isProgress = true; isProgress && waitMs === 0; ) {
      isProgress = false;
      for (const queue of [...this.#queues.values()]) {
        if (!queue.isReady || !this.#hasSlot(queue)) continue;
        waitMs = this.#rate.take();
        if (waitMs > 0) break;
        isProgress = true;
        this.#begin(queue);
        // The next free slot goes to another endpoint: slow ones would otherwise take all of them.
        this.#queues.delete(queue.webhook.id);
        this.#queues.set(queue.webhook.id, queue);
      }
    }
    if (waitMs > 0) this.#pumpTimer = setTimeout(() => this.#pump(), waitMs);
  }

  #hasSlot({ isDown }: WebhookQueue): boolean {
    if (this.#results.pending >= MAX_PENDING_RESULTS) return false;
    return this.#running < MAX_RUNNING && (!isDown || this.#runningDown < MAX_RUNNING_DOWN);
  }

  #begin(queue: WebhookQueue): void {
    const { isDown } = queue;
    this.#running += 1;
    if (isDown) this.#runningDown += 1;
    void queue.deliverOne().then(() => {
      this.#running -= 1;
      if (isDown) this.#runningDown -= 1;
      // Once per turn of the event loop is enough.
      this.#pumpTimer ??= setTimeout(() => this.#pump(), 0);
      if (queue.ownPlace && queue.needsEvents) this.#wakeUp();
    });
  }

  async #end(): Promise<void> {
    const held = [...this.#queues.values()];
    const all = [...held, ...this.#dropping.values()];
    for (const queue of all) queue.stop();
    await this.#untilNoneRuns(GRACE_MS);
    for (const queue of all) queue.abort();
    void this.#results.close();
    await this.#untilNoneRuns(GRACE_MS);
    clearTimeout(this.#pumpTimer);
    for (const queue of held) this.#results.touch(queue);
    await this.#results.close();
    await this.#leases.release(held.map(({ webhook }) => webhook.id)).catch(() => undefined);
    if (this.#total > 0) await this.#leases.end().catch(() => undefined);
  }

  async #untilNoneRuns(atMostMs: number): Promise<void> {
    const until = performance.now() + atMostMs;
    while (this.#running > 0 && performance.now() < until) await delay(10);
  }
}

/** Its events in memory were selected by the earlier filter. */
function hasOtherFilter(webhook: Webhook, { eventTypes }: Webhook): boolean {
  return webhook.eventTypes?.join() !== eventTypes?.join();
}
