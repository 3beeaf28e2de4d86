import { createHash, createHmac } from 'node:crypto';
import { randomText } from '../../kernel/ids.ts';

/*
 * A withdraw link has two bearer tokens: the `ott` in its LNURL, and one for balance checks (LUD-14). A `k1` (LUD-03) is derived from each;
 * it identifies the link too, for clients that drop the `ott` from the callback. The database stores only hashes of the four.
 */

/** Generates a token with 143 random bits. */
export function newToken(): string {
  return randomText(24);
}

/** Returns the hash that the database stores of a token or a `k1`. */
export function tokenHash(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

/** Returns the `k1` of LUD-03 for a token: 32 bytes in hex, which cannot be computed without the token. */
export function k1Of(token: string): string {
  return createHmac('sha256', token).update('k1').digest('hex');
}

/** Returns the token for balance checks of a link's `ott`. */
export function balanceTokenOf(token: string): string {
  return createHmac('sha256', token).update('balanceCheck').digest('base64url');
}
