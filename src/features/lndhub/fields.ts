import { MAX_MSAT, type Msat, satToMsat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';

const MAX_SAT = Math.floor(MAX_MSAT / 1000);

/** The fields of a body or a query, which no schema has checked. */
export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(input: unknown): Fields {
  return typeof input === 'object' && input !== null ? (input as Fields) : {};
}

/** Returns a text; undefined for one that is absent, null or empty. @throws Refusal */
export function readText(fields: Fields, name: string, maxLength: number): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string' && value.length <= maxLength) return value;
  throw new Refusal('validation_failed', `\`${name}\` must be a text of at most ${maxLength} characters.`);
}

/** Returns a whole number, which apps send as a number or a text; undefined for one that is absent, null or empty. @throws Refusal */
export function readInteger(fields: Fields, name: string, { min = 0, max, unit }: { min?: number; max: number; unit: string }) {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= min && number <= max) return number;
  throw new Refusal('validation_failed', `\`${name}\` must be a whole number of ${unit} from ${min} to ${max}.`);
}

/** Returns an amount in satoshis; undefined for one that is absent, null, empty or 0. @throws Refusal */
export function readAmountMsat(fields: Fields, name: string): Msat | undefined {
  const amountSat = readInteger(fields, name, { max: MAX_SAT, unit: 'satoshis' });
  return amountSat === undefined || amountSat === 0 ? undefined : satToMsat(amountSat);
}

/** 32 bytes in hex as a Node.js Buffer in JSON, which apps read. */
export function bufferObject(hex: string) {
  return { type: 'Buffer', data: [...Buffer.from(hex, 'hex')] };
}
