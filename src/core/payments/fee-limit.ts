import { type Msat, maxMsat, minMsat, msat, satToMsat, subMsat, ZERO_MSAT } from '../kernel/money.ts';

/** A fee limit as a share of the amount: amount / `divisor`, rounded down, but at least the minimum. */
export interface FeeRule {
  readonly divisor: number;
  readonly minimumMsat: Msat;
}

/** The default for payments: 5 % of the amount, at least 10 sat. */
export const PAYMENT_FEE_RULE: FeeRule = { divisor: 20, minimumMsat: satToMsat(10) };

/** The default for claims of a withdraw link: 1 % of the amount, at least 1 sat. */
export const CLAIM_FEE_RULE: FeeRule = { divisor: 100, minimumMsat: satToMsat(1) };

/** Returns the fee limit of an amount. */
export function feeLimit({ divisor, minimumMsat }: FeeRule, amountMsat: Msat): Msat {
  return maxMsat(msat(Math.floor(amountMsat / divisor)), minimumMsat);
}

/** Returns the largest amount with amount + {@link feeLimit} + service fee ≤ spendable; 0 if there is none. The fee never falls with the amount. */
export function maxPayableWithFee(rule: FeeRule, spendableMsat: Msat, feeOf: ((amountMsat: Msat) => Msat) | undefined): Msat {
  const most = maxPayable(rule, spendableMsat);
  return feeOf ? largestAmount(most, (amountMsat) => amountMsat + feeLimit(rule, amountMsat) + feeOf(amountMsat) <= spendableMsat) : most;
}

/** What limits a payment over the network besides the wallet's balance. */
export interface PayableTerms {
  /** The fee of this service for an amount; undefined without one. */
  readonly feeOf?: ((amountMsat: Msat) => Msat) | undefined;
  /** What the channels of the node can send; undefined if it is unknown. */
  readonly nodeSpendableMsat?: Msat | undefined;
}

/** Returns the largest amount that the wallet can pay over the network with the default fee reserve, and that its node can send. */
export function maxPayableNow(spendableMsat: Msat, { feeOf, nodeSpendableMsat }: PayableTerms): Msat {
  const ofWallet = maxPayableWithFee(PAYMENT_FEE_RULE, spendableMsat, feeOf);
  // A route may need less than its reserve, but no less than the amount must leave the node.
  return nodeSpendableMsat === undefined ? ofWallet : minMsat(ofWallet, maxPayable(PAYMENT_FEE_RULE, nodeSpendableMsat));
}

/** Returns the largest amount up to `most` that meets a condition, which also holds for all smaller amounts; 0 if there is none. */
export function largestAmount(most: Msat, isPayable: (amountMsat: Msat) => boolean): Msat {
  let [low, high] = [0, most as number];
  while (low < high) {
    const middle = low + Math.ceil((high - low) / 2);
    if (isPayable(msat(middle))) low = middle;
    else high = middle - 1;
  }
  return msat(low);
}

/**
 * Returns the largest amount with amount + {@link feeLimit} ≤ spendable; 0 if there is none.
 *
 * These are two conditions: amount + minimum ≤ spendable, and amount + ⌊amount/d⌋ ≤ spendable. For amount = d·q + r, the second sum is
 * (d+1)·q + r. It never equals (d+1)·q + d, so for that value the largest amount is the one of the value below it.
 */
export function maxPayable({ divisor, minimumMsat }: FeeRule, spendableMsat: Msat): Msat {
  if (spendableMsat <= minimumMsat) return ZERO_MSAT;
  const rest = spendableMsat % (divisor + 1);
  const whole = (spendableMsat - rest) / (divisor + 1);
  return minMsat(subMsat(spendableMsat, minimumMsat), msat(divisor * whole + Math.min(rest, divisor - 1)));
}
