import { pause } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { shownReason } from '../kernel/shown-text.ts';
import type { NostrEvent } from './event.ts';
import { batchFilters, type RelayFilter } from './filters.ts';
import {
  type PublishResult,
  type RelayAuthentication,
  RelaySession,
  type RelayTiming,
  RelayUnavailable,
  unixNow,
} from './relay-session.ts';
import type { OpenSocket } from './websocket.ts';

export type { RelayFilter } from './filters.ts';
export { type PublishResult, type RelayAuthentication, type RelayTiming, RelayUnavailable } from './relay-session.ts';

export interface RelayOptions {
  /** A `wss://` or `ws://` URL. */
  readonly url: string;
  /** Ends the connection for good. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Without it, requests and events that need authentication are refused. */
  readonly authentication?: RelayAuthentication;
  /** For connections that must pass the outbound guard. */
  readonly openSocket?: OpenSocket;
  /** For tests. */
  readonly timing?: Partial<RelayTiming>;
}

export interface RelayStatus {
  readonly connected: boolean;
  /** When it was connected or lost, Unix seconds. */
  readonly since: number;
  /** The number of connections since the start. */
  readonly connections: number;
  /** When the relay has sent its last message, Unix seconds. Undefined before its first connection. */
  readonly heardAt: number | undefined;
  /** Why the last connection ended or was not possible. */
  readonly lastError: string | undefined;
}

export interface SubscriptionOptions {
  /** Returns the filters. Called after each connection and by `renew`, so that `since` and the keys can change. */
  filters(): readonly RelayFilter[];
  /** Called for events whose form is valid. Signatures are not verified, and the relay may send an event twice. */
  onEvent(event: NostrEvent): void;
  /** Called after each connection when the relay has sent all stored events, and after changed filters. New events follow as they arrive. */
  onStored?(): void;
}

export interface Subscription {
  /** Whether the relay has confirmed all filters on this connection: it has sent all stored events, and sends new ones. */
  readonly isActive: boolean;
  /** Sends the requests whose filters have changed, except in `since` and `until`. */
  renew(): void;
  end(): void;
}

const TIMING: RelayTiming = {
  connectMs: 10_000,
  answerMs: 10_000,
  storedMs: 30_000,
  // A relay that keeps the connection open without answering is left within 25 seconds.
  idleMs: 15_000,
  maxMessages: 2000,
  busyMs: 1000,
  minBackoffMs: 1000,
  // A relay that is back is connected within a minute.
  maxBackoffMs: 50_000,
};

/**
 * Keeps a connection to a relay (NIP-01) until the signal aborts. Reconnects after a pause, and renews its subscriptions then.
 * @throws TypeError for a URL that is not a relay's
 */
export function connectRelay(options: RelayOptions): Relay {
  return new Relay(options);
}

export class Relay {
  readonly url: string;
  readonly #options: RelayOptions;
  readonly #timing: RelayTiming;
  readonly #subscriptions = new Set<RelaySubscription>();
  #session: RelaySession | undefined;
  #status: RelayStatus = { connected: false, since: unixNow(), connections: 0, heardAt: undefined, lastError: undefined };
  #nextId = 1;
  /** Resolves once the connection has ended for good. */
  readonly ended: Promise<void>;

  constructor(options: RelayOptions) {
    const url = new URL(options.url);
    if (!/^wss?:$/.test(url.protocol)) throw new TypeError('The URL of a relay must begin with wss:// or ws://.');
    this.url = options.url;
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.ended = this.#run(url);
  }

  status(): RelayStatus {
    return this.#session ? { ...this.#status, heardAt: this.#session.heardAt } : this.#status;
  }

