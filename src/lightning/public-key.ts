import { secp256k1 } from '@noble/curves/secp256k1.js';

/** Whether a hex text is a compressed public key: 33 bytes, and a point on the curve. */
export function isPublicKey(hex: string): boolean {
  try {
    secp256k1.Point.fromHex(hex);
    return hex.length === 66;
  } catch {
    return false;
  }
}
