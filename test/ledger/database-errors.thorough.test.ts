import { describe, expect, it } from 'vitest';
import { newId } from '../../src/core/kernel/ids.ts';
import type { Payment } from '../../src/core/payments/payment.ts';
import { findById } from '../../src/core/payments/payments.sql.ts';
import type { Wallet } from '../../src/core/wallets/wallets.ts';
import { type Fault, InjectedFailure, isInjected } from '../support/faulty-database.ts';
import { amount, onBothDatabases, problemsOf } from '../support/ledger.ts';
import { draftOf, type Modules, modulesOn, preimageOf, settlementOf } from '../support/modules.ts';

/** Balance and held amount of a payer, who begins with 10,000 msat, and of a payee, who begins with 0. */
type Books = { payer: [balanceMsat: number, heldMsat: number]; payee: [balanceMsat: number, heldMsat: number] };

interface Case {
  readonly name: string;
  readonly before: Books;
  readonly after: Books;
  /** Prepares the step on a healthy database. Returns the step, which the fault interrupts. It throws unless it has succeeded. */
  ready(modules: Modules, payer: Wallet, payee: Wallet): Promise<() => Promise<unknown>>;
}

const untouched: Books = { payer: [10_000, 0], payee: [0, 0] };
const held: Books = { payer: [10_000, 7_500], payee: [0, 0] };
const succeeded = (payment: Payment, feeMsat = 123) =>
  ({ state: 'succeeded', preimage: preimageOf(payment), feeMsat: amount(feeMsat) }) as const;

async function begin({ saga }: Modules, payer: Wallet) {
  return (await saga.start({ payment: draftOf(payer, 7_000), reserveMsat: amount(500) })).payment;
}

const CASES: readonly Case[] = [
  {
    name: 'a transfer',
    before: untouched,
    after: { payer: [6_000, 0], payee: [4_000, 0] },
    async ready({ ledger }, payer, payee) {
      const transfer = { id: newId(), from: payer.ledgerAccount, to: payee.ledgerAccount, amountMsat: amount(4_000) };
      return () => ledger.post({ transfers: [transfer] });
    },
  },
  {
    name: 'a hold with its payment',
    before: untouched,
    after: held,
    async ready({ saga }, payer) {
      const payment = draftOf(payer, 7_000);
      return () => saga.start({ payment, reserveMsat: amount(500) });
    },
  },
  {
    name: 'a post with a fee',
    before: held,
    after: { payer: [2_877, 0], payee: [0, 0] },
    async ready(modules, payer) {
      const payment = await begin(modules, payer);
      return () => modules.saga.conclude(payment, succeeded(payment));
    },
  },
  {
    name: 'a post with a fee beyond the reserve, which the operator bears',
    before: held,
    after: { payer: [2_500, 0], payee: [0, 0] },
    async ready(modules, payer) {
      const payment = await begin(modules, payer);
      return () => modules.saga.conclude(payment, succeeded(payment, 900));
    },
  },
  {
    name: 'a void',
    before: held,
    after: untouched,
    async ready(modules, payer) {
      const payment = await begin(modules, payer);
      return () => modules.saga.conclude(payment, { state: 'failed', reason: 'NO_ROUTE' });
    },
  },
  {
    name: 'a settlement with its invoice',
    before: untouched,
    after: { payer: [10_000, 0], payee: [3_000, 0] },
    async ready(modules, _payer, payee) {
      const settlement = settlementOf(await modules.invoice(payee, 3_000), 3_000);
      return () => modules.invoices.settle(settlement);
    },
  },
  {
    name: 'a payment inside, which posts the hold and settles the invoice',
    before: { payer: [10_000, 3_000], payee: [0, 0] },
    after: { payer: [7_000, 0], payee: [3_000, 0] },
    async ready(modules, payer, payee) {
      const { database, saga, ledger } = modules;
      const payment = draftOf(payer, 3_000, await modules.invoice(payee, 3_000));
      // Places the hold, without the attempt that normally follows.
      database.failAt({ commit: 2, fails: 'refused' });
      await saga.start({ payment, reserveMsat: amount(0) });
      // Waits for the running attempt.
      await saga.attempt(payment);
      await ledger.drain();
      database.failAt();
      return async () => {
        await saga.attempt(payment);
        // It never throws. A failed attempt leaves the payment pending.
        if ((await database.first(findById, payment.id))?.state === 'pending') throw new InjectedFailure('the payment is still pending');
      };
    },
  },
];

