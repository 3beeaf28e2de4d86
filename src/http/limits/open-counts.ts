import type { EventEmitter } from 'node:events';

/** How many things of each name are open. */
export class OpenCounts {
  readonly #counts = new Map<string, number>();

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** Counts one until it emits `close`: also when whoever it belonged to went away. */
  add(name: string, opened: EventEmitter): void {
    this.#counts.set(name, this.of(name) + 1);
    opened.once('close', () => {
      const left = this.of(name) - 1;
      if (left === 0) this.#counts.delete(name);
      else this.#counts.set(name, left);
    });
  }
}
