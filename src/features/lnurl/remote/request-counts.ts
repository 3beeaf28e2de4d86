import { Refusal } from '../../../core/kernel/refusal.ts';

/**
 * The concurrent requests to other services. The HTTP client has 256 places for the whole service; without limits, one account could occupy
 * all of them with links of slow services.
 */
const MAX_PER_ACCOUNT = 64;
const MAX_PER_WALLET = 32;
/** A public API key may probe, so probes have places of their own: they must not keep the account from paying. */
const MAX_PROBES_PER_ACCOUNT = 8;

/** Counts running requests of accounts and wallets. Each instance of the service counts separately. */
export class RequestCounts {
  readonly #running = new Map<string, number>();

  /** Runs a payment or withdrawal of a wallet. @throws Refusal `rate_limited` */
  ofWallet<T>({ id, accountId }: { readonly id: string; readonly accountId: string }, work: () => Promise<T>): Promise<T> {
    return this.#limited(id, MAX_PER_WALLET, () => this.#limited(accountId, MAX_PER_ACCOUNT, work));
  }

  /** Runs a probe of an account. @throws Refusal `rate_limited` */
  ofProbe<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    return this.#limited(`probes ${accountId}`, MAX_PROBES_PER_ACCOUNT, work);
  }

  async #limited<T>(name: string, max: number, work: () => Promise<T>): Promise<T> {
    const running = this.#running.get(name) ?? 0;
    if (running >= max) throw tooMany();
    this.#running.set(name, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(name) ?? 1) - 1;
      if (left === 0) this.#running.delete(name);
      else this.#running.set(name, left);
    }
  }
}

function tooMany(): Refusal {
  return new Refusal(
    'rate_limited',
    'Too many requests of this wallet or account to other services are running. This request paid nothing. Try again later.',
  );
}
