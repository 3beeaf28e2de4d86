/** So many tokens a second, and no more than `burst` saved up. A rate of 0: no limit. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  /** When `tokens` was right. */
  atMs: number;
}

/** One bucket for each name, at most so many of them: the one that was used longest ago makes room, and begins full when it comes back. */
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

  /** Takes a token; false when there is none. */
  take(name: string): boolean {
    if (this.#rate.perSecond === 0) return true;
    const bucket = this.#fill(name);
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }

  /** Whether there is none, without taking one. */
  isEmpty(name: string): boolean {
    return this.#rate.perSecond > 0 && this.#buckets.has(name) && this.#fill(name).tokens < 1;
  }

  /** Returns a token that was taken. */
  giveBack(name: string): void {
    const bucket = this.#buckets.get(name);
    if (bucket) bucket.tokens = Math.min(this.#rate.burst, bucket.tokens + 1);
  }

  #fill(name: string): Bucket {
    const now = this.#nowMs();
    const known = this.#buckets.get(name);
    const bucket = known ?? { tokens: this.#rate.burst, atMs: now };
    const earned = (Math.max(0, now - bucket.atMs) / 1000) * this.#rate.perSecond;
    bucket.tokens = Math.min(this.#rate.burst, bucket.tokens + earned);
    bucket.atMs = now;
    // A Map keeps the order of insertion: first is who was used longest ago.
    if (known) this.#buckets.delete(name);
    this.#buckets.set(name, bucket);
    if (this.#buckets.size > this.#maxBuckets) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return bucket;
  }
}
