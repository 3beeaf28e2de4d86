import { hkdfSync } from 'node:crypto';

/**
 * Derives a secret key of the service from SECRET_KEY, 32 bytes. Keys of different purposes have nothing in common. The probability that the
 * bytes are no private key is 2^-128.
 */
export function deriveNostrKey(secretKey: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretKey, new Uint8Array(), `satchel nostr ${purpose}, version 1`, 32));
}
