/** How many requests are executed at the same time, in total and of one account. */
interface TurnLimits {
  readonly total: number;
  readonly ofAccount: number;
}

/** Executes the requests of apps, a few at the same time. Accounts take turns, so that many requests of one do not delay those of the others. */
export class RequestTurns {
  readonly #limits: TurnLimits;
  readonly #running = new Map<string, number>();
  /** What begins each request, by account. An account that had a turn is moved behind the others. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #total = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Returns the requests of an account that wait. */
  countWaiting(account: string): number {
    return this.#waiting.get(account)?.length ?? 0;
  }

  async run<T>(account: string, work: () => Promise<T>): Promise<T> {
    await new Promise<void>((resolve) => {
      const own = this.#waiting.get(account) ?? [];
      own.push(resolve);
      this.#waiting.set(account, own);
      this.#beginNext();
    });
    try {
      return await work();
    } finally {
      this.#total -= 1;
      this.#count(account, -1);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    // An account that is moved behind the others is visited again.
    for (const [account, own] of this.#waiting) {
      if (this.#total >= this.#limits.total) return;
      if ((this.#running.get(account) ?? 0) >= this.#limits.ofAccount) continue;
      this.#total += 1;
      this.#count(account, 1);
      own.shift()?.();
      this.#waiting.delete(account);
      if (own.length > 0) this.#waiting.set(account, own);
    }
  }

  #count(account: string, change: 1 | -1): void {
    const n = (this.#running.get(account) ?? 0) + change;
    if (n === 0) this.#running.delete(account);
    else this.#running.set(account, n);
  }
}

/** Returns items in turns: the first one of each account, then the second ones, and so on. */
export function inTurns<T>(items: readonly T[], accountOf: (item: T) => string): T[] {
  const ofAccounts = [...Map.groupBy(items, accountOf).values()];
  const longest = Math.max(0, ...ofAccounts.map(({ length }) => length));
  return Array.from({ length: longest }, (_, index) => ofAccounts.flatMap((own) => own.slice(index, index + 1))).flat();
}
