import type { EventEmitter } from 'node:events';

/** Counts open requests or connections by name. */
export class OpenCounts {
  readonly #counts = new Map<string, number>();

  countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counts one more until `opened` emits `close`, which it also does when the client disconnects. */
  countUntilClosed(name: string, opened: EventEmitter): void {
    this.#counts.set(name, this.countOf(name) + 1);
    opened.once('close', () => {
      const left = this.countOf(name) - 1;
      if (left === 0) this.#counts.delete(name);
      else this.#counts.set(name, left);
    });
  }
}
