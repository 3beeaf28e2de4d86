import type { ServedConnection, ServedConnections } from './served-connections.ts';

/** Between two looks whether an app may send more. */
const CHECK_MS = 50;

/**
 * Requests of apps that have sent more than allowed, as relays do for them after a restart. They are read later, those of each app in their order:
 * an app would never get a response to one that is ignored.
 */
export class LateRequests {
  readonly #served: ServedConnections;
  readonly #signal: AbortSignal;
  /** What begins to read each request, by the id of its connection. */
  readonly #waiting = new Map<string, { readonly from: ServedConnection; readonly starts: (() => void)[] }>();
  #timer: NodeJS.Timeout | undefined;

  constructor({ served, signal }: { readonly served: ServedConnections; readonly signal: AbortSignal }) {
    this.#served = served;
    this.#signal = signal;
  }

  get size(): number {
    let size = 0;
    for (const { starts } of this.#waiting.values()) size += starts.length;
    return size;
  }

  /** Takes one of the requests that an app may send now. @returns false if it has sent too many, or if earlier ones wait */
  take(from: ServedConnection): boolean {
    return !this.#waiting.has(from.connection.id) && this.#served.takeRequest(from);
  }

  /** Calls `start` when the app may send the request. */
  add(from: ServedConnection, start: () => void): void {
    const { id } = from.connection;
    const waiting = this.#waiting.get(id) ?? { from, starts: [] };
    waiting.starts.push(start);
    this.#waiting.set(id, waiting);
    this.#timer ??= setTimeout(() => this.#startDue(), CHECK_MS).unref();
  }

  #startDue(): void {
    this.#timer = undefined;
    if (this.#signal.aborted) return;
    for (const [id, { from, starts }] of this.#waiting) {
      while (starts.length > 0 && this.#served.takeRequest(from)) starts.shift()?.();
      if (starts.length === 0) this.#waiting.delete(id);
    }
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => this.#startDue(), CHECK_MS).unref();
  }
}
