import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto';
import { hmacSha256, wrapKey } from '../../../core/kernel/crypto.ts';
import { secretHash } from '../../../core/kernel/ids.ts';

/*
 * The secret of a withdraw link is the `ott` in its LNURL. The `k1` of LUD-03 is derived from it, and identifies the link too, for clients that
 * drop the `ott` from the callback. The database stores only the hash of the `k1`.
 *
 * The tokens of balance checks (LUD-14) change every 30 days, without a write. A token names link and period, and contains the `k1`, encrypted
 * with a key that is derived from the stored hash and the period. An expired token is therefore of no use without the database, and the
 * database is of no use without a token. A claim with such a token has the token itself as its `k1`.
 */

/** Returns the `k1` of an `ott`: 32 bytes in hex, which cannot be computed without the `ott`. */
export function k1Of(ott: string): string {
  return hmacSha256(Buffer.from(ott), 'k1').toString('hex');
}

interface HashedLink {
  readonly id: string;
  readonly k1_hash: Uint8Array;
}

const PERIOD_SECONDS = 30 * 86_400;
/** A token that is not used for this many periods, about a year, is no longer accepted. */
const ACCEPTED_PERIODS = 12;

const ID_PREFIX = 'lnurlw_';
const TOKEN = /^([0-9A-Za-z]{22})\.(0|[1-9]\d{0,5})\.([\w-]{64})$/;
const CIPHER = 'aes-256-gcm';
/** Each key encrypts a single value, the `k1` of its link. */
const NONCE = Buffer.alloc(12);
const TAG_BYTES = 16;

/** Returns the token of a link's balance checks at a time in Unix seconds. */
export function sealBalanceToken(link: HashedLink, k1: string, nowSeconds: number): string {
  const period = periodOf(nowSeconds);
  const cipher = createCipheriv(CIPHER, wrapKey(keyOf(link, period)), NONCE);
  const sealed = Buffer.concat([cipher.update(k1, 'hex'), cipher.final(), cipher.getAuthTag()]);
  return `${link.id.slice(ID_PREFIX.length)}.${period}.${sealed.toString('base64url')}`;
}

/** Returns the id of the link that a token of a balance check names; undefined for a text of another form. */
export function linkOfBalanceToken(text: string): string | undefined {
  const [, id] = TOKEN.exec(text) ?? [];
  return id && ID_PREFIX + id;
}

/** Returns the `k1` in a token of the link; undefined if the token is invalid or has expired. */
export function openBalanceToken(link: HashedLink, token: string, nowSeconds: number): string | undefined {
  const [, , period = '', text = ''] = TOKEN.exec(token) ?? [];
  const age = periodOf(nowSeconds) - Number(period);
  // The clock of another instance may be ahead.
  if (age < -1 || age > ACCEPTED_PERIODS) return undefined;
  const sealed = Buffer.from(text, 'base64url');
  const decipher = createDecipheriv(CIPHER, wrapKey(keyOf(link, Number(period))), NONCE, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const k1 = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('hex');
    // A reader of the database can encrypt any text.
    return timingSafeEqual(secretHash(k1), link.k1_hash) ? k1 : undefined;
  } catch {
    return undefined;
  }
}

function periodOf(nowSeconds: number): number {
  return Math.floor(nowSeconds / PERIOD_SECONDS);
}

function keyOf(link: HashedLink, period: number): Uint8Array {
  return hmacSha256(link.k1_hash, `balanceCheck ${period}`);
}
