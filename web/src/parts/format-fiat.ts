import { texts } from '../texts/en-fiat.ts';
import { groupDecimal } from './decimal.ts';
import { signOf } from './format-amount.ts';

/** The rate at which amounts are shown: from providers, or set by the operator. */
export interface ShownRate {
  /** An ISO 4217 code. */
  readonly currency: string;
  /** The price of one bitcoin, as decimal text. */
  readonly perBtc: string;
  /** Unix seconds. */
  readonly setAt: number;
  /** The hosts of the providers. Absent: the operator has set the rate. */
  readonly source?: string;
  /** Whether a rate of providers is too old to convert amounts. */
  readonly isStale?: boolean;
}

/** 10^11 msat are one bitcoin. */
const MSAT_DIGITS = 11;
const OLD_SECONDS = 86_400;

/**
 * Returns what an amount is worth, without the code of the currency: `786.57`. Exact integer arithmetic, rounded once, half away from zero. An
 * amount that is worth less than half of the smallest unit is `< 0.01`, because it is not nothing.
 */
export function formatFiat(msat: bigint, { currency, perBtc }: Pick<ShownRate, 'currency' | 'perBtc'>, hasPlus = false): string {
  const digits = decimalsOf(currency);
  const [whole = '', decimals = ''] = perBtc.split('.');
  const worth = (msat < 0n ? -msat : msat) * BigInt(whole + decimals) * 10n ** BigInt(digits);
  const unit = 10n ** BigInt(MSAT_DIGITS + decimals.length);
  const rounded = (2n * worth + unit) / (2n * unit);
  if (rounded === 0n && worth > 0n) return `< ${inUnits(1n, digits)}`;
  return signOf(rounded === 0n ? 0 : Number(msat), hasPlus) + inUnits(rounded, digits);
}

/** Returns a rate with its age, for tooltips and settings. */
export function describeRate({ currency, perBtc, setAt, source }: ShownRate, nowMs: number): string {
  const [price, age] = [`${groupDecimal(perBtc)} ${currency}`, formatAge(setAt, nowMs)];
  return source ? texts.rateFrom(price, source, age) : texts.rate(price, age);
}

/** Returns the age of a rate that is older than a day, or too old for the service; otherwise undefined. */
export function oldAge({ setAt, isStale = false }: Pick<ShownRate, 'setAt' | 'isStale'>, nowMs: number): string | undefined {
  return isStale || nowMs / 1000 - setAt > OLD_SECONDS ? formatAge(setAt, nowMs) : undefined;
}

/** Returns the time since `at`, which is in Unix seconds, in its largest unit; in days from two days on. */
function formatAge(at: number, nowMs: number): string {
  const minutes = Math.max(0, Math.floor((nowMs / 1000 - at) / 60));
  if (minutes < 60) return texts.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? texts.hours(hours) : texts.days(Math.floor(hours / 24));
}

/** Returns whether a text is an amount above 0 with at most the decimals of the currency. */
export function isPrice(text: string, currency: string): boolean {
  const [, whole, decimals = ''] = /^(0|[1-9]\d{0,14})(?:\.(\d{1,4}))?$/.exec(text) ?? [];
  return whole !== undefined && /[1-9]/.test(text) && decimals.length <= decimalsOf(currency);
}

/** The sats of 21 million bitcoins. */
const MAX_SATS = 2_100_000_000_000_000n;

/** Returns the sats of an amount at a rate, rounded up as the service does; undefined for more than all bitcoins. */
export function satsOf(amount: string, { perBtc }: Pick<ShownRate, 'perBtc'>): number | undefined {
  const [price, rate] = [unitsOf(amount), unitsOf(perBtc)];
  const sats = (price * 100_000_000n + rate - 1n) / rate;
  return sats > MAX_SATS ? undefined : Number(sats);
}

/** Returns a decimal text with at most eight decimals in units of 10^-8. */
function unitsOf(text: string): bigint {
  const [whole = '', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(8, '0'));
}

/** How many decimals the currency has: 2, or 0 for the yen. */
export function decimalsOf(currency: string): number {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function inUnits(amount: bigint, digits: number): string {
  const padded = String(amount).padStart(digits + 1, '0');
  return groupDecimal(digits === 0 ? padded : `${padded.slice(0, -digits)}.${padded.slice(-digits)}`);
}