  /** Requests events on this connection and every later one. */
  subscribe(options: SubscriptionOptions): Subscription {
    const subscription = new RelaySubscription(`s${this.#nextId++}`, options, () => this.#session);
    this.#subscriptions.add(subscription);
    subscription.renew();
    return {
      get isActive() {
        return subscription.isActive;
      },
      renew: () => subscription.renew(),
      end: () => {
        this.#subscriptions.delete(subscription);
        subscription.end();
      },
    };
  }

  /** Publishes an event on the present connection. @throws RelayUnavailable */
  async publish(event: NostrEvent): Promise<PublishResult> {
    if (!this.#session) throw new RelayUnavailable('the relay is not connected');
    return this.#session.publish(event);
  }

  async #run(url: URL): Promise<void> {
    const { signal, log } = this.#options;
    const { minBackoffMs, maxBackoffMs } = this.#timing;
    const { host } = url;
    let backoffMs = minBackoffMs;
    while (!signal.aborted) {
      const openedMs = performance.now();
      const error = await this.#connectOnce(url);
      if (signal.aborted) return;
      const lastError = shownReason(errorMessage(error));
      if (this.#status.connected || this.#status.lastError === undefined)
        log.warn({ relay: host, error: lastError }, 'a relay is not connected');
      this.#status = { ...this.#status, connected: false, since: this.#status.connected ? unixNow() : this.#status.since, lastError };
      // A relay that closes each connection at once is not connected to at once.
      if (performance.now() - openedMs > maxBackoffMs) backoffMs = minBackoffMs;
      if (await pause(backoffMs * (0.5 + Math.random() / 2), signal)) return;
      backoffMs = Math.min(2 * backoffMs, maxBackoffMs);
    }
  }

  /** Connects, and waits for the end of the connection. @returns why it ended or was not possible */
  async #connectOnce(url: URL): Promise<unknown> {
    const { signal, log, openSocket, authentication } = this.#options;
    const close = () => this.#session?.close(new Error('the relay is not used any more'));
    try {
      const session = await RelaySession.open({
        url,
        signal,
        openSocket,
        authentication,
        timing: this.#timing,
        onEvent: (id, event) => this.#subscriptionOf(id)?.onEvent(event),
        onStored: (id) => this.#subscriptionOf(id)?.onStored(id),
      });
      this.#session = session;
      signal.addEventListener('abort', close, { once: true });
      if (signal.aborted) close();
      this.#status = { ...this.#status, connected: true, since: unixNow(), connections: this.#status.connections + 1 };
      log.info({ relay: url.host }, 'a relay is connected');
      for (const subscription of this.#subscriptions) subscription.renew();
      return await session.ended;
    } catch (error) {
      return error;
    } finally {
      signal.removeEventListener('abort', close);
      this.#status = this.status();
      this.#session = undefined;
      for (const subscription of this.#subscriptions) subscription.forget();
    }
  }

  #subscriptionOf(requestId: string): RelaySubscription | undefined {
    for (const subscription of this.#subscriptions) if (subscription.hasRequest(requestId)) return subscription;
    return undefined;
  }
}

/** A subscription, and its requests on the present connection. */
class RelaySubscription {
  readonly #name: string;
  readonly #options: SubscriptionOptions;
  readonly #session: () => RelaySession | undefined;
  /** What each request that was sent asks for, apart from the time; and whether the relay has sent all its stored events. */
  readonly #requests = new Map<string, { readonly content: string; isStored: boolean }>();

  constructor(name: string, options: SubscriptionOptions, session: () => RelaySession | undefined) {
    this.#name = name;
    this.#options = options;
    this.#session = session;
  }

  get isActive(): boolean {
    return this.#requests.size > 0 && Array.from(this.#requests.values()).every(({ isStored }) => isStored);
  }

  hasRequest(id: string): boolean {
    return this.#requests.has(id);
  }

  renew(): void {
    const session = this.#session();
    if (!session) return;
    const batches = batchFilters(this.#options.filters());
    for (const [index, filters] of batches.entries()) {
      const id = `${this.#name}-${index}`;
      const content = JSON.stringify(filters.map(({ since, until, ...rest }) => rest));
      if (this.#requests.get(id)?.content === content) continue;
      this.#requests.set(id, { content, isStored: false });
      session.request(id, filters);
    }
    const superfluous = Array.from(this.#requests.keys()).slice(batches.length);
    for (const id of superfluous) this.#endRequest(id);
  }

  end(): void {
    for (const id of this.#requests.keys()) this.#endRequest(id);
  }

  /** The connection has ended, and its requests with it. */
  forget(): void {
    this.#requests.clear();
  }

  onEvent(event: NostrEvent): void {
    this.#options.onEvent(event);
  }

  onStored(requestId: string): void {
    const request = this.#requests.get(requestId);
    if (!request || request.isStored) return;
    request.isStored = true;
    if (this.isActive) this.#options.onStored?.();
  }

  #endRequest(id: string): void {
    this.#requests.delete(id);
    this.#session()?.endRequest(id);
  }
}
