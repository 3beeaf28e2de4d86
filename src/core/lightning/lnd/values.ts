import { type Msat, msat } from '../../kernel/money.ts';

// LND sends 64-bit integers as text and bytes in base64.

/** Reads an amount. @throws when it is not a whole, safe number of msat. */
export function readMsat(text: string | undefined): Msat {
  if (text === undefined || !/^-?\d+$/.test(text)) throw new Error('LND sent an amount that is not a whole number');
  return msat(Number(text));
}

/** Reads an index or a time, which are far below 2^53. */
export function readWhole(text: string | number | undefined): number {
  const value = text === undefined || text === '' ? Number.NaN : Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new Error('LND sent a number that is not a safe integer');
}

export function toBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64');
}

/** For paths and queries, where LND requires the padding. */
export function toBase64Url(hex: string): string {
  return toBase64(hex).replaceAll('+', '-').replaceAll('/', '_');
}

export function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('hex');
}
