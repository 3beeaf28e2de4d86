import { group, NARROW_SPACE } from '../texts/count.ts';
import { locale } from '../texts/texts.ts';

/** In what amounts are written. */
export type Unit = 'sats' | 'btc';

const MINUS = '\u2212';
/** In front of decimals: a point or a comma, as the language has it. */
export const DECIMAL = (1.1).toLocaleString(locale).charAt(1);

export interface AmountFormat {
  readonly unit?: Unit;
  /** Writes a plus before an amount above 0. */
  readonly hasPlus?: boolean;
}

/** Returns whole sats as text: `1 284 530`, or `0.01 284 530` in BTC. Exact up to 2^53. */
export function formatSats(sats: number, { unit = 'sats', hasPlus = false }: AmountFormat = {}): string {
  const digits = Math.abs(sats).toFixed(0);
  return signOf(sats, hasPlus) + (unit === 'btc' ? inBtc(digits) : group(digits));
}

/** Returns exact millisats: `14.246`, without decimals for whole sats; or `0.00 000 014 246` in BTC, with eight decimals for whole sats. */
export function formatMsat(msat: number, { unit = 'sats', hasPlus = false }: AmountFormat = {}): string {
  const whole = String(Math.trunc(Math.abs(msat) / 1000));
  const rest = Math.abs(msat) % 1000;
  const decimals = rest === 0 ? '' : (unit === 'btc' ? NARROW_SPACE : DECIMAL) + String(rest).padStart(3, '0');
  return signOf(msat, hasPlus) + (unit === 'btc' ? inBtc(whole) : group(whole)) + decimals;
}

/** Returns a copied text without the spaces that group digits, and with the minus sign of programs. */
export function plainNumbers(text: string): string {
  return text.replaceAll(/(?<=\d)\u202f(?=\d)/g, '').replaceAll(/\u2212(?=\d)/g, '-');
}

/** Returns the sign of an amount: a minus, a plus only if it is asked for, or nothing. */
export function signOf(amount: number, hasPlus: boolean): string {
  if (amount < 0) return MINUS;
  return hasPlus && amount > 0 ? '+' : '';
}

/** Returns a number of 0 or more with `decimals` decimals: `1 679.37`. */
export function formatDecimal(value: number, decimals: number): string {
  const [whole = '', rest] = value.toFixed(decimals).split('.');
  return `${group(whole)}${DECIMAL}${rest}`;
}

/** Eight decimals, of which the last six are two groups of whole sats. */
function inBtc(digits: string): string {
  const padded = digits.padStart(9, '0');
  const [whole, decimals] = [padded.slice(0, -8), padded.slice(-8)];
  return `${group(whole)}${DECIMAL}${decimals.slice(0, 2)}${NARROW_SPACE}${decimals.slice(2, 5)}${NARROW_SPACE}${decimals.slice(5)}`;
}
