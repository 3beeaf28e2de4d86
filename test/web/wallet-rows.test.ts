import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { WalletTransaction } from '../../client/satchel.js';
import { balanceSteps, daysOf } from '../../web/src/screens/wallet/balance-history.ts';
import { isFiltered, readFilters, requestOf, searchedSats } from '../../web/src/screens/wallet/filters.ts';
import { foldFees, groupByDay, holdList, keysendReceiver, receiverOf } from '../../web/src/screens/wallet/rows.ts';

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

  it('show a keysend with its receiver in the language of the page, unless a person has labeled it', () => {
    const receiver = `02${'ab'.repeat(32)}`;
    expect(keysendReceiver(`50 keysend to ${receiver}`)).toBe(receiver);
    for (const label of ['coffee', `my keysend to ${receiver}`, '', null]) expect(keysendReceiver(label)).toBeUndefined();
  });

  it('name the receiver of a payment as the service recorded it, and never that of an invoice', () => {
    const dest_pubkey = `02${'ab'.repeat(32)}`;
    const payment = (passThru: object) => transaction('a', { num_msat: -1000, passThru, lnTx: { dest_pubkey } });
    const key = '02abababab…ababab';
    expect(receiverOf(payment({ ln_address: 'ann@example.com', comment: 'hi' }))).toEqual({ name: 'ann@example.com', key });
    expect(receiverOf(payment({ lnurl_domain: 'example.com' }))).toEqual({ name: 'example.com', key });
    expect(receiverOf(payment({ ln_address: 7 }))).toEqual({ key });
    expect(receiverOf(transaction('a', { num_msat: 1000, lnTx: { dest_pubkey } }))).toEqual({});
    expect(receiverOf(transaction('a', { num_msat: -1000, lnTx: null }))).toEqual({});
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
  const HOUR = 3600;
  const START = 500 * 24 * HOUR;
  const sums = fc.record({ in_msat: fc.nat(1e9), out_msat: fc.nat(1e6), fees_msat: fc.nat(1e5), isQuiet: fc.boolean() });

  /** The response of the service for a wallet that had `before` millisatoshis. */
  function historyOf(before: number, parts: readonly Partial<Record<'in_msat' | 'out_msat' | 'fees_msat', number>>[], seconds = HOUR) {
    let balance_msat = before;
    const buckets = parts.map((part, index) => {
      const moved = { in_msat: 0, out_msat: 0, fees_msat: 0, in_count: 0, out_count: 0, failed_count: 0, ...part };
      balance_msat += moved.in_msat - moved.out_msat - moved.fees_msat;
      return { start: START + index * seconds, ...moved, balance_msat };
    });
    const sum = (name: 'in_msat' | 'out_msat' | 'fees_msat') => buckets.reduce((all, bucket) => all + bucket[name], 0);
    return { in_msat: sum('in_msat'), out_msat: sum('out_msat'), fees_msat: sum('fees_msat'), in_count: 0, out_count: 0, buckets };
  }

  it('begins before the first hour, follows each one that changed it, and ends at the present balance', () => {
    fc.assert(
      fc.property(fc.array(sums, { minLength: 1, maxLength: 60 }), fc.integer({ min: 1e10, max: 2e12 }), (parts, before) => {
        const history = historyOf(
          before,
          parts.map(({ isQuiet, ...part }) => (isQuiet ? {} : part)),
        );
        const last = history.buckets.at(-1);
        const now = (last?.start ?? 0) + 60;
        const steps = balanceSteps(history, last?.balance_msat ?? 0, now);
        expect(steps[0]).toEqual({ at: START, value: Math.floor(before / 1000) });
        expect(steps.at(-1)).toEqual({ at: now, value: Math.floor((last?.balance_msat ?? 0) / 1000) });
        expect(steps.every(({ at }, index) => index === 0 || at >= (steps[index - 1]?.at ?? 0))).toBe(true);
        for (const { start, balance_msat } of history.buckets) {
          const end = Math.min(now, start + HOUR);
          expect(steps.findLast(({ at }) => at <= end)?.value).toBe(Math.floor(balance_msat / 1000));
        }
      }),
    );
  });

  it('has a bar for every day with the same sums as the period, also for one without bookings', () => {
    fc.assert(
      fc.property(fc.array(sums, { minLength: 2, maxLength: 100 }), (parts) => {
        const msat = parts.map(({ in_msat, out_msat }) => ({ in_msat: in_msat * 1000, out_msat: out_msat * 1000 }));
        const history = historyOf(1e13, msat);
        const days = daysOf(history);
        expect(days.length).toBeGreaterThanOrEqual(Math.floor(parts.length / 25));
        expect(days.reduce((sum, day) => sum + day.in, 0)).toBe(history.in_msat / 1000);
        expect(days.reduce((sum, day) => sum + day.out, 0)).toBe(history.out_msat / 1000);
      }),
    );
    expect(daysOf(historyOf(0, [{}, {}, { in_msat: 9000 }], 24 * HOUR)).map((day) => day.in)).toEqual([0, 0, 9]);
  });

  it('names a day of UTC with its own date in every time zone', () => {
    const [day] = daysOf(historyOf(0, [{ in_msat: 1000 }, {}], 24 * HOUR));
    const [utc, here] = [new Date(START * 1000), new Date((day?.at ?? 0) * 1000)];
    expect([here.getFullYear(), here.getMonth(), here.getDate()]).toEqual([utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate()]);
  });
});

describe('the filters in the address', () => {
  const read = (query: string) => readFilters(new URLSearchParams(query));

  it('are ignored where their values do not exist', () => {
    expect(isFiltered(read('status=gone&type=nothing&from=yesterday&to=2026-13-45&label=+'))).toBe(false);
    expect(isFiltered(read('min=-1&max=1.5'))).toBe(false);
    expect(isFiltered(read('min=2&max=1'))).toBe(false);
    expect(isFiltered(read('max=9007199254741'))).toBe(false);
  });

  it('include both days of a period as a whole', () => {
    const { from, to } = requestOf(read('from=2026-11-01&to=2026-11-01'));
    expect((to ?? 0) - (from ?? 0)).toBe(86_399);
  });

  it('limit the amount in sats, at one end or both', () => {
    expect(requestOf(read('min=154&max=154'))).toEqual({ status: 'all', min_satoshis: 154, max_satoshis: 154 });
    expect(requestOf(read('min=154'))).toEqual({ status: 'all', min_satoshis: 154 });
    expect(requestOf(read('max=9007199254740'))).toEqual({ status: 'all', max_satoshis: 9_007_199_254_740 });
  });

  it.each([
    ['154', 154],
    ['+154', 154],
    ['\u2212154 sats', 154],
    ['1\u202f540', 1540],
    ['1.540', 1540],
    ['1,284,530 sat', 1_284_530],
    ['1.54', undefined],
    ['1,284.530', undefined],
    ['order 154', undefined],
    ['9007199254741', undefined],
  ])('offer to look for an amount if the text is a whole number: %s', (text, sats) => {
    expect(searchedSats(text)).toBe(sats);
  });

  it('search a payment hash by hash and any other text by label', () => {
    const hash = 'A'.repeat(64);
    expect(requestOf(read(`label=${hash}`))).toEqual({ status: 'all', payment_hash: hash.toLowerCase() });
    expect(requestOf(read('label=coffee'))).toEqual({ status: 'all', label: 'coffee' });
  });
});
