import { type Msat, maxMsat, minMsat, msat, satToMsat, subMsat, ZERO_MSAT } from '../kernel/money.ts';

/** How a fee limit follows from an amount: one part in `divisor`, rounded down, and at least a minimum. */
export interface FeeRule {
  readonly divisor: number;
  readonly minimumMsat: Msat;
}

/** For payments, unless the caller gives a limit: 5 % of the amount, at least 10 sat. */
export const PAYMENT_FEE_RULE: FeeRule = { divisor: 20, minimumMsat: satToMsat(10) };

/** For claims of a withdraw link, unless its creator gives a limit: 1 % of the amount, at least 1 sat. */
export const CLAIM_FEE_RULE: FeeRule = { divisor: 100, minimumMsat: satToMsat(1) };

/** Returns what routing an amount may cost. */
export function feeLimit({ divisor, minimumMsat }: FeeRule, amountMsat: Msat): Msat {
  return maxMsat(msat(Math.floor(amountMsat / divisor)), minimumMsat);
}

/**
 * Returns the largest amount that leaves its fee limit: amount + {@link feeLimit} ≤ spendable; 0 when there is none.
 *
 * The condition is two conditions, amount + minimum ≤ spendable and amount + ⌊amount/d⌋ ≤ spendable. The sum in the second is (d+1)·q + r
 * for an amount of d·q + r, so it never takes the value (d+1)·q + d; the largest amount for that is the one for the value before.
 */
export function maxPayable({ divisor, minimumMsat }: FeeRule, spendableMsat: Msat): Msat {
  if (spendableMsat <= minimumMsat) return ZERO_MSAT;
  const rest = spendableMsat % (divisor + 1);
  const whole = (spendableMsat - rest) / (divisor + 1);
  return minMsat(subMsat(spendableMsat, minimumMsat), msat(divisor * whole + Math.min(rest, divisor - 1)));
}
