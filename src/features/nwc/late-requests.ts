import type { ServedConnection, ServedConnections } from './served-connections.ts';

/** Between two looks whether an app may send more. */
const CHECK_MS = 50;
/** Requests that wait: of one app, and of all. Events forged for one app must not fill the memory, or delay other apps. */
const MAX = { ofApp: 1000, all: 10_000 };

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

  /** Returns whether another request of an app may wait. */
  hasRoom({ connection }: ServedConnection): boolean {
    return (this.#waiting.get(connection.id)?.starts.length ?? 0) < MAX.ofApp && this.#size < MAX.all;
  }

  /** Waits until an app may send the request, behind its earlier ones. @returns false if too many wait */
  async wait(from: ServedConnection): Promise<boolean> {
    const { id } = from.connection;
    const known = this.#waiting.get(id);
    if (!known && this.#served.takeRequest(from)) return true;
    if (!this.hasRoom(from)) return false;
    const starts = known?.starts ?? [];
    this.#size += 1;
    this.#waiting.set(id, { from, starts });
    this.#timer ??= setTimeout(() => this.#startDue(), CHECK_MS).unref();
    return new Promise((resolve) => starts.push(() => resolve(true)));
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
