import type { Event } from '../../../client/satchel.js';

/** A component that shows a resource. */
export interface ResourceUser {
  load: (signal: AbortSignal) => Promise<unknown>;
  /** Loads again after an event for which this returns true. */
  isAffected?: ((event: Event) => boolean) | undefined;
  /** Loads again at this interval, in milliseconds, while the tab is visible. */
  everyMs?: number | undefined;
  readonly onChange: () => void;
}

export interface ResourceState {
  readonly data?: unknown;
  readonly error?: unknown;
  /** When `data` was loaded, in milliseconds since 1970. */
  readonly loadedAt?: number;
  readonly isLoading: boolean;
}

/** Data of the API by key. All users of a key share its requests, of which one is sent at a time. */
export interface ResourceStore {
  read(key: string): ResourceState;
  /** Loads the data, and keeps it up to date until the returned function is called. */
  use(key: string, user: ResourceUser): () => void;
  /** Follows a change of `everyMs` of a user. */
  schedule(key: string): void;
  /** Loads the data again, with a request that begins after this call. */
  reload(key: string): void;
  /** Loads what the event affects. */
  receive(event: Event): void;
  /** Loads all data in use again, because events were missed. */
  reloadAll(): void;
  /** Forgets all data, when another account may log in. */
  clear(): void;
}

export interface ResourceStoreOptions {
  readonly onError: (error: unknown) => void;
  readonly isVisible: () => boolean;
}

const NOTHING: ResourceState = { isLoading: false };
const MAX_ENTRIES = 100;
/** Events that arrive together cause one request. */
const EVENT_DELAY_MS = 150;
/** Events cause at most one request per interval, after some at once: what a busy account shows is a second or two old. */
const EVENT_INTERVAL_MS = 600;
const EVENT_BURST = 4;
/** A request that takes longer may have lost its connection. The next one does not wait for it. */
const STALLED_MS = 15_000;

interface Entry {
  state: ResourceState;
  readonly users: Set<ResourceUser>;
  request?: { readonly own: AbortController; readonly beganAt: number } | undefined;
  /** The data may have changed since the request began. */
  isOutdated: boolean;
  eventTimer?: ReturnType<typeof setTimeout> | undefined;
  interval?: ReturnType<typeof setInterval> | undefined;
}

export function createResourceStore(options: ResourceStoreOptions): ResourceStore {
  const entries = new Map<string, Entry>();
  /** When the interval of the last request that an event caused ends. */
  let busyUntil = 0;

  /** Loads the data again because of an event. */
  function reloadSoon(entry: Entry) {
    if (entry.eventTimer !== undefined) return;
    const now = Date.now();
    // A clock that is set back must not delay events.
    const earliest = now - (EVENT_BURST - 1) * EVENT_INTERVAL_MS;
    const latest = now + entries.size * EVENT_INTERVAL_MS;
    const start = Math.min(Math.max(busyUntil, earliest), latest);
    busyUntil = start + EVENT_INTERVAL_MS;
    const run = () => {
      entry.eventTimer = undefined;
      reload(entry, options);
    };
    entry.eventTimer = setTimeout(run, Math.max(EVENT_DELAY_MS, start - now));
  }

  function release(entry: Entry, user: ResourceUser) {
    entry.users.delete(user);
    schedule(entry, options);
    if (entry.users.size > 0) return;
    stop(entry);
    for (const [key, { users }] of entries) if (entries.size > MAX_ENTRIES && users.size === 0) entries.delete(key);
  }

  return {
    read: (key) => entries.get(key)?.state ?? NOTHING,
    use(key, user) {
      const entry = entries.get(key) ?? { state: NOTHING, users: new Set(), isOutdated: false };
      // The entries are in the order of their last use.
      entries.delete(key);
      entries.set(key, entry);
      entry.users.add(user);
      schedule(entry, options);
      if (!isRequested(entry)) load(entry, options);
      return () => release(entry, user);
    },
    schedule(key) {
      const entry = entries.get(key);
      if (entry) schedule(entry, options);
    },
    reload(key) {
      const entry = entries.get(key);
      if (entry) reload(entry, options);
    },
    receive(event) {
      for (const entry of entries.values()) if ([...entry.users].some(({ isAffected }) => isAffected?.(event) === true)) reloadSoon(entry);
    },
    reloadAll() {
      for (const entry of entries.values()) reload(entry, options);
    },
    clear() {
      for (const [key, entry] of entries) {
        stop(entry);
        change(entry, NOTHING);
        if (entry.users.size === 0) entries.delete(key);
      }
    },
  };
}

function load(entry: Entry, options: ResourceStoreOptions): void {
  const user = [...entry.users].at(-1);
  if (!user) return;
  stop(entry);
  const own = new AbortController();
  const finish = (state: ResourceState) => {
    entry.request = undefined;
    change(entry, state);
    if (entry.isOutdated) load(entry, options);
  };
  entry.request = { own, beganAt: Date.now() };
  change(entry, { ...entry.state, isLoading: true });
  user.load(own.signal).then(
    (data) => own.signal.aborted || finish({ data, loadedAt: Date.now(), isLoading: false }),
    (error) => {
      if (own.signal.aborted) return;
      finish({ ...entry.state, error, isLoading: false });
      options.onError(error);
    },
  );
}

/** The data of a request that has begun may be older than what made the reload necessary, so another one follows it. */
function reload(entry: Entry, options: ResourceStoreOptions): void {
  if (isRequested(entry)) entry.isOutdated = true;
  else load(entry, options);
}

function schedule(entry: Entry, options: ResourceStoreOptions): void {
  clearInterval(entry.interval);
  const everyMs = Math.min(...Array.from(entry.users, (user) => user.everyMs ?? Number.POSITIVE_INFINITY));
  if (Number.isFinite(everyMs))
    entry.interval = setInterval(() => options.isVisible() && !isRequested(entry) && load(entry, options), everyMs);
}

function isRequested({ request }: Entry): boolean {
  return request !== undefined && Date.now() - request.beganAt < STALLED_MS;
}

/** Aborts the request, and forgets that the data is to be loaded again. */
function stop(entry: Entry): void {
  clearTimeout(entry.eventTimer);
  entry.eventTimer = undefined;
  entry.request?.own.abort();
  entry.request = undefined;
  entry.isOutdated = false;
  entry.state = { ...entry.state, isLoading: false };
}

function change(entry: Entry, state: ResourceState): void {
  entry.state = state;
  for (const user of entry.users) user.onChange();
}
