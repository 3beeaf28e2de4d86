import { bech32 } from '@scure/base';
import type { Msat } from '../../kernel/money.ts';
import { BECH32_ALPHABET, type Bolt11Fields, readFields } from './fields.ts';
import { InvalidInvoice } from './invalid-invoice.ts';
import { type Network, readPrefix } from './prefix.ts';
import { readSigner } from './signature.ts';

export { type Bolt11Feature, unknownRequiredBits } from './features.ts';
export type { Network } from './prefix.ts';
export type { RouteHint } from './routes.ts';
export { InvalidInvoice };

/** A decoded invoice, whose form and signature were checked. */
export interface Bolt11 extends Omit<Bolt11Fields, 'statedPayee'> {
  /** The canonical text: lower case, without `lightning:`. */
  readonly paymentRequest: string;
  readonly network: Network;
  /** Undefined when the invoice leaves the amount open. */
  readonly amountMsat: Msat | undefined;
  /** When it was made, in Unix seconds. */
  readonly timestamp: number;
  /** `timestamp` + `expirySeconds`. */
  readonly expiresAt: number;
  /** Who signed it: a 33-byte public key in hex. */
  readonly payee: string;
}

/** What the largest QR code holds, and what LDK reads. A longer text is refused before any work is done on it. */
const MAX_LENGTH = 7_089;
const TIMESTAMP_WORDS = 7;
const SIGNATURE_WORDS = 104;
/** 32 bytes in words of 5 bits. */
const HASH_WORDS = 52;

/**
 * Decodes a BOLT11 invoice. This is the one reader that decides hash and amount; whatever two readers could understand in two
 * ways is refused. Surrounding space, upper case and `lightning:` are accepted.
 *
 * That an invoice decodes does not make it ours: anybody can sign any hash with any amount. Compare `paymentRequest` with what
 * was issued. Required features that BOLT9 does not know are reported (see {@link unknownRequiredBits}), not refused: such an
 * invoice can be shown, but not paid. Nor is expiry or network judged here.
 *
 * Costs 0.3 ms on one core of a small virtual machine (Node 24, tiny-secp256k1 2.2), nearly all of it the signature, which is therefore
 * checked last. It is time taken from every other request: decode once and pass the result on.
 * @throws InvalidInvoice
 */
export function decodeBolt11(text: string): Bolt11 {
  const bare = withoutScheme(text);
  const { prefix, words } = readBech32(bare);
  const { network, amountMsat } = readPrefix(prefix);
  if (words.length < TIMESTAMP_WORDS + SIGNATURE_WORDS) throw new InvalidInvoice('it is too short');
  const signed = words.slice(0, -SIGNATURE_WORDS);
  const { statedPayee, ...fields } = readFields(signed.slice(TIMESTAMP_WORDS));
  const timestamp = signed.slice(0, TIMESTAMP_WORDS).reduce((sum, word) => sum * 32 + word, 0);
  return {
    paymentRequest: bare.toLowerCase(),
    network,
    amountMsat,
    timestamp,
    expiresAt: timestamp + fields.expirySeconds,
    payee: readSigner(prefix, signed, words.slice(-SIGNATURE_WORDS), statedPayee),
    ...fields,
  };
}

function withoutScheme(text: string): string {
  return text.trim().replace(/^lightning:/i, '');
}

/** The form in which a payment request is stored and compared; undefined for a text that no invoice can have. Checks nothing else. */
export function canonicalText(text: string): string | undefined {
  const bare = withoutScheme(text);
  const lower = bare.toLowerCase();
  return bare.length <= MAX_LENGTH && (bare === lower || bare === bare.toUpperCase()) ? lower : undefined;
}

/**
 * Returns the payment hash that a canonical text seems to have, to look for an invoice with. Nothing is checked, neither the checksum nor
 * the signature, so the result is worth nothing until the whole text was compared or decoded.
 */
export function unverifiedPaymentHash(text: string): string | undefined {
  const wordAt = (at: number) => BECH32_ALPHABET.indexOf(text.charAt(at));
  for (let at = text.lastIndexOf('1') + 1 + TIMESTAMP_WORDS; at < text.length; ) {
    const length = wordAt(at + 1) * 32 + wordAt(at + 2);
    const start = at + 3;
    at = start + Math.max(0, length);
    if (text.charAt(start - 3) !== 'p' || length !== HASH_WORDS || at > text.length) continue;
    return hexOf(Array.from({ length: HASH_WORDS }, (_, index) => wordAt(start + index)));
  }
  return undefined;
}

function hexOf(words: readonly number[]): string | undefined {
  const bytes = bech32.fromWordsUnsafe([...words]);
  return bytes ? Buffer.from(bytes).toString('hex') : undefined;
}

function readBech32(bare: string): { prefix: string; words: number[] } {
  if (bare.length > MAX_LENGTH) throw new InvalidInvoice('it is too long');
  if (bare !== bare.toLowerCase() && bare !== bare.toUpperCase()) throw new InvalidInvoice('it mixes upper and lower case');
  // The throwing decoder would quote the text in its error.
  const decoded = bech32.decodeUnsafe(bare, false);
  if (!decoded) throw new InvalidInvoice('it is not bech32, or a character is wrong');
  return decoded;
}
