import { pause, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import type { NostrCrypto } from '../../core/nostr/crypto-pool.ts';
import type { RelayAuthentication } from '../../core/nostr/relay.ts';
import { readForgottenUntil } from '../../core/quarantine/quarantine.ts';
import { createAnnouncements } from './announcements.ts';
import { followConnections } from './connection-changes.ts';
import { type ConnectionDependencies, type Connections, createConnections } from './connections.ts';
import { createExecutor } from './execute.ts';
import { Inbox } from './inbox.ts';
import { isMethod } from './methods.ts';
import type { NwcModules } from './modules.ts';
import { firstPosition, followEvents } from './notifications.ts';
import { NOTIFIED, notificationQueue, responseQueue } from './publishing.ts';
import { RelayPool } from './relay-pool.ts';
import { readSeenRelays, requestFilters, watchRelays } from './relay-watch.ts';
import { createRequestStore, RESPONSES } from './requests.ts';
import { createResponses } from './responses.ts';
import { type ServedConnection, ServedConnections } from './served-connections.ts';
import { countIn, type NwcCounts, type NwcServiceOptions, type NwcTiming, type Serving } from './serving.ts';

export type { NwcTiming } from './serving.ts';

interface NwcDependencies extends NwcModules, Omit<ConnectionDependencies, 'relays'> {
  /** `relays`: those of new connections. */
  readonly nwc: { readonly relays: readonly string[]; readonly offersNip04: boolean; readonly maxAgeSeconds: number };
  readonly nostrCrypto: NostrCrypto;
  readonly timing?: NwcTiming | undefined;
}

/** Creates the connections of apps, and the service that executes their requests. */
export function createNwc(deps: NwcDependencies): { readonly nwc: Nwc; readonly nwcConnections: Connections } {
  const { timing } = deps;
  const { relays, ...settings } = deps.nwc;
  const connections = createConnections({ ...deps, relays });
  // Requests are kept for a day longer than their events are accepted.
  const requests = createRequestStore(deps, Math.ceil(settings.maxAgeSeconds / DAY_SECONDS) + 1);
  const options = { modules: deps, connections, requests, crypto: deps.nostrCrypto, ...settings, timing };
  return { nwc: new Nwc(options), nwcConnections: connections };
}

const DAY_SECONDS = 86_400;
/** Between two looks whether an app was connected. */
const UNUSED_POLL_MS = 1000;
/** Between two looks at payments that have ended without a response, and at tasks of other instances. */
const POLL_MS = 1000;
const MAX_COUNTED = 10_000;
/** Keys for which a relay may require authentication (NIP-42). More would take minutes to sign for. */
const MAX_AUTHENTICATED = 1000;

/**
 * Serves apps over Nostr relays (Nostr Wallet Connect, NIP-47). One instance of the service does it at a time. A second one that still receives
 * events does no harm, because the row of each request is unique.
 */
export class Nwc {
  readonly #options: NwcServiceOptions;
  readonly counts: NwcCounts = { ignored: new Map(), answered: new Map(), droppedNotifications: 0 };
  #pool: RelayPool | undefined;

  constructor(options: NwcServiceOptions) {
    this.#options = options;
  }

  /** Returns the relays and their states; none while another instance serves the apps. */
  relayStatuses(): ReturnType<RelayPool['statuses']> {
    return this.#pool?.statuses() ?? [];
  }

  /** Counts the responses and notifications that no relay has accepted yet, up to 10,000. */
  async countWaiting(): Promise<number> {
    const { tasks } = this.#options.modules;
    return Math.min(MAX_COUNTED, (await tasks.count(RESPONSES)) + (await tasks.count(NOTIFIED)));
  }

  endRetentionPeriod(): Promise<void> {
    return this.#options.requests.endRetentionPeriod();
  }

  /** Serves apps until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { modules, connections, requests, crypto, offersNip04, timing } = this.#options;
    // A service without connected apps reads no log and uses no relay.
    while (!(await connections.hasAny())) if (await pause(timing?.pollMs ?? UNUSED_POLL_MS, signal)) return;
    // If one part fails, all end, and the job starts them again.
    const failed = new AbortController();
    const life = AbortSignal.any([signal, failed.signal]);
    const served = new ServedConnections(connections);
    const seen = await readSeenRelays(modules.database);
    const forgottenUntil = await readForgottenUntil(modules.database, modules.clock);
    // Before the connections are read, so that no later one is missed.
    const newest = await modules.eventLog.newest();
    const position = await firstPosition(modules);
    await served.load(unixSeconds(modules.clock));
    const pool = new RelayPool({
      log: modules.log,
      signal: life,
      timing: timing?.relay,
      authentication: (url) => this.#authentication(served, url),
      filters: (url) => requestFilters({ ...this.#options, served }, url, seen),
      onEvent: (event, url) => inbox.receive(event, url),
      onSubscribed(url) {
        announcements.onRelay(url);
        publishNow();
      },
    });
    const publishNow = () => {
      for (const queue of [RESPONSES, NOTIFIED])
        modules.tasks
          .makeDue(queue)
          .catch((error) => modules.log.warn({ reason: errorMessage(error) }, 'events for apps are published later'));
    };
    const onResponse = (method: string, code: string) => countIn(this.counts.answered, `${isMethod(method) ? method : 'unknown'} ${code}`);
    const responses = createResponses({ connections, crypto, clock: modules.clock, offersNip04, onResponse });
    const executor = createExecutor({ modules, connections, requests, responses, onWaiting: () => modules.tasks.wake(RESPONSES) });
    const running = { counts: this.counts, served, pool, responses, executor, signal: life, forgottenUntil };
    const serving: Serving = { ...this.#options, ...running };
    const [inbox, announcements] = [new Inbox(serving), createAnnouncements(serving)];
    pool.add(served.relays());
    this.#pool = pool;
    const onChange = (one: ServedConnection) => {
      pool.add(one.connection.relays);
      pool.renew(one.connection.relays);
      announcements.onChange(one);
    };
    const pollMs = timing?.pollMs ?? POLL_MS;
    const parts = [
      followConnections(serving, newest, onChange),
      followEvents(serving, position),
      ...[responseQueue(serving), notificationQueue(serving)].map((queue) => modules.tasks.run(queue, life, { pollMs })),
      answerPeriodically(serving, pollMs),
      watchRelays(serving, seen, announcements.renew),
    ];
    try {
      await Promise.all(parts.map((part) => part.finally(() => failed.abort())));
    } finally {
      this.#pool = undefined;
      await pool.ended();
    }
  }

  #authentication(served: ServedConnections, url: string): RelayAuthentication {
    const { crypto, connections } = this.#options;
    const keys = () => served.ofRelay(url).map(({ connection }) => connections.serviceKeyOf(connection.id));
    return { crypto, keys: () => keys().slice(0, MAX_AUTHENTICATED) };
  }
}

/** Answers requests whose payments have ended without a response, until the signal aborts. */
async function answerPeriodically({ executor, modules, signal }: Serving, pollMs: number): Promise<void> {
  while (!signal.aborted) {
    await executor
      .answerEnded()
      .catch((error) => modules.log.warn({ reason: errorMessage(error) }, 'payments of apps were not answered; they are answered later'));
    await pause(pollMs, signal);
  }
}
