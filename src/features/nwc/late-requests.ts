import type { ServedConnection, ServedConnections } from './served-connections.ts';

/** Between two looks whether an app may send more. */
const CHECK_MS = 50;
/** Requests that wait: of one app, and of all. Events forged for one app must not fill the memory, or delay other apps. */
const MAX = { ofApp: 1000, all: 2000 };

/**
 * Requests of apps that have sent more than allowed, as relays do for them after a restart. They are read later, those of each app in their order:
 * an app would never get a response to one that is ignored.
 */
export class LateRequests {
  readonly #served: Pick<ServedConnections, 'takeRequest'>;
  readonly #signal: AbortSignal;
  /** What begins to read each request, by the id of its connection. */
  readonly #waiting = new Map<string, { readonly from: ServedConnection; readonly starts: (() => void)[] }>();
  #size = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ served, signal }: { readonly served: Pick<ServedConnections, 'takeRequest'>; readonly signal: AbortSignal }) {
    this.#served = served;
    this.#signal = signal;
  }

  /** Takes one of the requests that an app may send now. @returns false if it has sent too many, or if earlier ones wait */
  take(from: ServedConnection): boolean {
    return !this.#waiting.has(from.connection.id) && this.#served.takeRequest(from);
  }

  /** Calls `start` when the app may send the request. @returns false if too many wait */
  add(from: ServedConnection, start: () => void): boolean {
    const { id } = from.connection;
    const waiting = this.#waiting.get(id) ?? { from, starts: [] };
    if (waiting.starts.length >= MAX.ofApp || this.#size >= MAX.all) return false;
    waiting.starts.push(start);
    this.#size += 1;
    this.#waiting.set(id, waiting);
    this.#timer ??= setTimeout(() => this.#startDue(), CHECK_MS).unref();
    return true;
  }

  #startDue(): void {
    this.#timer = undefined;
    if (this.#signal.aborted) return;
    for (const [id, { from, starts }] of this.#waiting) {
      while (starts.length > 0 && this.#served.takeRequest(from)) {
        this.#size -= 1;
        starts.shift()?.();
      }
      if (starts.length === 0) this.#waiting.delete(id);
    }
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#startDue(), CHECK_MS).unref();
  }
}
