import { randomBytes } from 'node:crypto';
import type { Database } from '../../../core/db/database.ts';
import type { Statement } from '../../../core/db/statement.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { secretHash } from '../../../core/kernel/ids.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { encodeLnurl } from '../../../core/lightning/bech32.ts';
import { verifyEcdsa } from '../../../core/lightning/secp256k1.ts';

/** The parameters that a wallet adds to the URL of a challenge, as text. */
export interface SignedChallenge {
  readonly k1: string;
  /** An ECDSA signature of `k1` in DER, in hex. */
  readonly signature: string;
  /** A compressed public key, in hex. */
  readonly linkingKey: string;
}

/** Returns a new URL that a wallet calls with a signature, the same in bech32 (LUD-01), and the hash of its challenge, which is stored. */
export function newSignatureRequest(publicUrl: string, action: string | undefined) {
  const k1 = randomBytes(32).toString('hex');
  const url = `${publicUrl}/v1/lnurl-auth/callback?${new URLSearchParams({ tag: 'login', k1, ...(action && { action }) })}`;
  return { k1Hash: secretHash(k1), url, lnurl: encodeLnurl(url) };
}

/**
 * Verifies a signature and stores the key, once. The same key may repeat it. `find` reads a challenge by its hash; the parameters of `store` are
 * the hash, the key that signed, and the time.
 * @returns false if the table has no such challenge @throws Refusal `link_unusable`
 */
export async function storeSignature(
  database: Database,
  clock: Clock,
  { k1, signature, linkingKey }: SignedChallenge,
  { find, store }: { find: Statement; store: Statement },
): Promise<boolean> {
  const k1Hash = secretHash(k1);
  if (!(await database.first(find, k1Hash))) return false;
  const compact = readDerSignature(Buffer.from(signature, 'hex'));
  // LUD-04 does not require a low S.
  if (!compact || !verifyEcdsa(Buffer.from(k1, 'hex'), linkingKey, { compact, requiresLowS: false }))
    throw new Refusal('link_unusable', 'The signature is not valid.');
  const stored = await database.transaction((tx) => tx.run(store, k1Hash, linkingKey, unixSeconds(clock)));
  if (stored === 0) throw new Refusal('link_unusable', 'This login link has expired or has been used. Ask for a new one.');
  return true;
}

/** Bytes of r and of s. */
const INTEGER_BYTES = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/**
 * Reads an ECDSA signature in DER (SEC 1, C.8; X.690): a sequence of the integers r and s.
 * @returns r and s in 32 bytes each; undefined if the bytes are anything else.
 */
export function readDerSignature(bytes: Uint8Array): Uint8Array | undefined {
  // Both integers have at most 33 bytes, so every length takes one byte.
  if (bytes[0] !== SEQUENCE || bytes[1] !== bytes.length - 2) return undefined;
  const r = readInteger(bytes, 2);
  const s = r && readInteger(bytes, r.end);
  if (!r || !s || s.end !== bytes.length) return undefined;
  const compact = new Uint8Array(2 * INTEGER_BYTES);
  compact.set(r.digits, INTEGER_BYTES - r.digits.length);
  compact.set(s.digits, 2 * INTEGER_BYTES - s.digits.length);
  return compact;
}

/** Reads a positive integer in its shortest form; `digits` are without the zero that keeps it positive. */
function readInteger(bytes: Uint8Array, at: number): { digits: Uint8Array; end: number } | undefined {
  const length = bytes[at + 1] ?? 0;
  const end = at + 2 + length;
  if (bytes[at] !== INTEGER || length === 0 || end > bytes.length) return undefined;
  const [first = 0, second = 0] = bytes.subarray(at + 2, end);
  const isNegative = first >= 0x80;
  const isPadded = first === 0 && length > 1;
  if (isNegative || (isPadded && second < 0x80)) return undefined;
  const digits = bytes.subarray(isPadded ? at + 3 : at + 2, end);
  return digits.length > INTEGER_BYTES ? undefined : { digits, end };
}
