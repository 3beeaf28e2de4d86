import { MAX_MSAT, type Msat, maxMsat, minMsat, msat, ZERO_MSAT } from '../kernel/money.ts';

/**
 * What a fee is charged for. `ln_out`: a payment over the network. `ln_in`: money that arrives over the network. `internal`: a transfer, or the
 * payment of an invoice of this service; the sender pays. `link`: a claim of a withdraw link; the wallet of the link pays.
 */
export const FEE_DIRECTIONS = ['ln_out', 'ln_in', 'internal', 'link'] as const;

export type FeeDirection = (typeof FEE_DIRECTIONS)[number];

/** How the fee of one direction is computed from an amount. */
export interface ServiceFeeRule {
  readonly flatMsat: Msat;
  /** Millionths of the amount, rounded down. */
  readonly proportionalMillionths: number;
  readonly minMsat: Msat;
  /** Undefined: no maximum. */
  readonly maxMsat: Msat | undefined;
  /** Smaller amounts are free. */
  readonly freeBelowMsat: Msat;
}

/** Returns a share of an amount, at most all of it, rounded down. */
export function millionthsOf(amountMsat: Msat, millionths: number): Msat {
  // The product may be larger than a safe integer.
  return msat(Number((BigInt(amountMsat) * BigInt(millionths)) / 1_000_000n));
}

/** Returns the fee of an amount. It never falls when the amount rises, and is at most {@link MAX_MSAT}, which no wallet can pay in addition. */
export function serviceFee(rule: ServiceFeeRule, amountMsat: Msat): Msat {
  if (amountMsat < rule.freeBelowMsat) return ZERO_MSAT;
  // The sum may be larger than a safe integer.
  const sum = BigInt(rule.flatMsat) + BigInt(millionthsOf(amountMsat, rule.proportionalMillionths));
  const feeMsat = maxMsat(sum > BigInt(MAX_MSAT) ? MAX_MSAT : msat(Number(sum)), rule.minMsat);
  return rule.maxMsat === undefined ? feeMsat : minMsat(feeMsat, rule.maxMsat);
}

/**
 * Returns the fee of money that arrives. It is taken from the credit, so it is at most the amount. That is the only difference to
 * {@link serviceFee}.
 */
export function receiptFee(rule: ServiceFeeRule, amountMsat: Msat): Msat {
  return minMsat(serviceFee(rule, amountMsat), amountMsat);
}
