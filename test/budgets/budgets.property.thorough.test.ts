import fc from 'fast-check';
import { expect, it } from 'vitest';
import { insertKey } from '../../src/core/accounts/accounts.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { readSpending } from '../../src/core/budgets/budgets.sql.ts';
import { type KeyLimits, periodStart } from '../../src/core/budgets/limits.ts';
import type { Database } from '../../src/core/db/database.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import type { Payment } from '../../src/core/payments/payment.ts';
import { transferBetween } from '../../src/core/payments/transfer.ts';
import { type Fault, isInjected } from '../support/faulty-database.ts';
import { amount, onBothDatabases, problemsOf } from '../support/ledger.ts';
import { draftOf, type Modules, modulesOn, preimageOf } from '../support/modules.ts';

const clock = { nowMs: () => 1_700_000_000_000 };
const DAY = periodStart('day', 1_700_000_000);

interface Spend {
  readonly msat: number;
  /** The fee reserve; undefined for a transfer, which has none. */
  readonly reserve: number | undefined;
}

/** The end of one of the pending payments. The fee is a percentage of the reserve; beyond 100 the operator bears the rest. */
interface End {
  readonly which: number;
  readonly succeeds: boolean;
  readonly feePercent: number;
}

/** Concurrent steps: all of them start payments, or all end them, so that the counters only grow or only shrink. */
interface Step {
  readonly spends: readonly Spend[];
  readonly ends: readonly End[];
  readonly faults: readonly Fault[];
}

const spend = fc.record({ msat: fc.integer({ min: 1, max: 400 }), reserve: fc.option(fc.nat({ max: 60 }), { nil: undefined }) });
const end = fc.record({ which: fc.nat({ max: 20 }), succeeds: fc.boolean(), feePercent: fc.nat({ max: 130 }) });
const fault: fc.Arbitrary<Fault> = fc.record({
  statement: fc.integer({ min: 1, max: 40 }),
  fails: fc.constantFrom('before' as const, 'after' as const, 'by the database' as const),
});
const faults = fc.oneof({ weight: 3, arbitrary: fc.constant<Fault[]>([]) }, { weight: 1, arbitrary: fc.array(fault, { maxLength: 2 }) });
const some = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  some(spend).chain((spends) => fc.record({ spends: fc.constant(spends), ends: fc.constant([]), faults })),
  some(end).chain((ends) => fc.record({ spends: fc.constant([]), ends: fc.constant(ends), faults })),
);

/** The reference: it stores every payment and adds them up each time. */
class Twin {
  readonly pending: { payment: Payment; countedMsat: number }[] = [];
  readonly spent: number[] = [];

  get pendingMsat(): number {
    return this.pending.reduce((sum, { countedMsat }) => sum + countedMsat, 0);
  }

  get spentMsat(): number {
    return this.spent.reduce((a, b) => a + b, 0);
  }
}

interface Table {
  readonly modules: Modules;
  readonly twin: Twin;
  readonly limits: KeyLimits;
  spend(order: Spend): Promise<void>;
}

async function tableOn(database: Database, budgetMsat: number, capMsat: number): Promise<Table> {
  const modules = await modulesOn(database);
  const [wallet, friend] = [await modules.wallet(1_000_000), await modules.wallet(0)];
  const limit = { budget: { amountMsat: amount(budgetMsat), period: 'day' as const }, maxPaymentMsat: amount(capMsat) };
  const owner = { accountId: wallet.accountId, walletId: wallet.id };
  const lineageId = await database.transaction((tx) => insertKey(tx, clock, newKeyText('wallet_admin'), owner, { limits: limit }));
  const limits = { ...limit, lineageId };
  const twin = new Twin();
  return {
    modules,
    twin,
    limits,
    async spend({ msat, reserve }) {
      if (reserve === undefined) {
        const order = { source: wallet, destination: friend, amountMsat: amount(msat), memo: undefined, passThru: undefined, limits };
        await transferBetween(
          { database: modules.database, ledger: modules.ledger, fees: modules.fees, limits: modules.limits, clock },
          order,
        );
        twin.spent.push(msat);
      } else {
        const { payment } = await modules.saga.start({ payment: draftOf(wallet, msat), reserveMsat: amount(reserve), limits });
        const countedMsat = payment.charge?.pendingMsat ?? 0;
        expect(countedMsat).toBeGreaterThanOrEqual(msat);
        expect(countedMsat).toBeLessThanOrEqual(Math.min(msat + reserve, capMsat));
        twin.pending.push({ payment, countedMsat });
      }
    },
  };
}

