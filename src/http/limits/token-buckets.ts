import { sharesOf, WIDTHS } from './addresses.ts';

/** The rate at which a bucket fills, and its capacity. A rate of 0 means no limit. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  /** The time at which `tokens` was computed. */
  atMs: number;
}

/** Holds one token bucket per name. Beyond `maxBuckets`, the least recently used bucket is dropped; a new bucket is full. */
export class TokenBuckets {
  readonly #rate: Rate;
  readonly #maxBuckets: number;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, maxBuckets: number, nowMs: () => number) {
    this.#rate = rate;
    this.#maxBuckets = maxBuckets;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /**
   * Takes tokens: one by default. Returns false, and takes none, when the bucket has too few. A full bucket is enough for any number, and then fills
   * from below zero.
   */
  takeToken(name: string, count = 1): boolean {
    if (this.#rate.perSecond === 0) return true;
    const bucket = this.#refill(name);
    if (bucket.tokens < Math.min(count, this.#rate.burst)) return false;
    bucket.tokens -= count;
    return true;
  }

  /** Returns after how many milliseconds {@link takeToken} takes as many tokens, if nobody else does; 0: at once. */
  waitMs(name: string, count = 1): number {
    if (this.#rate.perSecond === 0) return 0;
    const missing = Math.min(count, this.#rate.burst) - this.#refill(name).tokens;
    return Math.max(0, (missing / this.#rate.perSecond) * 1000);
  }

  /** Takes tokens that the bucket may not have yet. Returns after how many milliseconds it would have had them. */
  takeInAdvance(name: string, count: number): number {
    if (this.#rate.perSecond === 0) return 0;
    const bucket = this.#refill(name);
    bucket.tokens -= count;
    return Math.max(0, (-bucket.tokens / this.#rate.perSecond) * 1000);
  }

  /** Returns whether the bucket is empty, without taking a token. */
  isEmpty(name: string): boolean {
    return this.#rate.perSecond > 0 && this.#buckets.has(name) && this.#refill(name).tokens < 1;
  }

  /** Puts a token back that was taken. */
  returnToken(name: string): void {
    const bucket = this.#buckets.get(name);
    if (bucket) bucket.tokens = Math.min(this.#rate.burst, bucket.tokens + 1);
  }

  #refill(name: string): Bucket {
    const now = this.#nowMs();
    const known = this.#buckets.get(name);
    const bucket = known ?? { tokens: this.#rate.burst, atMs: now };
    const earned = (Math.max(0, now - bucket.atMs) / 1000) * this.#rate.perSecond;
    bucket.tokens = Math.min(this.#rate.burst, bucket.tokens + earned);
    bucket.atMs = now;
    // A Map keeps insertion order, so its first entry is the least recently used.
    if (known) this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > this.#maxBuckets) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return bucket;
  }
}

/**
 * Token buckets of addresses. A request takes a token of its address and of each wider network, which has a multiple of the rate, so that a customer
 * with many addresses has not as many times each limit.
 */
export class AddressBuckets {
  /** By the multiple of the rate. */
  readonly #buckets: ReadonlyMap<number, TokenBuckets>;

  constructor({ perSecond, burst }: Rate, maxBuckets: number, nowMs: () => number) {
    const bucketsOf = (times: number) => new TokenBuckets({ perSecond: perSecond * times, burst: burst * times }, maxBuckets, nowMs);
    this.#buckets = new Map(WIDTHS.map((times) => [times, bucketsOf(times)]));
  }

  /** Takes a token of an address, with a suffix that separates the buckets of different purposes. Returns false when a bucket is empty. */
  takeToken(ip: string, suffix = ''): boolean {
    const all = this.#of(ip, suffix);
    const missing = all.findIndex(({ buckets, name }) => !buckets.takeToken(name));
    if (missing < 0) return true;
    for (const { buckets, name } of all.slice(0, missing)) buckets.returnToken(name);
    return false;
  }

  /** Returns whether one of the buckets is empty, without taking a token. */
  isEmpty(ip: string, suffix = ''): boolean {
    return this.#of(ip, suffix).some(({ buckets, name }) => buckets.isEmpty(name));
  }

  /** Returns after how many milliseconds {@link takeToken} takes a token; 0: at once. */
  waitMs(ip: string, suffix = ''): number {
    return Math.max(...this.#of(ip, suffix).map(({ buckets, name }) => buckets.waitMs(name)));
  }

  /** Puts a token back that was taken. */
  returnToken(ip: string, suffix = ''): void {
    for (const { buckets, name } of this.#of(ip, suffix)) buckets.returnToken(name);
  }

  #of(ip: string, suffix: string) {
    return sharesOf(ip).flatMap(({ name, times }) => {
      const buckets = this.#buckets.get(times);
      return buckets ? { buckets, name: suffix === '' ? name : `${name} ${suffix}` } : [];
    });
  }
}
