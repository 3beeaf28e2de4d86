import type { RateSpan } from './majority-rates.ts';

/** A price that a provider returned, in units of 10^-8. */
export interface Quote {
  readonly source: string;
  readonly price: bigint;
}

/** The rate on which providers agree, and the prices that differ too much from it. */
export interface Agreement {
  /** The median of the agreeing prices; undefined if no majority agrees. */
  readonly price: bigint | undefined;
  readonly agreeing: readonly Quote[];
  readonly excluded: readonly Quote[];
}

/** Prices of serious providers differ by less than one per cent. */
export const MAX_DEVIATION_PERCENT = 3n;

/**
 * Returns the median of the prices, without those that differ by more than 3 % from the median of the others. Of an even number of others, the
 * middle price that is nearer counts: their mean would be distorted by a single wrong price. Less than a majority agrees on nothing.
 */
export function agree(quotes: readonly Quote[]): Agreement {
  const agreeing = quotes.filter((quote) => isNearOthers(quote, quotes));
  const excluded = quotes.filter((quote) => !agreeing.includes(quote));
  const price = 2 * agreeing.length > quotes.length ? medianOf(agreeing) : undefined;
  return { price, agreeing, excluded };
}

function isNearOthers(quote: Quote, quotes: readonly Quote[]): boolean {
  const others = sortedPrices(quotes.filter((other) => other !== quote));
  const middle = [others[Math.floor((others.length - 1) / 2)], others[Math.floor(others.length / 2)]];
  return others.length === 0 || middle.some((price) => price !== undefined && isNear(quote.price, price));
}

function medianOf(quotes: readonly Quote[]): bigint | undefined {
  const prices = sortedPrices(quotes);
  const [low, high] = [prices[Math.floor((prices.length - 1) / 2)], prices[Math.floor(prices.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2n;
}

function sortedPrices(quotes: readonly Quote[]): bigint[] {
  return quotes.map(({ price }) => price).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

/** Returns whether a price differs from another by at most 3 %. */
export function isNear(price: bigint, from: bigint): boolean {
  const difference = price > from ? price - from : from - price;
  return difference * 100n <= from * MAX_DEVIATION_PERCENT;
}

/** The state of a currency before a refresh. Prices are units of 10^-8. */
export interface KnownRate {
  readonly accepted: bigint | undefined;
  /** A price that waits for confirmation, and how many refreshes in a row have returned it. */
  readonly candidate: bigint | undefined;
  readonly confirmations: number;
  /** The rates on which a majority agreed in the last hour, or its last one. */
  readonly majorityRates: readonly RateSpan[];
  /** Whether a majority, or the operator, set the rate less than an hour ago. */
  readonly isRecent: boolean;
}

/** A price on which the providers that answered agree. */
export interface SeenRate {
  readonly price: bigint;
  /** Whether more than half of all configured providers agree. */
  readonly isMajority: boolean;
  /** Whether the operator has accepted the candidate. */
  readonly isAcceptedByOperator: boolean;
}

/**
 * `accepted`: the price is the new rate. `kept`: the rate stays, and is as new as the price. A number: the price waits for confirmation, and so many
 * refreshes in a row have returned it.
 */
export type Verdict = 'accepted' | 'kept' | number;

/** How many refreshes in a row confirm a jump. */
export const CONFIRMATIONS = 5;

/**
 * Decides what a price does to the rate. A price of a majority is accepted, unless it is ×1.5 or more, or ÷1.5 or less, of any rate on which a majority
 * agreed in the last hour: then five refreshes in a row must confirm it, or the operator. So small steps move the rate no further than one
 * step may. A minority never changes the rate: only the operator can accept its price. For an hour it keeps a rate that is near its price.
 */
export function judge({ accepted, candidate, confirmations, majorityRates, isRecent }: KnownRate, seen: SeenRate): Verdict {
  const { price, isMajority, isAcceptedByOperator } = seen;
  if (isMajority && !hasJumped(price, majorityRates)) return 'accepted';
  if (!isMajority && isRecent && accepted !== undefined && isNear(price, accepted)) return 'kept';
  const isSame = candidate !== undefined && isNear(price, candidate);
  if (isSame && isAcceptedByOperator) return 'accepted';
  const count = isSame ? confirmations + 1 : 1;
  return isMajority && count >= CONFIRMATIONS ? 'accepted' : count;
}

/** Returns whether a price is ×1.5 or more, or ÷1.5 or less, of one of the rates. */
export function hasJumped(price: bigint, rates: readonly RateSpan[]): boolean {
  return rates.some(({ low, high }) => 2n * price >= 3n * low || 3n * price <= 2n * high);
}
