import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { receiptFee, type ServiceFeeRule, serviceFee } from '../../src/core/fees/fee-rule.ts';
import { MAX_MSAT, type Msat, msat } from '../../src/core/kernel/money.ts';
import { feeLimit, maxPayableWithFee, PAYMENT_FEE_RULE } from '../../src/core/payments/fee-limit.ts';
import { anyRule } from './rules.ts';

const anyAmount = fc.oneof(fc.maxSafeNat(), fc.nat({ max: 5_000_000 })).map(msat);

/** A rule with an amount, which is often the free amount of the rule or next to it. */
const ruleAndAmount = anyRule.chain((rule) => {
  const nextToFree = fc.constantFrom(-1, 0, 1).map((difference) => msat(Math.max(1, rule.freeBelowMsat + difference)));
  return fc.tuple(fc.constant(rule), fc.oneof(anyAmount, nextToFree));
});

/** The rule in exact fractions, written from its description. */
function twin({ flatMsat, proportionalMillionths, minMsat, maxMsat, freeBelowMsat }: ServiceFeeRule, amountMsat: number): bigint {
  if (amountMsat < freeBelowMsat) return 0n;
  const millionths = BigInt(flatMsat) * 1_000_000n + BigInt(amountMsat) * BigInt(proportionalMillionths);
  const candidates = [(millionths - (millionths % 1_000_000n)) / 1_000_000n, BigInt(minMsat)];
  const least = candidates.reduce((a, b) => (a > b ? a : b));
  return maxMsat !== undefined && least > BigInt(maxMsat) ? BigInt(maxMsat) : least;
}

describe('the fee of the service', () => {
  it('equals the fee in exact fractions', () => {
    fc.assert(
      fc.property(ruleAndAmount, ([rule, amountMsat]) => {
        const exact = twin(rule, amountMsat);
        expect(BigInt(serviceFee(rule, amountMsat))).toBe(exact > BigInt(MAX_MSAT) ? BigInt(MAX_MSAT) : exact);
      }),
    );
  });

  it('never falls when the amount rises', () => {
    fc.assert(
      fc.property(ruleAndAmount, anyAmount, ([rule, one], other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)].map(msat) as [Msat, Msat];
        expect(serviceFee(rule, less)).toBeLessThanOrEqual(serviceFee(rule, more));
      }),
    );
  });

  it('is at most the amount that arrives', () => {
    fc.assert(
      fc.property(anyRule, fc.integer({ min: 1, max: 1_000_000 }).map(msat), (rule, amountMsat) => {
        expect(receiptFee(rule, amountMsat)).toBe(Math.min(serviceFee(rule, amountMsat), amountMsat));
      }),
    );
  });

  it('leaves the largest payable amount payable, and one millisatoshi more not', () => {
    fc.assert(
      fc.property(anyRule, fc.nat({ max: 50_000_000 }).map(msat), (rule, spendableMsat) => {
        const most = maxPayableWithFee(PAYMENT_FEE_RULE, spendableMsat, (amountMsat) => serviceFee(rule, amountMsat));
        const cost = (amountMsat: Msat) => amountMsat + feeLimit(PAYMENT_FEE_RULE, amountMsat) + serviceFee(rule, amountMsat);
        if (most > 0) expect(cost(most)).toBeLessThanOrEqual(spendableMsat);
        expect(cost(msat(most + 1))).toBeGreaterThan(spendableMsat);
      }),
    );
  });
});
