import { mayGoBelowZero } from '../../src/core/ledger/accounts.ts';
import type { HoldOrder, Posting, TransferOrder } from '../../src/core/ledger/posting.ts';

/** Why a posting was rejected. */
export type Refused = 'insufficient_balance' | 'closed' | 'bug' | 'row';

interface ReferenceHold {
  readonly account: number;
  readonly msat: number;
  open: boolean;
}

interface Books {
  readonly balances: Map<number, number>;
  readonly holds: Map<string, ReferenceHold>;
  readonly rows: Set<string>;
}

/** Thrown in the middle of a posting; the books are then restored. */
class Stop extends Error {
  readonly why: Refused;

  constructor(why: Refused) {
    super(why);
    this.why = why;
  }
}

/**
 * The simplest ledger: it applies one posting after the other to a copy of all books, and drops the copy when the posting is rejected. It
 * has no batches, savepoints or locks.
 */
export class ReferenceLedger {
  #books: Books;

  constructor(balances: Iterable<readonly [account: number, msat: number]>) {
    this.#books = { balances: new Map(balances), holds: new Map(), rows: new Set() };
  }

  balance(account: number): number {
    return this.#books.balances.get(account) ?? 0;
  }

  held(account: number): number {
    return [...this.#books.holds.values()].reduce((sum, hold) => sum + (hold.open && hold.account === account ? hold.msat : 0), 0);
  }

  /** What a hold reserved. */
  reserved(holdId: string): number | undefined {
    return this.#books.holds.get(holdId)?.msat;
  }

  run(posting: Posting): Refused | undefined {
    const before = this.#books;
    this.#books = structuredClone(before);
    try {
      this.#try(posting);
      return undefined;
    } catch (error) {
      this.#books = before;
      if (error instanceof Stop) return error.why;
      throw error;
    }
  }

  /** Holds are ended first: a posting may spend the money that it releases. */
  #try({ voids = [], posts = [], transfers = [], holds = [], rows = [] }: Posting): void {
    for (const { holdId, account } of voids) this.#close(holdId, account);
    for (const { holdId, account, transfers: spends } of posts) {
      const hold = this.#close(holdId, account);
      const spent = spends.filter(({ from }) => from === account).reduce((sum, { amountMsat }) => sum + amountMsat, 0);
      if (spent > hold.msat) throw new Stop('bug');
      for (const spend of spends) this.#move(spend);
    }
    for (const transfer of transfers) this.#move(transfer);
    for (const hold of holds) this.#hold(hold);
    for (const { parameters } of rows) {
      const key = String(parameters[0]);
      if (this.#books.rows.has(key)) throw new Stop('row');
      this.#books.rows.add(key);
    }
  }

  #move({ from, to, amountMsat }: TransferOrder): void {
    if (from === to) throw new Stop('bug');
    if (!mayGoBelowZero(from) && this.balance(from) - this.held(from) < amountMsat) throw new Stop('insufficient_balance');
    this.#books.balances.set(from, this.balance(from) - amountMsat);
    this.#books.balances.set(to, this.balance(to) + amountMsat);
  }

  #hold({ id, account, amountMsat, reserveMsat }: HoldOrder): void {
    const spendable = this.balance(account) - this.held(account);
    if (spendable < amountMsat) throw new Stop('insufficient_balance');
    this.#books.holds.set(id, { account, msat: Math.min(amountMsat + reserveMsat, spendable), open: true });
  }

  #close(holdId: string, account: number): ReferenceHold {
    const hold = this.#books.holds.get(holdId);
    if (hold?.account !== account) throw new Stop('bug');
    if (!hold.open) throw new Stop('closed');
    hold.open = false;
    return hold;
  }
}
