import { createHmac } from 'node:crypto';

/*
 * A withdraw link has two bearer tokens: the `ott` in its LNURL, and the root of its balance checks (`balance-token.ts`), which is derived
 * from the `ott`. A `k1` (LUD-03) is derived from each; it identifies the link too, for clients that drop the `ott` from the callback. The
 * database stores only hashes of the four.
 */

/** Returns the `k1` of LUD-03 for a token: 32 bytes in hex, which cannot be computed without the token. */
export function k1Of(token: string): string {
  return createHmac('sha256', token).update('k1').digest('hex');
}

/** Returns the root of the balance checks of a link's `ott`: 32 bytes in base64url. */
export function balanceRootOf(token: string): string {
  return createHmac('sha256', token).update('balanceCheck').digest('base64url');
}
