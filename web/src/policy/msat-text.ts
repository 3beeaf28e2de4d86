import { readDecimal } from '../parts/decimal.ts';
import { formatMsat } from '../parts/format-amount.ts';
import { formatCount } from '../texts/count.ts';

/** Returns the millisats in a text of sats with up to three decimals, or undefined if it is none. The digits may be grouped. */
export function parseMsat(text: string): number | undefined {
  const decimal = readDecimal(text, 3);
  if (decimal === undefined) return undefined;
  const [whole, decimals = ''] = decimal.split('.');
  const msat = Number(whole) * 1000 + Number(decimals.padEnd(3, '0'));
  return Number.isSafeInteger(msat) ? msat : undefined;
}

/** Returns the whole number in a text, or undefined if it is none. */
export function parseCount(text: string): number | undefined {
  const count = Number(readDecimal(text, 0) ?? Number.NaN);
  return Number.isSafeInteger(count) ? count : undefined;
}

/** Returns an amount as the text of a field. An absent one is an empty text. */
export function msatText(msat: number | null | undefined): string {
  return msat === null || msat === undefined ? '' : formatMsat(msat);
}

/** Returns a number as the text of a field. An absent one is an empty text. */
export function countText(count: number | null): string {
  return count === null ? '' : formatCount(count);
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}
