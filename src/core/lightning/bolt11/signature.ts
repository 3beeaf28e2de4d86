import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import * as secp256k1 from 'tiny-secp256k1';
import { orUndefined, verifyEcdsa } from '../../kernel/secp256k1.ts';
import { InvalidInvoice } from './fields.ts';

const RECOVERY_ID_AT = 64;

/**
 * Returns the public key that signed an invoice, in hex. If the invoice states its payee (`n`), the signature must verify for that key and
 * have a low S. Otherwise the key is recovered from the signature, which may have a low or a high S.
 *
 * A recovered key alone does not prove that the text is unchanged: changed text with a new checksum recovers to another key.
 * Source: BOLT11, "Data Part" and "Tagged Fields" (`n`).
 * @param prefix the human-readable part in lower case
 * @param words the data part without the signature
 * @param signature the 104 words of r, s and recovery id
 * @throws InvalidInvoice
 */
export function readSigner(prefix: string, words: readonly number[], signature: number[], statedPayee: string | undefined): string {
  const bytes = bech32.fromWords(signature);
  const recoveryId = bytes[RECOVERY_ID_AT];
  if (recoveryId !== 0 && recoveryId !== 1 && recoveryId !== 2 && recoveryId !== 3)
    throw new InvalidInvoice('the signature has no valid recovery id');
  const hash = createHash('sha256').update(prefix).update(packWords(words)).digest();
  const compact = bytes.subarray(0, RECOVERY_ID_AT);
  if (statedPayee === undefined) return recover(compact, recoveryId, hash);
  if (!verifyEcdsa(hash, statedPayee, { compact, requiresLowS: true })) {
    throw new InvalidInvoice('the signature is not that of the key in the n field');
  }
  return statedPayee;
}

function recover(signature: Uint8Array, recoveryId: 0 | 1 | 2 | 3, hash: Uint8Array): string {
  const key = orUndefined(() => secp256k1.recover(hash, signature, recoveryId, true));
  if (!key) throw new InvalidInvoice('the signature is not valid');
  return Buffer.from(key).toString('hex');
}

/** Joins 5-bit words to bytes. The signed data need not end on a byte, so zero words fill the last one. */
function packWords(words: readonly number[]): Uint8Array {
  const missingBits = (words.length * 3) % 8;
  return bech32.fromWords([...words, ...Array<number>(Math.ceil(missingBits / 5)).fill(0)]);
}
