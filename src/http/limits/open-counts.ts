import type { EventEmitter } from 'node:events';

export interface OpenLimit {
  readonly name: string;
  readonly max: number;
}

/** Counts what is open under a name: connections, requests, or the bytes of unread responses. */
export class OpenCounts {
  readonly #counts = new Map<string, number>();

  countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /**
   * Adds an amount to all names until `opened` emits `close`, which requests, responses and sockets also do when the client disconnects.
   * Returns false, and adds nothing, if a name would exceed its limit. The first of a name is accepted, however large it is.
   */
  add(limits: readonly OpenLimit[], opened: EventEmitter & { readonly destroyed: boolean }, amount = 1): boolean {
    const exceeds = ({ name, max }: OpenLimit) => this.countOf(name) > 0 && this.countOf(name) + amount > max;
    if (limits.some(exceeds)) return false;
    // A client that has disconnected emits no further event.
    if (opened.destroyed) return true;
    for (const { name } of limits) this.#counts.set(name, this.countOf(name) + amount);
    opened.once('close', () => {
      for (const { name } of limits) this.#subtract(name, amount);
    });
    return true;
  }

  #subtract(name: string, amount: number): void {
    const left = this.countOf(name) - amount;
    if (left === 0) this.#counts.delete(name);
    else this.#counts.set(name, left);
  }
}
