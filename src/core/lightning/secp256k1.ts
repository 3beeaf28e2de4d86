import { isPointCompressed, verify } from 'tiny-secp256k1';

/** Returns whether a hex text is a compressed public key: 33 bytes, and a point on the curve. */
export function isPublicKey(hex: string): boolean {
  return /^0[23][0-9a-f]{64}$/i.test(hex) && isPointCompressed(Buffer.from(hex, 'hex'));
}

export interface EcdsaSignature {
  /** r and s, 32 bytes each. */
  readonly compact: Uint8Array;
  /** Whether a high S makes the signature invalid. */
  readonly requiresLowS: boolean;
}

/** Verifies an ECDSA signature on secp256k1 of 32 bytes. Returns false for a key or a signature that is not valid. */
export function verifyEcdsa(hash: Uint8Array, pubkey: string, { compact, requiresLowS }: EcdsaSignature): boolean {
  // The library also rejects an invalid key, but by throwing out of WebAssembly. Each throw leaks a piece of its stack, and after some
  // thousands of them the library fails every check.
  if (!isPublicKey(pubkey)) return false;
  return orUndefined(() => verify(hash, Buffer.from(pubkey, 'hex'), compact, requiresLowS)) === true;
}

/** The library throws a TypeError for input that cannot be a signature, such as an S beyond the order of the group. Other errors are rethrown. */
export function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
