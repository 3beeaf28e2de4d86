import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { InvariantViolation } from '../../src/core/kernel/assert.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import { HoldClosed } from '../../src/core/ledger/arithmetic.ts';
import type { Posting, Receipt } from '../../src/core/ledger/posting.ts';
import { type Fault, faulty, isInjected } from '../support/faulty-database.ts';
import { amount, ledgerWith, onBothDatabases, problemsOfLedger } from '../support/ledger.ts';
import { ReferenceLedger, type Refused } from './reference-ledger.ts';

const WALLETS = 3;
/** Wallets by index, then the node, routing fees, service fees and suspense. */
const PLACES = WALLETS + Object.keys(SYSTEM_ACCOUNTS).length;

interface Move {
  readonly from: number;
  readonly to: number;
  readonly msat: number;
}

/** A posting with indexes instead of ids: of accounts, and of holds in the order in which they were requested. */
interface Wish {
  readonly moves: readonly Move[];
  readonly holds: readonly { readonly wallet: number; readonly msat: number; readonly reserve: number }[];
  readonly posts: readonly { readonly hold: number; readonly percent: number; readonly payee: number; readonly fee: number }[];
  readonly voids: readonly number[];
  /** The key of a row that can be written only once. */
  readonly row: number | undefined;
}

const wallet = fc.nat({ max: WALLETS - 1 });
const place = fc.nat({ max: PLACES - 1 });
const msat = fc.integer({ min: 1, max: 2000 });
const hold = fc.nat({ max: 12 });

const nothing: Wish = { moves: [], holds: [], posts: [], voids: [], row: undefined };
const deposit = fc.record({ from: fc.constant(WALLETS), to: wallet, msat: fc.integer({ min: 1, max: 5000 }) });
const move = fc.record({ from: wallet, to: place, msat });
/** Any two accounts, including those of the system, and a wallet twice. */
const oddMove = fc.record({ from: place, to: place, msat });
const newHold = fc.record({ wallet, msat, reserve: fc.nat({ max: 300 }) });
/** Beyond 100 percent it exceeds the hold. */
const post = fc.record({ hold, percent: fc.integer({ min: 1, max: 115 }), payee: place, fee: fc.nat({ max: 20 }) });
const upTo = <T>(max: number, item: fc.Arbitrary<T>) => fc.array(item, { maxLength: max });

const wish: fc.Arbitrary<Wish> = fc.oneof(
  { weight: 3, arbitrary: deposit.map((one) => ({ ...nothing, moves: [one] })) },
  { weight: 3, arbitrary: move.map((one) => ({ ...nothing, moves: [one] })) },
  { weight: 3, arbitrary: newHold.map((one) => ({ ...nothing, holds: [one] })) },
  { weight: 3, arbitrary: post.map((one) => ({ ...nothing, posts: [one] })) },
  { weight: 1, arbitrary: hold.map((one) => ({ ...nothing, voids: [one] })) },
  {
    weight: 4,
    arbitrary: fc.record({
      moves: upTo(3, fc.oneof(deposit, move, oddMove)),
      holds: upTo(2, newHold),
      posts: upTo(2, post),
      voids: upTo(2, hold),
      row: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
    }),
  },
);

const fault: fc.Arbitrary<Fault> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      statement: fc.integer({ min: 1, max: 40 }),
      fails: fc.constantFrom('before' as const, 'after' as const, 'by the database' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ commit: fc.integer({ min: 1, max: 6 }), fails: fc.constant('refused' as const) }) },
);

/** A batch of a history: concurrent postings, and the places where the database fails. */
interface Batch {
  readonly wishes: readonly Wish[];
  readonly faults: readonly Fault[];
}

const history = (faults: fc.Arbitrary<Fault[]>): fc.Arbitrary<Batch[]> =>
  fc.array(fc.record({ wishes: fc.array(wish, { minLength: 1, maxLength: 10 }), faults }), { maxLength: 8 });

const onceOnly = statement('test_once_only', `INSERT INTO service_fact (name, value) VALUES ($1, 'x') ON CONFLICT DO NOTHING`);

class RowWasThere extends Error {}

/** Converts the drafts of one history to postings. */
class Secretary {
  readonly #accounts: readonly number[];
  readonly #holds: { readonly id: string; readonly account: number; readonly msat: number }[] = [];
  readonly #history = newId();

  constructor(accounts: readonly number[]) {
    this.#accounts = accounts;
  }

