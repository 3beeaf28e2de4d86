import { formatMsat, group } from '../parts/format-amount.ts';

/** Returns the millisats in a text of sats with up to three decimals, or undefined if it is none. Spaces between the digits are accepted. */
export function parseMsat(text: string): number | undefined {
  const [, whole = '', decimals = ''] = /^(\d{1,13})(?:\.(\d{1,3}))?$/.exec(withoutSpaces(text)) ?? [];
  if (whole === '') return undefined;
  const msat = Number(whole) * 1000 + Number(decimals.padEnd(3, '0'));
  return Number.isSafeInteger(msat) ? msat : undefined;
}

/** Returns the whole number in a text, or undefined if it is none. */
export function parseCount(text: string): number | undefined {
  const digits = withoutSpaces(text);
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined;
}

/** Returns an amount as the text of a field. An absent one is an empty text. */
export function msatText(msat: number | null | undefined): string {
  return msat === null || msat === undefined ? '' : formatMsat(msat);
}

/** Returns a number as the text of a field. An absent one is an empty text. */
export function countText(count: number | null): string {
  return count === null ? '' : group(String(count));
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

function withoutSpaces(text: string): string {
  return text.replaceAll(/[\s\u202f\u00a0]/g, '');
}