async function endOne({ modules, twin }: Table, { which, succeeds, feePercent }: End): Promise<void> {
  const one = twin.pending[which];
  if (!one) return;
  const { payment, countedMsat } = one;
  const feeMsat = amount(Math.floor(((countedMsat - payment.amountMsat) * feePercent) / 100));
  const outcome = succeeds
    ? ({ state: 'succeeded', preimage: preimageOf(payment), feeMsat } as const)
    : ({ state: 'failed', reason: 'NO_ROUTE' } as const);
  await modules.saga.conclude(payment, outcome as never);
  if (!twin.pending.includes(one)) return;
  twin.pending.splice(twin.pending.indexOf(one), 1);
  if (succeeds) twin.spent.push(Math.min(payment.amountMsat + feeMsat, countedMsat));
}

/** Runs a history. After every step the counters must equal the sums of the reference, and be within the budget. */
async function play(database: Database, budgetMsat: number, capMsat: number, steps: readonly Step[]): Promise<void> {
  const table = await tableOn(database, budgetMsat, capMsat);
  const { modules, twin, limits } = table;
  for (const { spends, ends, faults: wanted } of steps) {
    const usedBefore = twin.pendingMsat + twin.spentMsat;
    modules.database.failAt(...wanted);
    const started = await Promise.allSettled(spends.map((one) => table.spend(one)));
    // Each pending payment ends at most once. Another test ends one twice.
    const distinct = [...new Map(ends.map((one) => [one.which, one])).values()].filter(({ which }) => which < twin.pending.length);
    const victims = distinct.map(({ which }) => twin.pending[which]);
    await Promise.allSettled(distinct.map((one, i) => endOne(table, { ...one, which: twin.pending.indexOf(victims[i] as never) })));
    modules.database.failAt();
    const used = twin.pendingMsat + twin.spentMsat;
    expect(used).toBeLessThanOrEqual(budgetMsat);
    for (const [index, outcome] of started.entries()) {
      if (outcome.status === 'fulfilled' || isInjected(outcome.reason)) continue;
      const { msat } = spends[index] as Spend;
      expect(outcome.reason).toBeInstanceOf(Refusal);
      // A payment is rejected only if it does not fit next to all payments that started at the same time.
      if (outcome.reason.type === 'payment_cap_exceeded') expect(msat).toBeGreaterThan(capMsat);
      else {
        expect(outcome.reason.type).toBe('budget_exceeded');
        expect(msat).toBeGreaterThan(budgetMsat - used);
      }
    }
    if (spends.length > 0) expect(used).toBeGreaterThanOrEqual(usedBefore);
    const row = await database.first(readSpending, limits.lineageId, DAY);
    expect(row ?? { spent_msat: 0, pending_msat: 0 }).toEqual({ spent_msat: twin.spentMsat, pending_msat: twin.pendingMsat });
  }
}

onBothDatabases('R8 R9: a budget', (open) => {
  it('is never exceeded, and counts exactly the pending and spent amounts, under concurrency and failures', async () => {
    const database = await open();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer({ min: 100, max: 500 }),
        fc.array(step, { maxLength: 8 }),
        async (budgetMsat, capMsat, steps) => {
          await play(database, budgetMsat, capMsat, steps);
          expect(await problemsOf(database)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('with a changed counter is found by verify', async () => {
    const database = await open();
    await play(database, 1_000, 500, [{ spends: [{ msat: 100, reserve: 0 }], ends: [], faults: [] }]);
    expect(await problemsOf(database)).toEqual([]);
    const tampered = { name: 'test_tamper', sqlite: '', postgres: '' };
    const text = 'UPDATE key_spending SET pending_msat = pending_msat - 1';
    await database.transaction((tx) => tx.run({ ...tampered, sqlite: text, postgres: text }));
    expect(await problemsOf(database)).toEqual([expect.stringContaining('budget')]);
  });
});