  write({ moves, holds, posts, voids, row }: Wish): Posting {
    // A posting ends holds that earlier postings requested, not its own.
    const ended = {
      voids: voids.map((index) => ({ holdId: this.#hold(index).id, account: this.#hold(index).account })),
      posts: posts.map((one) => this.#post(one)),
    };
    return {
      ...ended,
      transfers: moves.map((one) => this.#transfer(one.from, one.to, one.msat)),
      holds: holds.map((one) => {
        const id = newId();
        const account = this.#account(one.wallet);
        this.#holds.push({ id, account, msat: one.msat });
        return { id, account, amountMsat: amount(one.msat), reserveMsat: amount(one.reserve) };
      }),
      rows: row === undefined ? [] : [{ statement: onceOnly, parameters: [`${this.#history} ${row}`], onMiss: new RowWasThere() }],
    };
  }

  /** The amount, the fee, and the part of the fee that the operator bears. */
  #post({ hold: index, percent, payee, fee }: Wish['posts'][number]) {
    const { id: holdId, account, msat: reserved } = this.#hold(index);
    const spent = Math.max(1, Math.floor((reserved * percent) / 100));
    const from = this.#accounts.indexOf(account);
    const transfers = [this.#transfer(from, payee, spent)];
    if (fee > 0) transfers.push(this.#transfer(from, WALLETS, fee), this.#transfer(WALLETS + 1, WALLETS, fee));
    return { holdId, account, transfers };
  }

  #transfer(from: number, to: number, value: number) {
    return { id: newId(), from: this.#account(from), to: this.#account(to), amountMsat: amount(value) };
  }

  #hold(index: number) {
    return this.#holds[index] ?? { id: 'never asked for', account: this.#account(0), msat: 1 };
  }

  #account(index: number): number {
    return index < WALLETS ? (this.#accounts[index] ?? 0) : index - WALLETS + 1;
  }
}

/** Returns the reason of the ledger's rejection in the terms of the reference; undefined when the posting was booked. */
function wordFor(outcome: PromiseSettledResult<Receipt>): Refused | 'database' | undefined {
  if (outcome.status === 'fulfilled') return undefined;
  const { reason } = outcome;
  if (isInjected(reason)) return 'database';
  if (reason instanceof HoldClosed) return 'closed';
  if (reason instanceof RowWasThere) return 'row';
  if (reason instanceof InvariantViolation) return 'bug';
  if (reason instanceof Refusal && reason.type === 'insufficient_balance') return 'insufficient_balance';
  throw reason;
}

function expectReceipt(receipt: Receipt, posting: Posting, reference: ReferenceLedger): void {
  for (const [account, balance] of receipt.balances) {
    const [balanceMsat, heldMsat] = [reference.balance(account), reference.held(account)];
    expect(balance).toMatchObject({ balanceMsat, heldMsat, spendableMsat: balanceMsat - heldMsat });
  }
  const requested = [...(posting.posts ?? []).flatMap(({ transfers }) => transfers), ...(posting.transfers ?? [])];
  expect(receipt.transfers).toMatchObject(requested);
}

interface Counts {
  done: number;
  refused: number;
  failed: number;
}

/** Runs a history on the ledger and on the reference. Compares the result of every posting and, after every batch, all balances. */
async function play(healthy: Database, batches: readonly Batch[], afterBatch: () => Promise<void>, counts: Counts): Promise<void> {
  const database = faulty(healthy);
  const { ledger, accounts } = await ledgerWith(database, new Array<number>(WALLETS).fill(0));
  const everything = [...accounts, ...Object.values(SYSTEM_ACCOUNTS)];
  const start = await Promise.all(everything.map(async (id) => [id, (await ledger.balance(id)).balanceMsat] as const));
  const reference = new ReferenceLedger(start);
  const secretary = new Secretary(accounts);
  for (const { wishes, faults } of batches) {
    const postings = wishes.map((one) => secretary.write(one));
    database.failAt(...faults);
    const outcomes = await Promise.allSettled(postings.map((posting) => ledger.post(posting)));
    database.failAt();
    for (const [index, posting] of postings.entries()) {
      const outcome = outcomes[index] as PromiseSettledResult<Receipt>;
      const word = wordFor(outcome);
      counts[word === undefined ? 'done' : word === 'database' ? 'failed' : 'refused'] += 1;
      // A posting on which the database failed has booked nothing, so it is not applied to the reference.
      if (word === 'database') continue;
      expect(word).toBe(reference.run(posting));
      if (outcome.status === 'fulfilled') expectReceipt(outcome.value, posting, reference);
      for (const { id } of posting.holds ?? []) expect(await ledger.reservedMsat(id)).toBe(reference.reserved(id));
    }
    for (const id of everything) {
      expect(await ledger.balance(id)).toMatchObject({ balanceMsat: reference.balance(id), heldMsat: reference.held(id) });
      if (accounts.includes(id)) expect(reference.balance(id)).toBeGreaterThanOrEqual(reference.held(id));
    }
    await afterBatch();
  }
}

onBothDatabases('the ledger against a slow reference implementation', (open, dialect) => {
  const sqlite = dialect === 'sqlite';

  it('gives the same results and balances for every history, however it is batched', async () => {
    const database = await open();
    const counts = { done: 0, refused: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(history(fc.constant([])), (batches) => play(database, batches, async () => undefined, counts)),
      { numRuns: sqlite ? 200 : 60, seed: 1 },
    );
    expect(await problemsOfLedger(database)).toEqual([]);
    expect(Math.min(counts.done, counts.refused)).toBeGreaterThan(200);
    expect(counts.failed).toBe(0);
  });

  it('S14: statements and commits that fail at random reject whole postings, and do not affect the others', async () => {
    const database = await open();
    const counts = { done: 0, refused: 0, failed: 0 };
    await fc.assert(
      fc.asyncProperty(history(fc.array(fault, { minLength: 1, maxLength: 6 })), (batches) =>
        play(database, batches, async () => undefined, counts),
      ),
      { numRuns: sqlite ? 250 : 80, seed: 2 },
    );
    expect(await problemsOfLedger(database)).toEqual([]);
    expect(Math.min(counts.done, counts.refused, counts.failed)).toBeGreaterThan(30);
  });

  it('F9: after every commit all entries sum to zero, balances are the sums of their entries, and no customer is below zero', async () => {
    const database = await open();
    const counts = { done: 0, refused: 0, failed: 0 };
    const clean = async () => expect(await problemsOfLedger(database)).toEqual([]);
    await fc.assert(
      fc.asyncProperty(history(fc.array(fault, { maxLength: 2 })), (batches) => play(database, batches, clean, counts)),
      { numRuns: 25, seed: 3 },
    );
    expect(counts.done).toBeGreaterThan(50);
  });
});
