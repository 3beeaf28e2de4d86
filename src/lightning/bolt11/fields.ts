import { bech32 } from '@scure/base';
import { type Bolt11Feature, readFeatures } from './features.ts';
import { InvalidInvoice } from './invalid-invoice.ts';
import { type RouteHint, readRoute } from './routes.ts';

/** What the tagged fields of an invoice say; hashes, keys and metadata in hex. */
export interface Bolt11Fields {
  readonly paymentHash: string;
  readonly paymentSecret: string;
  /** Exactly one of `description` and `descriptionHash` is there. */
  readonly description: string | undefined;
  readonly descriptionHash: string | undefined;
  /** The `n` field. */
  readonly statedPayee: string | undefined;
  readonly expirySeconds: number;
  readonly minFinalCltvExpiry: number;
  readonly metadata: string | undefined;
  readonly routeHints: readonly (readonly RouteHint[])[];
  readonly features: readonly Bolt11Feature[];
}

/** Words by the letter that stands for the field's type; in order of appearance. */
type FieldWords = Map<string, number[][]>;

export const BECH32_ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const FIXED_LENGTHS = new Map([
  ['p', 52],
  ['s', 52],
  ['h', 52],
  ['n', 53],
]);
const DEFAULT_EXPIRY_SECONDS = 3600;
const DEFAULT_MIN_FINAL_CLTV_EXPIRY = 18;

// `ignoreBOM` keeps a byte order mark in the text: the description is shown as it was signed.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the tagged fields. Two readers that pick different fields would see different invoices in one text, so nothing is
 * left to be picked: a field of the wrong length is refused (older texts of BOLT11 skip it), and so is one that comes twice.
 * Fallback addresses and unknown fields are skipped; leading zero words of `x`, `c` and `9` are read, because wallets write them.
 * Source: BOLT11, "Tagged Fields".
 * @throws InvalidInvoice
 */
export function readFields(words: readonly number[]): Bolt11Fields {
  const fields = splitFields(words);
  const description = single(fields, 'd');
  const descriptionHash = single(fields, 'h');
  if (description !== undefined && descriptionHash !== undefined) throw new InvalidInvoice('it has both a d field and an h field');
  if (description === undefined && descriptionHash === undefined) throw new InvalidInvoice('it has neither a d field nor an h field');
  return {
    paymentHash: readHex('p', required(fields, 'p')),
    paymentSecret: readHex('s', required(fields, 's')),
    description: description && readText('d', description),
    descriptionHash: descriptionHash && readHex('h', descriptionHash),
    statedPayee: optionalHex(fields, 'n'),
    expirySeconds: optionalNumber(fields, 'x') ?? DEFAULT_EXPIRY_SECONDS,
    minFinalCltvExpiry: optionalNumber(fields, 'c') ?? DEFAULT_MIN_FINAL_CLTV_EXPIRY,
    metadata: optionalHex(fields, 'm'),
    routeHints: (fields.get('r') ?? []).map((field) => readRoute(readBytes('r', field))),
    features: readFeatures(single(fields, '9') ?? []),
  };
}

function splitFields(words: readonly number[]): FieldWords {
  const fields: FieldWords = new Map();
  for (let at = 0; at < words.length; ) {
    const [type, high, low] = words.slice(at, at + 3);
    if (type === undefined || high === undefined || low === undefined) throw new InvalidInvoice('the last field is cut off');
    const start = at + 3;
    at = start + high * 32 + low;
    if (at > words.length) throw new InvalidInvoice('the last field is cut off');
    addField(fields, BECH32_ALPHABET.charAt(type), words.slice(start, at));
  }
  return fields;
}

function addField(fields: FieldWords, letter: string, words: number[]): void {
  const fixed = FIXED_LENGTHS.get(letter);
  if (fixed !== undefined && words.length !== fixed) throw new InvalidInvoice(`the ${letter} field has the wrong length`);
  const same = fields.get(letter);
  if (same) same.push(words);
  else fields.set(letter, [words]);
}

function single(fields: FieldWords, letter: string): number[] | undefined {
  const found = fields.get(letter) ?? [];
  if (found.length > 1) throw new InvalidInvoice(`it has more than one ${letter} field`);
  return found[0];
}

function required(fields: FieldWords, letter: string): number[] {
  const words = single(fields, letter);
  if (words === undefined) throw new InvalidInvoice(`it has no ${letter} field`);
  return words;
}

function optionalHex(fields: FieldWords, letter: string): string | undefined {
  const words = single(fields, letter);
  return words && readHex(letter, words);
}

function optionalNumber(fields: FieldWords, letter: string): number | undefined {
  const words = single(fields, letter);
  return words && readNumber(letter, words);
}

function readHex(letter: string, words: number[]): string {
  return Buffer.from(readBytes(letter, words)).toString('hex');
}

function readText(letter: string, words: number[]): string {
  try {
    return utf8.decode(readBytes(letter, words));
  } catch (error) {
    if (error instanceof InvalidInvoice) throw error;
    throw new InvalidInvoice(`the ${letter} field is not UTF-8`);
  }
}

function readBytes(letter: string, words: number[]): Uint8Array {
  const bytes = bech32.fromWordsUnsafe(words);
  if (!bytes) throw new InvalidInvoice(`the ${letter} field is not padded with zeros to a whole word`);
  return bytes;
}

function readNumber(letter: string, words: readonly number[]): number {
  const value = words.reduce((sum, word) => sum * 32 + word, 0);
  // Below 2^52, so that adding it to a timestamp stays exact as well.
  if (value >= 2 ** 52) throw new InvalidInvoice(`the number in the ${letter} field is too large`);
  return value;
}
