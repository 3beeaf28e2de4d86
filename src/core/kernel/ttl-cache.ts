/**
 * A cache whose entries expire, so that a busy key is not read on every request. Only for values that may be out of date: postings check the
 * database in their own transaction. A value that was not found is not cached.
 */
export class TtlCache<V> {
  readonly #maxAgeMs: number;
  readonly #maxSize: number;
  readonly #entries = new Map<string, { readonly value: V; readonly until: number }>();
  readonly #loading = new Map<string, Promise<V | undefined>>();

  constructor({ maxAgeMs, maxSize }: { maxAgeMs: number; maxSize: number }) {
    this.#maxAgeMs = maxAgeMs;
    this.#maxSize = maxSize;
  }

  /** Returns a cached value directly, without a promise. */
  get(key: string, load: () => Promise<V | undefined>): V | Promise<V | undefined> {
    const now = performance.now();
    const known = this.#entries.get(key);
    return known && known.until > now ? known.value : this.#load(key, now, load);
  }

  async #load(key: string, now: number, load: () => Promise<V | undefined>): Promise<V | undefined> {
    // If the read that is running finds nothing, this one reads again, because the value may exist by now.
    const running = this.#loading.get(key);
    const shared = running && (await running);
    if (shared !== undefined) return shared;
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      this.#entries.delete(key);
      if (value === undefined) return undefined;
      // A Map keeps the order of insertion, so its first entry is the oldest.
      if (this.#entries.size >= this.#maxSize) this.#entries.delete(this.#entries.keys().next().value as string);
      this.#entries.set(key, { value, until: now + this.#maxAgeMs });
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }

  /** Removes all entries. */
  clear(): void {
    this.#entries.clear();
  }

  /** Removes an entry that this process has changed. */
  forget(key: string): void {
    this.#entries.delete(key);
  }
}

/** How long a cached key or wallet may be out of date. */
export const SHORT_TTL = { maxAgeMs: 1000, maxSize: 20_000 };
