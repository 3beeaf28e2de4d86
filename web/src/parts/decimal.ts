import { group } from '../texts/count.ts';
import { DECIMAL } from './format-amount.ts';

/**
 * Returns a typed number as decimal text with a point, such as `1234.5`; undefined if it is none, has more decimals than allowed, or can be read in
 * two ways. Spaces and apostrophes group digits. One point or comma in front of three digits may group them or begin the decimals: it groups a whole
 * number, and begins decimals only as the mark of the language. So `1.000` is 1 in English and no number in German, unless decimals are impossible.
 */
export function readDecimal(text: string, maxDecimals: number): string | undefined {
  const plain = text.replaceAll(/[\s\u202f\u00a0'’]/g, '');
  const [, whole = '', mark = '', decimals = ''] = /^(.*?)(?:([.,])(\d*))?$/.exec(plain) ?? [];
  const inner = new Set(whole.replaceAll(/\d/g, ''));
  const digits = whole.replaceAll(/[.,]/g, '');
  if (!/^\d+$/.test(digits) || (mark !== '' && decimals === '')) return undefined;
  if (inner.size > 0) {
    if (inner.size > 1 || !/^\d{1,3}([.,]\d{3})+$/.test(whole)) return undefined;
    if (inner.has(mark)) return decimals.length === 3 ? digits + decimals : undefined;
  } else if (decimals.length === 3 && /^[1-9]\d{0,2}$/.test(whole)) {
    if (maxDecimals === 0) return digits + decimals;
    if (mark !== DECIMAL) return undefined;
  }
  if (decimals.length > maxDecimals) return undefined;
  return decimals === '' ? digits : `${digits}.${decimals}`;
}

/** Returns decimal text with its whole part in groups of three digits and the decimal mark of the language. */
export function groupDecimal(text: string): string {
  const [whole = '', ...decimals] = text.split('.');
  return [group(whole), ...decimals].join(DECIMAL);
}