async function booksOf({ ledger }: Modules, payer: Wallet, payee: Wallet): Promise<Books> {
  const [from, to] = await Promise.all([ledger.balance(payer.ledgerAccount), ledger.balance(payee.ledgerAccount)]);
  return { payer: [from.balanceMsat, from.heldMsat], payee: [to.balanceMsat, to.heldMsat] };
}

onBothDatabases('S14: a database error', (open) => {
  // One database for all tests. Each has its own wallets, and leaves a ledger without problems.
  const made: { modules?: Promise<Modules> } = {};
  const sharedModules = () => {
    made.modules ??= open().then(modulesOn);
    return made.modules;
  };

  for (const { name, ready, before, after } of CASES) {
    for (const fails of ['before', 'after', 'by the database'] as const) {
      it(`S14: ${fails} any single statement of ${name}: both sides or neither, and a retry works`, async () => {
        const modules = await sharedModules();
        const { database } = modules;
        for (let statement = 1; ; statement++) {
          const [payer, payee] = [await modules.wallet(10_000), await modules.wallet(0)];
          const step = await ready(modules, payer, payee);
          expect(await booksOf(modules, payer, payee)).toEqual(before);
          database.failAt({ statement, fails });
          const error = await step().then(
            () => undefined,
            (thrown: unknown) => thrown,
          );
          const happened = database.happened() > 0;
          database.failAt();
          expect(isInjected(error), `statement ${statement}: ${error}`).toBe(happened);
          if (happened) {
            expect(await booksOf(modules, payer, payee), `after statement ${statement}`).toEqual(before);
            expect(await problemsOf(database), `after statement ${statement}`).toEqual([]);
            await step();
          }
          expect(await booksOf(modules, payer, payee)).toEqual(after);
          expect(await problemsOf(database)).toEqual([]);
          if (happened) continue;
          // Fewer than two statements would mean that no fault was tested. PostgreSQL locks and writes; SQLite, which caches accounts, writes and
          // saves.
          expect(statement).toBeGreaterThan(2);
          return;
        }
      });
    }

    it(`at the commit of ${name}: neither side, and a retry works`, async () => {
      const modules = await sharedModules();
      const { database } = modules;
      const [payer, payee] = [await modules.wallet(10_000), await modules.wallet(0)];
      const step = await ready(modules, payer, payee);
      database.failAt({ commit: 1, fails: 'refused' });
      await expect(step()).rejects.toBeInstanceOf(InjectedFailure);
      database.failAt();
      expect(await booksOf(modules, payer, payee)).toEqual(before);
      expect(await problemsOf(database)).toEqual([]);
      await step();
      expect(await booksOf(modules, payer, payee)).toEqual(after);
      expect(await problemsOf(database)).toEqual([]);
    });

    // SQLite has no connection that could break, but its disk may fail during a commit.
    for (const fails of ['written, unknown', 'not written, unknown'] as const) {
      it(`B1: that loses the answer to the commit of ${name} (${fails}) is resolved: done, once`, async () => {
        const modules = await sharedModules();
        const { database } = modules;
        const [payer, payee] = [await modules.wallet(10_000), await modules.wallet(0)];
        const step = await ready(modules, payer, payee);
        database.failAt({ commit: 1, fails });
        const [outcome] = await Promise.allSettled([step()]);
        expect(database.happened()).toBe(1);
        database.failAt();
        // After a failure the caller may repeat the step; after a success it must be booked.
        if (outcome.status === 'rejected') {
          expect(await booksOf(modules, payer, payee)).toEqual(before);
          await step();
        }
        expect(await booksOf(modules, payer, payee)).toEqual(after);
        expect(await problemsOf(database)).toEqual([]);
      });
    }
  }

  it('in a batch affects none of its postings: they are decided again', async () => {
    const modules = await sharedModules();
    const { database, ledger } = modules;
    for (let statement = 1; ; statement++) {
      const wallets = await Promise.all([1, 2, 3, 4].map(() => modules.wallet(1_000)));
      const pay = (from: number, to: number, msat: number) =>
        ledger.post({
          transfers: [
            { id: newId(), from: wallets[from]?.ledgerAccount ?? 0, to: wallets[to]?.ledgerAccount ?? 0, amountMsat: amount(msat) },
          ],
        });
      database.failAt({ statement, fails: 'after' });
      const outcomes = await Promise.allSettled([pay(0, 1, 1_000), pay(0, 2, 1), pay(1, 2, 2_000), pay(2, 3, 3_000)]);
      const happened = database.happened() > 0;
      database.failAt();
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
      expect(outcomes[1]).toMatchObject({ reason: { type: 'insufficient_balance' } });
      const balances = await Promise.all(wallets.map((wallet) => ledger.balance(wallet.ledgerAccount)));
      expect(balances.map(({ balanceMsat }) => balanceMsat)).toEqual([0, 0, 0, 4_000]);
      expect(await problemsOf(database)).toEqual([]);
      if (!happened) return;
    }
  });

  it('that persists rejects the waiting postings; the ledger works again afterwards', async () => {
    const modules = await sharedModules();
    const { database, ledger } = modules;
    const [a, b] = await Promise.all([modules.wallet(1_000), modules.wallet(0)]);
    const pay = () => ledger.post({ transfers: [{ id: newId(), from: a.ledgerAccount, to: b.ledgerAccount, amountMsat: amount(1) }] });
    database.failAt(...Array.from({ length: 1_000 }, (_, i): Fault => ({ statement: i + 1, fails: 'before' })));
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, pay));
    database.failAt();
    expect(outcomes.every((outcome) => outcome.status === 'rejected' && isInjected(outcome.reason))).toBe(true);
    await pay();
    expect((await ledger.balance(b.ledgerAccount)).balanceMsat).toBe(1);
    expect((await ledger.balance(a.ledgerAccount)).balanceMsat).toBe(999);
    expect(await problemsOf(database)).toEqual([]);
  });

  describe('that loses the answer to a commit of several postings', () => {
    const LOST: readonly (readonly Fault[])[] = [
      [{ commit: 1, fails: 'written, unknown' }],
      [{ commit: 1, fails: 'not written, unknown' }],
      // The database stops: the read that finds out whether the batch was written fails as well, in each possible way.
      ...(['written, unknown', 'not written, unknown'] as const).flatMap((first): Fault[][] => [
        [
          { commit: 1, fails: first },
          { commit: 2, fails: 'refused' },
        ],
        [
          { commit: 1, fails: first },
          { commit: 2, fails: 'not written, unknown' },
        ],
        [
          { commit: 1, fails: first },
          { commit: 2, fails: 'written, unknown' },
        ],
      ]),
    ];
    for (const faults of LOST) {
      const history = faults.map(({ fails }) => fails).join(', then ');
      it(`B1: (${history}) rejects no posting that was booked and confirms none that was not`, async () => {
        const modules = await sharedModules();
        const { database, ledger } = modules;
        const [a, b, c] = await Promise.all([modules.wallet(1_000), modules.wallet(1_000), modules.wallet(0)]);
        const empty = (from: Wallet) =>
          ledger.post({ transfers: [{ id: newId(), from: from.ledgerAccount, to: c.ledgerAccount, amountMsat: amount(1_000) }] });
        database.failAt(...faults);
        const outcomes = await Promise.allSettled([empty(a), empty(b)]);
        database.failAt();
        const left = await Promise.all([a, b].map(async (wallet) => (await ledger.balance(wallet.ledgerAccount)).balanceMsat));
        // A refusal promises that nothing was paid, so the client pays again.
        expect(left).toEqual(outcomes.map(({ status }) => (status === 'fulfilled' ? 0 : 1_000)));
        expect(await problemsOf(database)).toEqual([]);
      });
    }
  });
});
