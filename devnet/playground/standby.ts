import { NodeUnavailable } from '../../src/lightning/node.ts';
import type { Link } from './link.ts';

interface Waiter {
  resolve(link: Link): void;
  reject(error: NodeUnavailable): void;
}

/** The link that calls use: the one that is up, or the next one when that is soon enough. */
export class Standby {
  readonly #waitMs: number;
  readonly #waiters = new Set<Waiter>();
  #live: Link | undefined;
  #closed = false;
  /** Why there is no link, for those who wait in vain. */
  reason: string;

  constructor(waitMs: number, reason: string) {
    this.#waitMs = waitMs;
    this.reason = reason;
  }

  up(link: Link): void {
    if (this.#closed) return;
    this.#live = link;
    for (const waiter of this.#waiters) waiter.resolve(link);
    this.#waiters.clear();
  }

  down(): void {
    this.#live = undefined;
  }

  close(): void {
    this.#closed = true;
    this.down();
    for (const waiter of this.#waiters) waiter.reject(this.#closedError());
    this.#waiters.clear();
  }

  /** @throws NodeUnavailable when no link comes up in time, or never again. */
  async link(): Promise<Link> {
    if (this.#live) return this.#live;
    if (this.#closed) throw this.#closedError();
    const waiter = Promise.withResolvers<Link>();
    this.#waiters.add(waiter);
    const timer = setTimeout(() => {
      this.#waiters.delete(waiter);
      waiter.reject(new NodeUnavailable(this.reason));
    }, this.#waitMs);
    timer.unref();
    return waiter.promise.finally(() => clearTimeout(timer));
  }

  #closedError(): NodeUnavailable {
    return new NodeUnavailable('the Lightning playground is closed');
  }
}
