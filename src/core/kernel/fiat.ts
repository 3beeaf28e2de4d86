import { MAX_MSAT, type Msat, msat } from './money.ts';

/** An amount in a currency, as a request states it. */
export interface Price {
  /** Decimal text with at most the minor digits of the currency, above 0. */
  readonly amount: string;
  /** An ISO 4217 code. */
  readonly currency: string;
}

/** The price of one bitcoin in a currency, and where it comes from. The fields have the names of the API. */
export interface BitcoinRate {
  readonly currency: string;
  /** Decimal text above 0 with at most 8 decimals. */
  readonly rate: string;
  /** When it was read, in Unix seconds. */
  readonly rate_at: number;
  /** The hosts of the providers that agreed on it. */
  readonly rate_source: string;
}

/** An amount in a currency and the rate that converted it. An invoice, a payment or a transfer stores it as JSON text. */
export interface FiatAmount extends Price, BitcoinRate {}

/** Returns whether a stored amount, the JSON text of a `FiatAmount`, states the same price. */
export function isSamePrice({ amount, currency }: Price, stored: string | undefined): boolean {
  const other = stored === undefined ? undefined : (JSON.parse(stored) as FiatAmount);
  return other?.amount === amount && other.currency === currency;
}

/** The decimals of a rate. */
export const RATE_DECIMALS = 8;

/** Above 0, with at most 15 digits before and 4 after the point. It has one form: no sign, no exponent, no leading zeros. */
export const PRICE_PATTERN = '^(?=.*[1-9])(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$';

const BTC_DIGITS = 8;
const MSAT_OF_SAT = 1000n;

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Returns whether a text is an ISO 4217 code. */
export function isCurrency(text: string): boolean {
  return CURRENCIES.has(text);
}

/** Returns the number of minor digits of a currency: 2 for the euro, 0 for the yen. */
export function minorDigits(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** Returns a decimal text in units of 10^-decimals; undefined if it is no plain decimal number or has more decimals. */
export function parseDecimal(text: string, decimals: number): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,15})(?:\.(\d{1,30}))?$/.exec(text) ?? [];
  return whole === undefined || fraction.length > decimals ? undefined : BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** Returns units of 10^-decimals as decimal text with at least `least` decimals, without further zeros at the end. */
export function decimalText(units: bigint, decimals: number, least = 0): string {
  const digits = String(units).padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, '')
    .padEnd(least, '0');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/**
 * Converts an amount to millisatoshis at a rate, rounded up to the next whole satoshi: a payee never gets less than the price. Exact integer
 * arithmetic.
 * @returns undefined for an amount above {@link MAX_MSAT}
 */
export function priceToMsat({ amount, currency }: Price, rate: string): Msat | undefined {
  const digits = minorDigits(currency);
  const dividend = requiredDecimal(amount, digits) * 10n ** BigInt(BTC_DIGITS + RATE_DECIMALS);
  const divisor = 10n ** BigInt(digits) * requiredDecimal(rate, RATE_DECIMALS);
  const result = ((dividend + divisor - 1n) / divisor) * MSAT_OF_SAT;
  return result > BigInt(MAX_MSAT) ? undefined : msat(Number(result));
}

/**
 * Returns what an amount is worth at a rate, with the minor digits of the currency, rounded down. So the amount of {@link priceToMsat} has its
 * price again, unless a satoshi is worth a minor unit or more. Exact integer arithmetic.
 */
export function msatToPrice(amountMsat: Msat, currency: string, rate: string): string {
  const digits = minorDigits(currency);
  const dividend = BigInt(amountMsat) * requiredDecimal(rate, RATE_DECIMALS) * 10n ** BigInt(digits);
  const divisor = 10n ** BigInt(BTC_DIGITS + RATE_DECIMALS) * MSAT_OF_SAT;
  return decimalText(dividend / divisor, digits, digits);
}

/** @throws RangeError for a text that was not checked before */
function requiredDecimal(text: string, decimals: number): bigint {
  const units = parseDecimal(text, decimals);
  if (units === undefined) throw new RangeError('not a decimal number with so many decimals');
  return units;
}
