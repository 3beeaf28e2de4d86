import type { Table } from './tables.ts';

/**
 * Chance that comes from a seed. Every stream counts for itself, so that the n-th call of one kind meets the same fate whatever happened between.
 * The counters are part of the state: a restart goes on with the sequence.
 */
export class Draws {
  readonly #seed: string;
  readonly #counters: Table<number>;

  constructor(seed: string, counters: Table<number>) {
    this.#seed = seed;
    this.#counters = counters;
  }

  /** The next number of a stream, from 0 up to but without 1. */
  next(stream: string): number {
    const count = this.#counters.get(stream) ?? 0;
    this.#counters.put(stream, count + 1);
    return hash(`${this.#seed}|${stream}|${count}`) / 2 ** 32;
  }

  /** Whether something with this rate happens now. A rate of 0 costs no draw. */
  happens(stream: string, rate: number): boolean {
    return rate > 0 && this.next(stream) < rate;
  }

  /** A whole number from 0 up to but without `below`. */
  below(stream: string, below: number): number {
    return Math.floor(this.next(stream) * below);
  }

  /** How often a stream was asked; for what is made one after another. */
  count(stream: string): number {
    const count = this.#counters.get(stream) ?? 0;
    this.#counters.put(stream, count + 1);
    return count;
  }
}

/** FNV-1a with a finalizer (that of MurmurHash3), because its low bits alone are not random enough. Not for secrets. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
