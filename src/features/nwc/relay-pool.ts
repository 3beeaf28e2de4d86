import type { Log } from '../../core/kernel/log.ts';
import type { NostrEvent } from '../../core/nostr/event.ts';
import {
  connectRelay,
  type Relay,
  type RelayAuthentication,
  type RelayFilter,
  type RelayStatus,
  type RelayTiming,
  type Subscription,
} from '../../core/nostr/relay.ts';

interface RelayPoolOptions {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly authentication: (url: string) => RelayAuthentication;
  readonly timing: Partial<RelayTiming> | undefined;
  /** Returns the filters of a relay. Called when it is connected. */
  filters(url: string): readonly RelayFilter[];
  onEvent(event: NostrEvent, url: string): void;
  /** Called once for each connection of a relay, when it has confirmed the subscription. */
  onSubscribed(url: string): void;
}

interface OpenRelay {
  readonly relay: Relay;
  readonly subscription: Subscription;
  /** The connection on which it has confirmed the subscription last. */
  confirmed: number;
  /** Why the relay refused the last event that it refused. Undefined after one that it accepted. */
  refusal: string | undefined;
}

const MAX_STORED = 2000;
const STORED_MS = 2000;

/**
 * The stored events of a relay, until it has sent all of them. Relays send the newest first; a lookup that is read before the request of its
 * payment would find nothing.
 */
class StoredEvents {
  readonly #onEvent: (event: NostrEvent) => void;
  #events: NostrEvent[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(onEvent: (event: NostrEvent) => void) {
    this.#onEvent = onEvent;
  }

  add(event: NostrEvent): void {
    this.#events.push(event);
    if (this.#events.length >= MAX_STORED) this.deliver();
    else this.#timer ??= setTimeout(() => this.deliver(), STORED_MS).unref();
  }

  /** Delivers the events, the oldest first. */
  deliver(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#events;
    this.#events = [];
    for (const event of events.toReversed().sort((a, b) => a.created_at - b.created_at)) this.#onEvent(event);
  }
}

/** One connection to each relay, for all apps. */
export class RelayPool {
  readonly #options: RelayPoolOptions;
  readonly #open = new Map<string, OpenRelay>();

  constructor(options: RelayPoolOptions) {
    this.#options = options;
  }

  /** Connects to relays that are not connected yet. */
  add(urls: Iterable<string>): void {
    const { log, signal, authentication, timing, filters, onEvent } = this.#options;
    for (const url of urls) {
      if (this.#open.has(url)) continue;
      const relay = connectRelay({ url, log, signal, authentication: authentication(url), ...(timing && { timing }) });
      const stored = new StoredEvents((event) => onEvent(event, url));
      const subscription: Subscription = relay.subscribe({
        filters: () => filters(url),
        onEvent: (event) => (subscription.isActive ? onEvent(event, url) : stored.add(event)),
        onStored: () => {
          stored.deliver();
          this.#onStored(url);
        },
      });
      this.#open.set(url, { relay, subscription, confirmed: 0, refusal: undefined });
    }
  }

  /** Requests the events of connections that were added. */
  renew(urls: readonly string[]): void {
    for (const url of urls) this.#open.get(url)?.subscription.renew();
  }

  /** Publishes an event to relays at the same time. @returns whether one has accepted it, as soon as one has */
  publish(urls: readonly string[], event: NostrEvent): Promise<boolean> {
    const accepted = urls.map(async (url) => {
      if (!(await this.#publishTo(url, event))) throw new Error('the relay has not accepted the event');
    });
    return Promise.any(accepted).then(
      () => true,
      () => false,
    );
  }

  statuses(): {
    readonly url: string;
    readonly status: RelayStatus;
    readonly isSubscribed: boolean;
    readonly refusal: string | undefined;
  }[] {
    return Array.from(this.#open, ([url, { relay, subscription, refusal }]) => ({
      url,
      status: relay.status(),
      isSubscribed: subscription.isActive,
      refusal,
    }));
  }

  /** Resolves when all connections have ended, after the signal. */
  async ended(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), ({ relay }) => relay.ended));
  }

  #onStored(url: string): void {
    const open = this.#open.get(url);
    const connections = open?.relay.status().connections;
    // New connections of apps change the filters, which are confirmed again.
    if (!open || connections === undefined || open.confirmed === connections) return;
    open.confirmed = connections;
    this.#options.onSubscribed(url);
  }

  async #publishTo(url: string, event: NostrEvent): Promise<boolean> {
    const open = this.#open.get(url);
    if (!open) return false;
    try {
      const { accepted, message } = await open.relay.publish(event);
      // "duplicate:" means that the relay has it (NIP-01), whatever it says of acceptance.
      const hasIt = accepted || message.startsWith('duplicate:');
      open.refusal = hasIt ? undefined : message;
      return hasIt;
    } catch {
      // Not connected, or no answer in time.
      return false;
    }
  }
}
