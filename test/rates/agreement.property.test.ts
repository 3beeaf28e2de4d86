import fc from 'fast-check';
import { expect, it } from 'vitest';
import { agree, CONFIRMATIONS, judge, type KnownRate } from '../../src/core/rates/agreement.ts';

const BASE = 6_000_000_000_000n;
/** Within 1 % of 60,000. */
const honest = fc.bigInt({ min: BASE, max: (BASE * 101n) / 100n });
const anything = fc.oneof(fc.bigInt({ min: 1n, max: 10n ** 23n }), honest);

const knownAt = (price: bigint): KnownRate => ({
  accepted: price,
  candidate: undefined,
  confirmations: 0,
  majorityRates: [{ at: 0, low: price, high: price }],
  isRecent: true,
});

const quotesOf = (prices: readonly bigint[]) => prices.map((price, index) => ({ source: `host${index}`, price }));

it('agrees on a price within the range of the honest providers, if they are a majority, whatever the others return', () => {
  const sets = fc
    .integer({ min: 1, max: 5 })
    .chain((count) => fc.tuple(fc.array(honest, { minLength: count, maxLength: count }), fc.array(anything, { maxLength: count - 1 })));
  fc.assert(
    fc.property(sets, ([good, bad]) => {
      const { price, excluded } = agree(quotesOf([...good, ...bad]));
      expect(price).toBeDefined();
      // A lie that is near the honest prices counts as one of them, so the median may leave their range by as much as is tolerated.
      expect(price !== undefined && price * 100n >= BASE * 97n && price * 100n <= BASE * 105n).toBe(true);
      expect(excluded.every(({ price: one }) => !good.includes(one))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

it('returns no price, or the median of agreeing prices that are more than half', () => {
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 9 }), (prices) => {
      const { price, agreeing, excluded } = agree(quotesOf(prices));
      expect(agreeing.length + excluded.length).toBe(prices.length);
      expect(price === undefined).toBe(2 * agreeing.length <= prices.length);
      const own = agreeing.map((one) => one.price);
      if (price !== undefined) expect(own.filter((one) => one <= price).length * 2 >= own.length).toBe(true);
      if (price !== undefined) expect(own.filter((one) => one >= price).length * 2 >= own.length).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

it('accepts a price that is ×1.5 or more, or ÷1.5 or less, only after five equal ones in a row or by the operator', () => {
  fc.assert(
    fc.property(fc.array(anything, { maxLength: 30 }), (prices) => {
      let known = knownAt(BASE);
      const recent: bigint[] = [];
      for (const price of prices) {
        const verdict = judge(known, { price, isMajority: true, isAcceptedByOperator: false });
        recent.push(price);
        const before = known.accepted ?? 0n;
        if (verdict === 'accepted') {
          const isJump = price * 2n >= before * 3n || price * 3n <= before * 2n;
          const last = recent.slice(-CONFIRMATIONS);
          if (isJump)
            expect(last.every((one) => one * 3n > before * 2n === price * 3n > before * 2n) && last.length === CONFIRMATIONS).toBe(true);
          known = knownAt(price);
        } else if (verdict !== 'kept') known = { ...known, candidate: price, confirmations: verdict };
      }
    }),
    { numRuns: 1000 },
  );
});
