import { isPointCompressed } from 'tiny-secp256k1';

/** Whether a hex text is a compressed public key: 33 bytes, and a point on the curve. */
export function isPublicKey(hex: string): boolean {
  return /^0[23][0-9a-f]{64}$/i.test(hex) && isPointCompressed(Buffer.from(hex, 'hex'));
}
