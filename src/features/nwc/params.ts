import { isDeeperThan, isJsonObject } from '../../core/kernel/json.ts';
import { MAX_MSAT, type Msat } from '../../core/kernel/money.ts';
import { inexactNumber } from '../../http/requests/json-numbers.ts';
import { NwcError } from './errors.ts';

/** The parameters of a request. Unknown ones are ignored: clients add their own. */
export type Params = Readonly<Record<string, unknown>>;

/** The most that a QR code contains. */
export const MAX_INVOICE_BYTES = 7089;

/** Absent, null and "" count as absent: clients send all three. */
function givenValue(params: Params, name: string): unknown {
  const value = params[name];
  return value === null || value === '' ? undefined : value;
}

/** Returns a whole number. @throws NwcError BAD_REQUEST */
export function readInteger(params: Params, name: string, min: number, max: number): number | undefined {
  const value = givenValue(params, name);
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return value as number;
  throw new NwcError('BAD_REQUEST', `${name} must be a whole number from ${min} to ${max}.`);
}

/** Returns an amount in millisatoshis; 0 counts as absent. @throws NwcError BAD_REQUEST */
export function readAmount(params: Params, name = 'amount'): Msat | undefined {
  const amount = readInteger(params, name, 0, MAX_MSAT);
  return amount === 0 ? undefined : (amount as Msat | undefined);
}

/** Returns a text. @throws NwcError BAD_REQUEST if it is no text, or has more than `maxBytes` bytes in UTF-8, or NUL */
export function readText(params: Params, name: string, maxBytes: number): string | undefined {
  const value = givenValue(params, name);
  if (value === undefined) return undefined;
  // PostgreSQL cannot store NUL in text.
  const isGood = typeof value === 'string' && value.isWellFormed() && !value.includes('\u0000') && Buffer.byteLength(value) <= maxBytes;
  if (!isGood) throw new NwcError('BAD_REQUEST', `${name} must be a text of at most ${maxBytes} bytes.`);
  return value;
}

/** Returns bytes in lower-case hex. @throws NwcError BAD_REQUEST */
export function readHex(params: Params, name: string, digits: number): string | undefined {
  const value = readText(params, name, digits)?.toLowerCase();
  if (value === undefined || (value.length === digits && /^[0-9a-f]+$/.test(value))) return value;
  throw new NwcError('BAD_REQUEST', `${name} must have ${digits} hexadecimal digits.`);
}

/** @throws NwcError BAD_REQUEST */
export function readBoolean(params: Params, name: string): boolean {
  const value = givenValue(params, name);
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  throw new NwcError('BAD_REQUEST', `${name} must be true or false.`);
}

/** @throws NwcError BAD_REQUEST */
export function required<T>(value: T | undefined, name: string): T {
  if (value !== undefined) return value;
  throw new NwcError('BAD_REQUEST', `${name} is missing.`);
}

/** Returns the error of a request whose metadata, which is stored, has a number that JavaScript would change. Other fields have rules. */
export function inexactMetadata(request: string): NwcError | undefined {
  const path = inexactNumber(request, (names) => !names.includes('metadata'));
  return path === undefined
    ? undefined
    : new NwcError(
        'BAD_REQUEST',
        `${path.replace(/^params\./, '')} is a number that JSON readers change, such as one above 2^53. Send it as text.`,
      );
}

const MAX_METADATA_LENGTH = 4096;
const MAX_METADATA_DEPTH = 8;

/** Returns `metadata` as JSON text. What is too large or no object is ignored (NWC-06). */
export function readMetadata(params: Params): string | undefined {
  const value = givenValue(params, 'metadata');
  if (!isJsonObject(value) || isDeeperThan(MAX_METADATA_DEPTH, value)) return undefined;
  const text = JSON.stringify(value);
  // PostgreSQL cannot store NUL in text.
  return text.length <= MAX_METADATA_LENGTH && text.isWellFormed() && !text.includes('\\u0000') ? text : undefined;
}
