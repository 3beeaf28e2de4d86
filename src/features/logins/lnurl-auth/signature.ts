import { randomBytes } from 'node:crypto';
import type { Database, Tx } from '../../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../../core/kernel/clock.ts';
import { secretHash } from '../../../core/kernel/ids.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { verifyEcdsa } from '../../../core/kernel/secp256k1.ts';
import { encodeLnurl } from '../../../core/lightning/bech32.ts';
import type { ChallengeRow } from './challenges.sql.ts';
import * as sql from './challenges.sql.ts';

const DELETED_AT_ONCE = 100;

/** The parameters that a wallet adds to the URL of a challenge, as text. */
export interface SignedChallenge {
  readonly k1: string;
  /** An ECDSA signature of `k1` in DER, in hex. */
  readonly signature: string;
  /** A compressed public key, in hex. */
  readonly linkingKey: string;
}

/** A new challenge. A login has the hash of the browser's token, a link its account, the requesting key or session, and a name. */
type NewChallenge = Pick<ChallengeRow, 'id' | 'purpose' | 'action'> &
  Partial<Pick<ChallengeRow, 'account_id' | 'token_hash' | 'made_by' | 'name'>>;

/**
 * Inserts a challenge. It is kept for `keptSeconds` or longer; `max` is the most of its purpose and account.
 * @returns the URL that a wallet calls, as it is and in bech32 (LUD-01), in the form of the API; undefined if there are `max`
 */
export async function insertChallenge(
  tx: Tx,
  { clock, publicUrl }: { clock: Clock; publicUrl: string },
  { id, purpose, action, account_id = null, token_hash = null, made_by = null, name = null }: NewChallenge,
  { expirySeconds, keptSeconds, max }: { expirySeconds: number; keptSeconds: number; max: number },
) {
  const now = unixSeconds(clock);
  const expires_at = now + expirySeconds;
  const k1 = randomBytes(32).toString('hex');
  const row = [id, purpose, secretHash(k1), action, now, expires_at, now + keptSeconds, account_id, token_hash, made_by, name];
  await tx.run(sql.deleteExpired, now, DELETED_AT_ONCE);
  if ((await tx.run(sql.insertChallenge, ...row, max)) === 0) return undefined;
  const url = `${publicUrl}/v1/lnurl-auth/callback?${new URLSearchParams({ tag: 'login', k1, ...(action && { action }) })}`;
  return { id, url, lnurl: encodeLnurl(url), expires_at };
}

/** Verifies a signature and stores the key, once. The same key may repeat it. @throws Refusal `link_unusable` */
export async function signChallenge(database: Database, clock: Clock, { k1, signature, linkingKey }: SignedChallenge): Promise<void> {
  const k1Hash = secretHash(k1);
  if (!(await database.first(sql.findByK1, k1Hash))) throw new Refusal('link_unusable', 'This login link is not valid.');
  const compact = readDerSignature(Buffer.from(signature, 'hex'));
  // LUD-04 does not require a low S.
  if (!compact || !verifyEcdsa(Buffer.from(k1, 'hex'), linkingKey, { compact, requiresLowS: false }))
    throw new Refusal('link_unusable', 'The signature is not valid.');
  const stored = await database.transaction((tx) => tx.run(sql.sign, k1Hash, linkingKey, unixSeconds(clock)));
  if (stored === 0) throw new Refusal('link_unusable', 'This login link has expired or has been used. Ask for a new one.');
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
