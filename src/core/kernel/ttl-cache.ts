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
    return known && known.until > now ? known.value : this.#share(key, now, load);
  }

  /** Waits for a read of the same key that is running. If that one finds nothing, it reads again, because the value may exist by now. */
  async #share(key: string, now: number, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const running = this.#loading.get(key);
    return (running && (await running)) ?? this.#load(key, now, load);
  }

  async #load(key: string, now: number, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const loading = load();
    this.#loading.set(key, loading);
    try {
      const value = await loading;
      this.#entries.delete(key);
      if (value !== undefined) {
        this.#makeRoom();
        this.#entries.set(key, { value, until: now + this.#maxAgeMs });
      }
      return value;
    } finally {
      if (this.#loading.get(key) === loading) this.#loading.delete(key);
    }
  }

  /** Removes an entry that this process has changed. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** Removes the oldest entry when the cache is full: a Map keeps the order of insertion. */
  #makeRoom(): void {
    if (this.#entries.size < this.#maxSize) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}

/** How long a cached key or wallet may be out of date. */
export const SHORT_TTL = { maxAgeMs: 1000, maxSize: 20_000 };
