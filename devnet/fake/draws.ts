import type { Table } from './tables.ts';

/**
 * A seeded random number generator with named streams. Every stream has its own counter, so the n-th draw of a stream is the same whatever
 * was drawn from other streams. The counters are part of the network state: a restart continues each sequence.
 */
export class Draws {
  readonly #seed: string;
  readonly #counters: Table<number>;

  constructor(seed: string, counters: Table<number>) {
    this.#seed = seed;
    this.#counters = counters;
  }

  /** Returns the next number of a stream, in [0, 1). */
  next(stream: string): number {
    const count = this.#counters.get(stream) ?? 0;
    this.#counters.put(stream, count + 1);
    return hash(`${this.#seed}|${stream}|${count}`) / 2 ** 32;
  }

  /** Returns true with probability `rate`. A rate of 0 uses no draw. */
  happens(stream: string, rate: number): boolean {
    return rate > 0 && this.next(stream) < rate;
  }

  /** Returns a whole number in [0, below). */
  below(stream: string, below: number): number {
    return Math.floor(this.next(stream) * below);
  }

  /** Returns how many draws the stream has made so far, and counts this call as one. For sequential ids. */
  count(stream: string): number {
    const count = this.#counters.get(stream) ?? 0;
    this.#counters.put(stream, count + 1);
    return count;
  }
}

/** FNV-1a with the finalizer of MurmurHash3, because the low bits of FNV-1a alone are not random enough. Not for secrets. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
