import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MAX_MSAT, type Msat } from '../../src/core/kernel/money.ts';
import { CLAIM_FEE_RULE, type FeeRule, feeLimit, maxPayable, PAYMENT_FEE_RULE } from '../../src/core/payments/fee-limit.ts';

const RULES: [name: string, rule: FeeRule][] = [
  ['payments', PAYMENT_FEE_RULE],
  ['claims', CLAIM_FEE_RULE],
];

/** Returns whether a balance covers an amount and its fee limit. In BigInt, because the sum may not be a safe integer. */
function fits(rule: FeeRule, amountMsat: number, spendableMsat: number): boolean {
  const limit = BigInt(amountMsat) / BigInt(rule.divisor);
  const minimum = BigInt(rule.minimumMsat);
  return BigInt(amountMsat) + (limit > minimum ? limit : minimum) <= BigInt(spendableMsat);
}

function expectLargest(rule: FeeRule, spendableMsat: number): void {
  const amount = maxPayable(rule, spendableMsat as Msat);
  expect(Number.isSafeInteger(amount)).toBe(true);
  expect(amount).toBeGreaterThanOrEqual(0);
  if (amount > 0) expect([spendableMsat, fits(rule, amount, spendableMsat)]).toEqual([spendableMsat, true]);
  expect([spendableMsat, fits(rule, amount + 1, spendableMsat)]).toEqual([spendableMsat, false]);
}

it.each(RULES)('returns the largest amount that leaves room for its fee limit, for %s and any balance', (_name, rule) => {
  fc.assert(fc.property(fc.integer({ min: 0, max: MAX_MSAT }), (spendable) => expectLargest(rule, spendable)));
  fc.assert(fc.property(fc.integer({ min: 0, max: 2_000_000 }), (spendable) => expectLargest(rule, spendable)));
});

it.each(RULES)('returns the same around the amount where the share exceeds the minimum, for %s', (_name, rule) => {
  const turn = rule.minimumMsat * (rule.divisor + 1);
  for (const from of [0, rule.minimumMsat - 50, turn - 500, MAX_MSAT - 500]) {
    for (let spendable = Math.max(0, from); spendable <= Math.min(MAX_MSAT, from + 1_000); spendable++) expectLargest(rule, spendable);
  }
});

it('limits fees to 5 % and at least 10 sat for payments, to 1 % and at least 1 sat for claims', () => {
  const limits = [1, 199_999, 200_020, 1_000_019].map((amount) => feeLimit(PAYMENT_FEE_RULE, amount as Msat));
  expect(limits).toEqual([10_000, 10_000, 10_001, 50_000]);
  const claims = [1, 99_999, 100_100, 1_000_099].map((amount) => feeLimit(CLAIM_FEE_RULE, amount as Msat));
  expect(claims).toEqual([1_000, 1_000, 1_001, 10_000]);
});
