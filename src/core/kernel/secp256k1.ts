import { randomBytes } from 'node:crypto';
import {
  isPointCompressed,
  isPrivate,
  isXOnlyPoint,
  pointMultiply,
  signSchnorr,
  verify,
  verifySchnorr,
  xOnlyPointFromScalar,
} from 'tiny-secp256k1';

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

/** Returns whether 32 bytes are the x coordinate of a point on the curve: a public key of BIP-340. */
export function isXOnlyKey(key: Uint8Array): boolean {
  return key.length === 32 && isXOnlyPoint(key);
}

/** Returns the public key of BIP-340, 32 bytes. @throws TypeError for bytes that are not a private key */
export function xOnlyKeyOf(privateKey: Uint8Array): Uint8Array {
  return xOnlyPointFromScalar(privateKey);
}

/** Signs 32 bytes as in BIP-340, with fresh auxiliary randomness. @throws TypeError for bytes that are not a private key */
export function signBip340(hash: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return signSchnorr(hash, privateKey, randomBytes(32));
}

/** Verifies a signature of BIP-340 on 32 bytes. Returns false for a key or a signature that is not valid. */
export function verifyBip340(hash: Uint8Array, key: Uint8Array, signature: Uint8Array): boolean {
  // As in verifyEcdsa: an invalid key would be thrown out of WebAssembly.
  if (!isXOnlyKey(key)) return false;
  return orUndefined(() => verifySchnorr(hash, key, signature)) === true;
}

/**
 * Returns the x coordinate of the point that two keys share (ECDH), 32 bytes; undefined for an invalid public key. Both y coordinates of the
 * public key give the same result. @throws TypeError for bytes that are not a private key
 */
export function sharedX(privateKey: Uint8Array, key: Uint8Array): Uint8Array | undefined {
  if (!isPrivate(privateKey)) throw new TypeError('the bytes are not a private key');
  if (!isXOnlyKey(key)) return undefined;
  return pointMultiply(Uint8Array.of(2, ...key), privateKey, true)?.subarray(1);
}
