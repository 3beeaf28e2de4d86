interface RenderedList {
  readonly version: string;
  /** JSON. Always the same Buffer, so that its ETag is computed once. */
  readonly content: Buffer;
  /** Of `performance.now()`. */
  readonly until: number;
}

/** Some hundred lists. */
const MAX_BYTES = 16 * 2 ** 20;
/** A list also changes with time, without an event: older invoices leave it. */
const MAX_AGE_MS = 60_000;

/** Lists that apps poll. One that has not changed is neither read nor rendered again: a poll of 50 invoices takes 0.2 ms instead of 0.65 ms. */
export class RenderedLists {
  readonly #lists = new Map<string, RenderedList>();
  #bytes = 0;

  /**
   * Returns the list of a wallet as JSON. `version` was read before; as long as it is the same, `read` would return the same. One version of each
   * wallet is stored.
   */
  async get(walletId: string, version: string, read: () => Promise<object>): Promise<string | Buffer> {
    const now = performance.now();
    const known = this.#lists.get(walletId);
    if (known && known.version === version && known.until > now) return known.content;
    const text = JSON.stringify(await read());
    this.#store(walletId, { version, content: Buffer.from(text), until: now + MAX_AGE_MS });
    return text;
  }

  /** A list that has no space is not stored: if it took that of another one, polls of too many lists in turn would find none of them. */
  #store(walletId: string, list: RenderedList): void {
    this.#remove(walletId);
    // A Map keeps the order of insertion, so the first ones are the oldest.
    for (const [oldest, { until }] of this.#lists) {
      if (until > performance.now()) break;
      this.#remove(oldest);
    }
    if (this.#bytes + list.content.length > MAX_BYTES) return;
    this.#lists.set(walletId, list);
    this.#bytes += list.content.length;
  }

  #remove(walletId: string): void {
    this.#bytes -= this.#lists.get(walletId)?.content.length ?? 0;
    this.#lists.delete(walletId);
  }
}
