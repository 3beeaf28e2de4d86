/** An amount in millisatoshis: a safe integer. Fractions are never used for money. */
export type Msat = number & { readonly unit: 'msat' };

/** The largest amount or balance that the service handles: 2^53 − 1 msat, about 90,000 BTC. */
export const MAX_MSAT = Number.MAX_SAFE_INTEGER as Msat;

export const ZERO_MSAT = 0 as Msat;

/**
 * Converts a number to an amount. Negative amounts appear only in ledger entries.
 * @throws RangeError when the number is not a safe integer.
 */
export function msat(value: number): Msat {
  if (!Number.isSafeInteger(value)) throw new RangeError(`not a whole, safe amount of msat: ${value}`);
  return value as Msat;
}

/**
 * Converts whole satoshis to millisatoshis.
 * @throws RangeError when the result is beyond {@link MAX_MSAT}.
 */
export function satToMsat(sat: number): Msat {
  return msat(sat * 1000);
}

/** Rounds down to whole satoshis, also negative amounts, so that the rows of a list add up to the balance. */
export function floorSat(amount: Msat): number {
  return Math.floor(amount / 1000);
}

/** Formats an amount for people, exactly: `2,110 sat`, `0.5 sat`. */
export function satText(amountMsat: number): string {
  const text = `${Math.floor(Math.abs(amountMsat) / 1000).toLocaleString('en-US')}.${String(Math.abs(amountMsat) % 1000).padStart(3, '0')}`;
  return `${amountMsat < 0 ? '-' : ''}${text.replace(/\.?0*$/, '')} sat`;
}

/** The unit in which a caller gave an amount. Errors use the same. */
export type AmountUnit = 'sat' | 'msat';

/** Formats an amount for a caller: `2,110 sat`, or `2110000 msat` for one that counts in millisatoshis. */
export function amountText(amountMsat: number, unit: AmountUnit = 'sat'): string {
  return unit === 'sat' ? satText(amountMsat) : `${amountMsat} msat`;
}

/** @throws RangeError when the difference leaves the safe range. */
export function subMsat(a: Msat, b: Msat): Msat {
  return msat(a - b);
}

export function minMsat(a: Msat, b: Msat): Msat {
  return a < b ? a : b;
}

export function maxMsat(a: Msat, b: Msat): Msat {
  return a > b ? a : b;
}
