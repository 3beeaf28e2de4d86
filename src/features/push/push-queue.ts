import { type Clock, pause, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import { type Outbound, OutboundError } from '../../core/outbound/outbound.ts';
import { encryptTo, type Vapid } from './encryption.ts';
import type { Subscriptions } from './subscriptions.ts';

/** A notification for one browser. */
export interface PaidNotification {
  readonly subscriptionId: string;
  readonly accountId: string;
  /** The message for the service worker, as JSON. */
  readonly text: string;
  /** Unix milliseconds. The notification is not sent after this time. */
  readonly expiresAtMs: number;
}

/** The timeouts and delays of the queue. Tests shorten them. */
const TIMING = {
  /** The timeout of a request to a push service. */
  timeoutMs: 5_000,
  /** The delay before the second attempt. Each further delay is five times as long. */
  retryMs: 5_000,
};

export type PushTiming = typeof TIMING;

const MAX_ATTEMPTS = 4;
/**
 * The maximum numbers of concurrent requests: in total and per account, and in total and per account for browsers whose last notification was not
 * accepted quickly. Each browser has one request at a time.
 */
const SLOTS = 32;
const SLOTS_OF_ACCOUNT = 8;
const SLOTS_SLOW = 8;
const SLOTS_SLOW_OF_ACCOUNT = 2;
const QUICK_MS = 2000;
/** The maximum numbers of waiting notifications: in total, per account and per browser. Further notifications are dropped. */
const MAX_WAITING = 4000;
const MAX_WAITING_OF_ACCOUNT = 400;
const MAX_WAITING_OF_BROWSER = 20;

export interface PushQueueDependencies {
  readonly subscriptions: Pick<Subscriptions, 'findTarget' | 'forget'>;
  readonly outbound: Pick<Outbound, 'post'>;
  readonly vapid: Vapid;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: Partial<PushTiming> | undefined;
}

/** One notification in the queue, with the attempts that were made. */
interface Waiting extends PaidNotification {
  attempts: number;
  /** By `performance.now()`. */
  dueAt: number;
}

type Outcome = 'sent' | 'gone' | 'retry' | 'refused' | 'unanswered';

/**
 * Sends notifications from memory. A crash loses the waiting ones, so a payment is reported at most once. A slow or failing push service occupies few
 * slots, and its notifications are dropped after {@link MAX_ATTEMPTS} attempts.
 */
export class PushQueue {
  /** The numbers of notifications of this process by outcome. */
  readonly counts = { sent: 0, dropped: 0 };
  readonly #deps: PushQueueDependencies;
  readonly #timing: PushTiming;
  readonly #waiting = new Map<string, Waiting[]>();
  #total = 0;
  readonly #ofAccount = new Map<string, number>();
  readonly #running = new Map<string, Waiting>();
  /** The browsers whose last notification was accepted quickly. */
  readonly #quick = new Set<string>();
  readonly #life = new AbortController();
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: PushQueueDependencies) {
    this.#deps = deps;
    this.#timing = { ...TIMING, ...deps.timing };
  }

  /** The number of waiting notifications. */
  get waiting(): number {
    return this.#total;
  }

  #count(one: Waiting, change: 1 | -1): void {
    this.#total += change;
    const own = (this.#ofAccount.get(one.accountId) ?? 0) + change;
    if (own === 0) this.#ofAccount.delete(one.accountId);
    else this.#ofAccount.set(one.accountId, own);
  }

  /** Adds a notification, or drops it if too many are waiting. */
  add(notification: PaidNotification): void {
    const { subscriptionId, accountId } = notification;
    const queue = this.#waiting.get(subscriptionId) ?? [];
    const isFull =
      queue.length >= MAX_WAITING_OF_BROWSER ||
      (this.#ofAccount.get(accountId) ?? 0) >= MAX_WAITING_OF_ACCOUNT ||
      this.#total >= MAX_WAITING;
    if (isFull || this.#life.signal.aborted) {
      this.counts.dropped += 1;
      return;
    }
    const one = { ...notification, attempts: 0, dueAt: 0 };
    queue.push(one);
    this.#count(one, 1);
    this.#waiting.set(subscriptionId, queue);
    this.#plan(0);
  }

  /** Ends all requests and drops the waiting notifications. */
  async stop(): Promise<void> {
    this.#life.abort();
    clearTimeout(this.#timer);
    for (const id of [...this.#waiting.keys()]) this.#drop(id);
    while (this.#running.size > 0) await pause(5, new AbortController().signal);
  }

  #plan(inMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#life.signal.aborted) this.#timer = setTimeout(() => this.#pump(), inMs);
  }

  /** Starts the due requests for which a slot is free. A browser that was served moves to the end of the queue. */
  #pump(): void {
    let nextAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    for (const [id, queue] of [...this.#waiting]) {
      const [first] = queue;
      if (!first || this.#running.has(id)) continue;
      if (first.dueAt > now) nextAt = Math.min(nextAt, first.dueAt);
      else if (this.#hasSlot(first)) {
        queue.shift();
        this.#count(first, -1);
        this.#waiting.delete(id);
        if (queue.length > 0) this.#waiting.set(id, queue);
        void this.#send(first);
      }
    }
    // Each request that ends calls this again.
    if (nextAt < Number.POSITIVE_INFINITY) this.#plan(Math.max(1, nextAt - now));
  }

  #hasSlot({ subscriptionId, accountId }: Waiting): boolean {
    const running = [...this.#running.values()];
    const own = running.filter((one) => one.accountId === accountId);
    if (running.length >= SLOTS || own.length >= SLOTS_OF_ACCOUNT) return false;
    if (this.#quick.has(subscriptionId)) return true;
    const slow = running.filter((one) => !this.#quick.has(one.subscriptionId));
    return slow.length < SLOTS_SLOW && slow.filter((one) => own.includes(one)).length < SLOTS_SLOW_OF_ACCOUNT;
  }

  /** Makes one attempt. Never throws. */
  async #send(one: Waiting): Promise<void> {
    const { subscriptionId: id } = one;
    const started = performance.now();
    this.#running.set(id, one);
    try {
      const outcome = await this.#attempt(one);
      if (this.#life.signal.aborted) return;
      if (outcome === 'sent') this.counts.sent += 1;
      else this.#failed(one, outcome);
      if (outcome === 'sent' && performance.now() - started < QUICK_MS) this.#quick.add(id);
      else this.#quick.delete(id);
    } catch (error) {
      this.counts.dropped += 1;
      this.#deps.log.warn({ subscription: id, reason: errorMessage(error) }, 'a notification was not sent');
    } finally {
      this.#running.delete(id);
      this.#plan(0);
    }
  }

  #failed(one: Waiting, outcome: Outcome): void {
    one.attempts += 1;
    if (outcome === 'gone' || outcome === 'unanswered') this.#drop(one.subscriptionId);
    if (outcome !== 'retry' || one.attempts >= MAX_ATTEMPTS) {
      this.counts.dropped += 1;
      return;
    }
    one.dueAt = performance.now() + this.#timing.retryMs * 5 ** (one.attempts - 1);
    this.#waiting.set(one.subscriptionId, [one, ...(this.#waiting.get(one.subscriptionId) ?? [])]);
    this.#count(one, 1);
  }

  /** Drops what waits for a browser. */
  #drop(id: string): void {
    const queue = this.#waiting.get(id) ?? [];
    for (const one of queue) this.#count(one, -1);
    this.counts.dropped += queue.length;
    this.#waiting.delete(id);
  }

  async #attempt({ subscriptionId, text, expiresAtMs }: Waiting): Promise<Outcome> {
    const { subscriptions, outbound, vapid, clock, log } = this.#deps;
    const ttlSeconds = Math.floor((expiresAtMs - clock.nowMs()) / 1000);
    // The session may have ended since.
    const target = ttlSeconds > 0 ? await subscriptions.findTarget(subscriptionId) : undefined;
    if (!target) return 'refused';
    const headers = {
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(ttlSeconds),
      urgency: 'high',
      authorization: vapid.authorization(target.endpoint, unixSeconds(clock)),
    };
    const limits = { timeoutMs: this.#timing.timeoutMs, signal: this.#life.signal };
    try {
      const { status } = await outbound.post(target.endpoint, { headers, body: encryptTo(target, text), ...limits });
      if (status >= 200 && status < 300) return 'sent';
      if (status === 404 || status === 410) {
        await subscriptions.forget(subscriptionId);
        return 'gone';
      }
      // Without the endpoint, which is a secret.
      log.info({ subscription: subscriptionId, status }, 'a push service did not accept a notification');
      return status === 429 || status >= 500 ? 'retry' : 'refused';
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      // The push service may have accepted it. What else waits would take its slots for as long.
      if (error.reason === 'timed_out') return 'unanswered';
      return error.reason === 'invalid_url' ? 'refused' : 'retry';
    }
  }
}
