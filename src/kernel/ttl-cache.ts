/**
 * Keeps what was read for a moment, so that a busy key is not read again on every request. Only for what may lag: whatever moves
 * money checks the database in its own transaction. What was not found is not kept.
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

  /** What is known is there at once, without a promise of its own. */
  get(key: string, load: () => Promise<V | undefined>): V | Promise<V | undefined> {
    const now = performance.now();
    const known = this.#entries.get(key);
    return known && known.until > now ? known.value : this.#share(key, now, load);
  }

  /** Who comes meanwhile waits for the same read. That nothing was there may be old: only what was found is shared. */
  async #share(key: string, now: number, load: () => Promise<V | undefined>): Promise<V | undefined> {
    const coming = this.#loading.get(key);
    return (coming && (await coming)) ?? this.#load(key, now, load);
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

  /** For what this process changed itself. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  /** The oldest entry goes first: a Map keeps the order in which they came. */
  #makeRoom(): void {
    if (this.#entries.size < this.#maxSize) return;
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest);
      return;
    }
  }
}

/** How long a read of a key or a wallet may lag behind its change. */
export const SHORT_TTL = { maxAgeMs: 1000, maxSize: 20_000 };
