import { createHash, createHmac } from 'node:crypto';
import { randomText } from '../kernel/ids.ts';

/*
 * A withdraw link has two bearer tokens: the `ott` that its LNURL carries, and one for balance checks (LUD-14). The database keeps only
 * their hashes; k1 and the balance token are derived from the token that is presented, so nothing that could be claimed is ever stored.
 */

/** A new one-time token: 143 random bits. */
export function newToken(): string {
  return randomText(24);
}

/** How the database knows a token. */
export function tokenHash(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

/** LUD-03's `k1` for a token: 32 bytes in hex, nobody can tell one without the token. */
export function k1Of(token: string): string {
  return createHmac('sha256', token).update('k1').digest('hex');
}

/** The balance-check token that belongs to a link's `ott`. */
export function balanceTokenOf(token: string): string {
  return createHmac('sha256', token).update('balanceCheck').digest('base64url');
}
