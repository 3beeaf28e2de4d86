import { type Msat, maxMsat, msat, satToMsat } from '../kernel/money.ts';

/** What routing may cost unless the caller says otherwise: 5 % of the amount, at least 10 sat. */
export function defaultFeeLimit(amountMsat: Msat): Msat {
  return maxMsat(msat(Math.floor(amountMsat / 20)), satToMsat(10));
}
