import { createHash } from 'node:crypto';
import { randomText } from '../../core/kernel/ids.ts';

/** Generates a bearer token with 143 random bits. */
export function newToken(): string {
  return randomText(24);
}

/** Returns what the database stores of a token or a challenge, so that it contains no secret: the SHA-256. */
export function tokenHash(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}
