import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WalletTransaction } from '../../client/satchel.js';
import { balanceSteps, daysOf, type Movement, totalsOf } from '../../web/src/screens/wallet/balance-history.ts';
import { isFiltered, readFilters, requestOf } from '../../web/src/screens/wallet/filters.ts';
import { foldFees, groupByDay, holdList } from '../../web/src/screens/wallet/rows.ts';

function transaction(id: string, fields: object = {}): WalletTransaction {
  return { id, created_at: 1_795_300_000, wtxType: { name: 'ln_deposit' }, passThru: {}, ...fields } as WalletTransaction;
}
const fee = (id: string, source: string) => transaction(id, { wtxType: { name: 'network_fee' }, passThru: { source_transaction: source } });
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);

describe('the rows of a wallet', () => {
  it('show a fee with its payment, wherever it stands in the list', () => {
    const rows = foldFees([fee('f1', 'a'), transaction('b'), transaction('a'), fee('f0', 'older page')]);
    expect(rows.map((row) => [row.transaction.id, row.fee?.id])).toEqual([
      ['b', undefined],
      ['a', 'f1'],
    ]);
  });

  it('keep the order of the list in groups of one day', () => {
    const day = 86_400;
    const rows = foldFees([transaction('c', { created_at: 3 * day }), transaction('b', { created_at: 3 * day }), transaction('a')]);
    expect(groupByDay(rows).map((group) => ids(group.rows.map((row) => row.transaction)))).toEqual([['c', 'b'], ['a']]);
  });

  it('stay in place while a person reads: new ones are counted, present ones are renewed', () => {
    const shown = [transaction('b', { status: 'pending' }), transaction('a')];
    const held = holdList(shown, [transaction('c'), transaction('b', { status: 'settled' }), transaction('a')], 50);
    expect(ids(held.shown)).toEqual(['b', 'a']);
    expect(held.shown[0]?.status).toBe('settled');
    expect(held.newCount).toBe(1);
  });

  it('leave a held list that no longer contains them, but not because new ones moved them to the next page', () => {
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => transaction(id));
    if (!a || !b || !c || !d) throw new Error('missing');
    expect(ids(holdList([b, a], [b], 50).shown)).toEqual(['b']);
    expect(ids(holdList([c, b, a], [d, c, b], 3).shown)).toEqual(['c', 'b', 'a']);
    expect(holdList([a], [d, c, b], 3)).toMatchObject({ shown: [{ id: 'a' }], newCount: 3 });
  });

  it('count a payment and its fee as one', () => {
    expect(holdList([transaction('a')], [fee('f', 'b'), transaction('b'), transaction('a')], 50).newCount).toBe(1);
  });
});

describe('the balance over time', () => {
  const movement = fc.record({ at: fc.integer({ min: 1, max: 1000 }), msat: fc.integer({ min: -1e9, max: 1e9 }), isFee: fc.boolean() });
  const newestFirst = fc.array(movement).map((list) => list.sort((a, b) => b.at - a.at));

  it('ends at the present balance, begins before the first movement, and its times never decrease', () => {
    fc.assert(
      fc.property(newestFirst, fc.integer({ min: 0, max: 2e12 }), (movements: Movement[], balance) => {
        const steps = balanceSteps(movements, balance, { from: 0, now: 2000 });
        expect(steps.at(-1)).toEqual({ at: 2000, value: Math.floor(balance / 1000) });
        const before = movements.reduce((left, { msat }) => left - msat, balance);
        expect(steps[0]?.value).toBe(Math.floor(before / 1000));
        expect(steps.every(({ at }, index) => index === 0 || at >= (steps[index - 1]?.at ?? 0))).toBe(true);
      }),
    );
  });

  it('leaves out movements before the period', () => {
    const movements = [
      { at: 90, msat: 2000, isFee: false },
      { at: 10, msat: 5000, isFee: false },
    ];
    expect(balanceSteps(movements, 7000, { from: 50, now: 100 })).toEqual([
      { at: 50, value: 5 },
      { at: 90, value: 7 },
      { at: 100, value: 7 },
    ]);
  });

  it('adds the same amounts up per day and over the period', () => {
    fc.assert(
      fc.property(newestFirst, (movements: Movement[]) => {
        const totals = totalsOf(movements);
        expect(totals.inMsat - totals.outMsat).toBe(movements.reduce((sum, { msat }) => sum + msat, 0));
        const days = daysOf(movements, { from: 1, now: 1000 });
        expect(days.reduce((sum, day) => sum + day.in, 0)).toBe(Math.floor(totals.inMsat / 1000));
      }),
    );
  });

  it('has a bar for every day, also for one without movements', () => {
    const day = 86_400;
    const days = daysOf([{ at: 3 * day + 5, msat: 9000, isFee: false }], { from: day, now: 3 * day + 10 });
    expect(days).toHaveLength(3);
    expect(days.at(-1)).toMatchObject({ in: 9, out: 0 });
  });
});

describe('the filters in the address', () => {
  const read = (query: string) => readFilters(new URLSearchParams(query));

  it('are ignored where their values do not exist', () => {
    expect(isFiltered(read('status=gone&type=nothing&from=yesterday&to=2026-13-45&label=+'))).toBe(false);
  });

  it('include both days of a period as a whole', () => {
    const { from, to } = requestOf(read('from=2026-11-01&to=2026-11-01'));
    expect((to ?? 0) - (from ?? 0)).toBe(86_399);
  });

  it('search a payment hash by hash and any other text by label', () => {
    const hash = 'A'.repeat(64);
    expect(requestOf(read(`label=${hash}`))).toEqual({ status: 'all', payment_hash: hash.toLowerCase() });
    expect(requestOf(read('label=coffee'))).toEqual({ status: 'all', label: 'coffee' });
  });
});
