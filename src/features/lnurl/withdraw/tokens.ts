import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { tokenHash } from '../lnurl.ts';
import type { LinkRow } from './withdraw-links.sql.ts';

/*
 * A withdraw link has two secrets: the `ott` in its LNURL, and the root of its balance checks, which is derived from the `ott`. A `k1` (LUD-03)
 * is derived from each; it identifies the link too, for clients that drop the `ott` from the callback. The database stores only hashes.
 *
 * The tokens of balance checks (LUD-14) change every 30 days, without a write. A token names link and period, and contains the root, encrypted
 * with a key that is derived from the stored hash of the `ott`, the purpose and the period. An expired token is therefore of no use without the
 * database, and the database is of no use without a token, because it has only a hash of the root.
 */

/** Returns the `k1` of LUD-03 for a token: 32 bytes in hex, which cannot be computed without the token. */
export function k1Of(token: string): string {
  return createHmac('sha256', token).update('k1').digest('hex');
}

/** Returns the root of the balance checks of a link's `ott`: 32 bytes in base64url. */
export function balanceRootOf(token: string): string {
  return createHmac('sha256', token).update('balanceCheck').digest('base64url');
}

/** `token` is the `ott` of a balance check, `k1` that of LUD-03. */
type Purpose = 'token' | 'k1';

type HashedLink = Pick<LinkRow, 'id' | 'token_hash' | 'balance_token_hash'>;

const PERIOD_SECONDS = 30 * 86_400;
/** A URL that is not read for this many periods, about a year, is no longer accepted. */
const ACCEPTED_PERIODS = 12;

const ID_PREFIX = 'lnurlw_';
const TEXT = /^([0-9A-Za-z]{22})\.(0|[1-9]\d{0,5})\.([\w-]{64})$/;
const CIPHER = 'aes-256-gcm';
/** Each key encrypts a single value, the root of its link. */
const NONCE = Buffer.alloc(12);
const TAG_BYTES = 16;

/** Returns the period of a time in Unix seconds. */
export function balancePeriod(nowSeconds: number): number {
  return Math.floor(nowSeconds / PERIOD_SECONDS);
}

/** Returns the text for a purpose in a period. `root` is 32 bytes in base64url. */
export function sealBalanceText(purpose: Purpose, link: HashedLink, root: string, period: number): string {
  const cipher = createCipheriv(CIPHER, keyOf(purpose, link, period), NONCE);
  const sealed = Buffer.concat([cipher.update(root, 'base64url'), cipher.final(), cipher.getAuthTag()]);
  return `${link.id.slice(ID_PREFIX.length)}.${period}.${sealed.toString('base64url')}`;
}

/** Returns the id of the link that a text names, or undefined if the text has another form. */
export function linkOfBalanceText(text: string): string | undefined {
  const [, id] = TEXT.exec(text) ?? [];
  return id && ID_PREFIX + id;
}

/** Returns root and period of a text of the link, or undefined if it is invalid or has expired. */
export function openBalanceText(
  purpose: Purpose,
  link: HashedLink,
  text: string,
  nowSeconds: number,
): { root: string; period: number } | undefined {
  const [, , number = '', sealed = ''] = TEXT.exec(text) ?? [];
  const period = Number(number);
  const age = balancePeriod(nowSeconds) - period;
  // The clock of another instance may be ahead.
  if (age < -1 || age > ACCEPTED_PERIODS) return undefined;
  const root = decryptRoot(keyOf(purpose, link, period), Buffer.from(sealed, 'base64url'));
  return root !== undefined && Buffer.compare(tokenHash(root), link.balance_token_hash) === 0 ? { root, period } : undefined;
}

function decryptRoot(key: Uint8Array, sealed: Buffer): string | undefined {
  const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()]).toString('base64url');
  } catch {
    return undefined;
  }
}

function keyOf(purpose: Purpose, link: HashedLink, period: number): Uint8Array {
  return createHmac('sha256', link.token_hash).update(`balanceCheck ${purpose} ${period}`).digest();
}
