import type { Msat } from '../kernel/money.ts';

interface Entry {
  readonly amountMsat: Msat;
  readonly ended: Promise<void>;
  isSpent: boolean;
  isWaiting: boolean;
}

/** An amount that {@link Reservations.add} keeps. */
export interface Reservation {
  /** What earlier reservations keep in the same account. */
  earlierMsat(): number;
  /** Resolves when one of the earlier reservations ends; at once if there is none. Until then nothing is kept, but it has its place. */
  waitForEarlier(): Promise<void>;
  /** Counts the reservations of the account that have ended: a balance that was read meanwhile may be from before or after that. */
  numEnded(): number;
  /** Whether the posting that spends it is applied, and is being committed: postings of later batches read a balance without it. */
  setSpent(isSpent: boolean): void;
  /** Call it when that posting is committed, or will not be. */
  release(): void;
}

/**
 * What this process keeps in accounts for postings that follow soon. Nothing of it is stored. Postings that can be refused leave it
 * (`leavesReserved`); all others, such as the ends of holds, do not know it.
 */
export class Reservations {
  readonly #entries = new Map<number, Entry[]>();
  readonly #ended = new Map<number, number>();

  /** Returns what a posting must leave in an account. */
  inAccount(account: number): number {
    return sumOf((this.#entries.get(account) ?? []).filter(({ isSpent, isWaiting }) => !isSpent && !isWaiting));
  }

  add(account: number, amountMsat: Msat): Reservation {
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const entry: Entry = { amountMsat, ended, isSpent: false, isWaiting: false };
    this.#entries.set(account, [...(this.#entries.get(account) ?? []), entry]);
    const earlier = (): Entry[] => {
      const entries = this.#entries.get(account) ?? [];
      return entries.slice(0, Math.max(0, entries.indexOf(entry)));
    };
    return {
      earlierMsat: () => sumOf(earlier()),
      async waitForEarlier() {
        const ends = earlier().map((one) => one.ended);
        entry.isWaiting = true;
        if (ends.length > 0) await Promise.race(ends);
        entry.isWaiting = false;
      },
      numEnded: () => this.#ended.get(account) ?? 0,
      setSpent(isSpent) {
        entry.isSpent = isSpent;
      },
      release: () => {
        const rest = (this.#entries.get(account) ?? []).filter((one) => one !== entry);
        if (rest.length > 0) {
          this.#entries.set(account, rest);
          this.#ended.set(account, (this.#ended.get(account) ?? 0) + 1);
        } else {
          // Only a caller with an entry in the account reads the count.
          this.#entries.delete(account);
          this.#ended.delete(account);
        }
        resolve();
      },
    };
  }
}

function sumOf(entries: readonly Entry[]): number {
  return entries.reduce((sum, { amountMsat }) => sum + amountMsat, 0);
}
