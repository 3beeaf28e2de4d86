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
}

/** A price on which the providers that answered agree. */
export interface SeenRate {
  readonly price: bigint;
  /** Whether more than half of all configured providers agree. */
  readonly isMajority: boolean;
  /** Whether the operator has accepted the candidate. */
  readonly isAcceptedByOperator: boolean;
}

/** How many refreshes in a row confirm a jump. */
export const CONFIRMATIONS = 5;

/**
 * Decides whether a rate is accepted. A change by half or more (×1.5, or ÷1.5) must be confirmed by five refreshes in a row or by the operator. If only
 * a minority of the configured providers answered, this applies from 10 % on and to the first rate, and only the operator can confirm it.
 * @returns `accepted`, or the number of refreshes in a row that have returned this price
 */
export function judge({ accepted, candidate, confirmations }: KnownRate, seen: SeenRate): 'accepted' | number {
  const { price, isMajority, isAcceptedByOperator } = seen;
  const isJump = accepted === undefined ? !isMajority : hasJumped(price, accepted, isMajority ? 15n : 11n);
  if (!isJump) return 'accepted';
  const isSame = candidate !== undefined && isNear(price, candidate);
  if (isSame && isAcceptedByOperator) return 'accepted';
  const count = isSame ? confirmations + 1 : 1;
  return isMajority && count >= CONFIRMATIONS ? 'accepted' : count;
}

function hasJumped(price: bigint, from: bigint, tenths: bigint): boolean {
  return price * 10n >= from * tenths || price * tenths <= from * 10n;
}
