import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { bech32 } from '@scure/base';
import { InvalidInvoice } from './invalid-invoice.ts';

const RECOVERY_ID_AT = 64;

/**
 * Says whose signature an invoice carries: the public key in hex. Where the invoice states its payee (`n`), the signature must
 * verify for that key and be of the low-S form; otherwise the key is recovered, from either form of S.
 *
 * A recovered key proves little by itself: a changed text with a new checksum recovers to some other key.
 * Source: BOLT11, "Data Part" and "Tagged Fields" (`n`).
 * @param prefix the human-readable part, lower case
 * @param words the data part without the signature
 * @param signature the 104 words of r, s and recovery id
 * @throws InvalidInvoice
 */
export function readSigner(prefix: string, words: readonly number[], signature: number[], statedPayee: string | undefined): string {
  const bytes = bech32.fromWords(signature);
  const recoveryId = bytes[RECOVERY_ID_AT];
  if (recoveryId === undefined || recoveryId > 3) throw new InvalidInvoice('the signature has no valid recovery id');
  const hash = createHash('sha256').update(prefix).update(packWords(words)).digest();
  if (statedPayee === undefined) return recover(bytes, recoveryId, hash);
  if (!verifies(bytes.subarray(0, RECOVERY_ID_AT), hash, statedPayee)) {
    throw new InvalidInvoice('the signature is not that of the key in the n field');
  }
  return statedPayee;
}

function recover(signature: Uint8Array, recoveryId: number, hash: Uint8Array): string {
  const recoverable = Uint8Array.of(recoveryId, ...signature.subarray(0, RECOVERY_ID_AT));
  try {
    return bytesToHex(secp256k1.recoverPublicKey(recoverable, hash, { prehash: false }));
  } catch {
    throw new InvalidInvoice('the signature is not valid');
  }
}

function verifies(signature: Uint8Array, hash: Uint8Array, pubkey: string): boolean {
  return secp256k1.verify(signature, hash, hexToBytes(pubkey), { prehash: false, lowS: true });
}

/** Joins 5-bit words to bytes, the last one filled up with zero bits: what is signed need not end on a byte. */
function packWords(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((words.length * 5) / 8));
  words.forEach((word, index) => {
    const bit = index * 5;
    const at = bit >> 3;
    const shifted = word << (11 - (bit & 7));
    bytes[at] = (bytes[at] ?? 0) | (shifted >> 8);
    if (at + 1 < bytes.length) bytes[at + 1] = shifted & 255;
  });
  return bytes;
}
