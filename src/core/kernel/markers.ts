import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { invariant } from './assert.ts';
import { hmacSha256, wrapKey } from './crypto.ts';
import { ID_BYTES, isWalletId, walletIdBytes, walletIdFromBytes } from './ids.ts';

/*
 * The node's records name the wallet of each payment and receipt, so that SECRET_KEY and the node are enough to find them without the database.
 * Other nodes see these marks, and learn nothing from them: without the key, each is 32 or 70 bytes that cannot be distinguished from random ones.
 */

/** The payment that a marker names. */
export interface MarkedPayment {
  readonly walletId: string;
  readonly paymentId: string;
}

export interface PaymentToMark extends MarkedPayment {
  /** 32 bytes in hex. */
  readonly paymentHash: string;
}

export type Markers = ReturnType<typeof createMarkers>;

/** @param secretKey the bytes of SECRET_KEY, at least 32 */
export function createMarkers(secretKey: Uint8Array) {
  const derive = (purpose: string, keys: number) => {
    const bytes = Buffer.from(hkdfSync('sha256', secretKey, new Uint8Array(), `satchel ${purpose}, version 1`, 32 * keys));
    return Array.from({ length: keys }, (_, index) => bytes.subarray(32 * index, 32 * (index + 1)));
  };
  const roundKeys = derive('invoice preimages', ROUNDS);
  const [tagKey, cipherBytes] = derive('payment markers', 2) as [Buffer, Buffer];
  const cipherKey = wrapKey(cipherBytes);

  return {
    /**
     * Returns a preimage for an invoice of a wallet, 32 bytes in hex: the wallet's id, 64 random bits and 56 zeros, enciphered as one block. So
     * preimages, which payers see after they have paid, neither show the wallet nor that two belong to the same one, and an unpaid one is
     * unpredictable. With the key and the wallet's id, 2^64 guesses find the preimage of a known hash.
     */
    choosePreimage(walletId: string): string {
      invariant(isWalletId(walletId), `${walletId} is not the id of a wallet`);
      const plain = Buffer.concat([walletIdBytes(walletId), randomBytes(RANDOM_BYTES), CHECK]);
      return encipher(roundKeys, plain).toString('hex');
    },

    /** Returns the wallet of a preimage. Undefined for other preimages: 2^-61 is the probability of a mistake. */
    walletOfPreimage(preimage: string): string | undefined {
      const bytes = Buffer.from(preimage, 'hex');
      if (bytes.length !== 2 * HALF_BYTES) return undefined;
      const plain = decipher(roundKeys, bytes);
      if (!timingSafeEqual(plain.subarray(-CHECK.length), CHECK)) return undefined;
      return walletIdFromBytes(plain.subarray(0, ID_BYTES));
    },

    /**
     * Returns the marker of a payment, in hex: encrypted with a synthetic initialization vector, as in RFC 5297. It is always the same for a
     * payment, and has nothing in common with that of another payment, because the payment's id is part of the text. The payment hash is part of
     * the tag only, so a marker that was copied to another payment is invalid there.
     */
    sealPayment({ walletId, paymentId, paymentHash }: PaymentToMark): string {
      invariant(HASH.test(paymentHash), `${paymentHash} is not a payment hash`);
      const text = Buffer.from(`${walletId} ${paymentId}`);
      const tag = tagOf(tagKey, paymentHash, text);
      const cipher = createCipheriv('aes-256-ctr', cipherKey, tag);
      return Buffer.concat([tag, cipher.update(text), cipher.final()]).toString('hex');
    },

    /** Returns the payment that a marker names; undefined if it was not sealed with this key and payment hash, or was changed. */
    openPayment(marker: string | undefined, paymentHash: string): MarkedPayment | undefined {
      const bytes = Buffer.from(marker ?? '', 'hex');
      if (bytes.length <= TAG_BYTES || bytes.toString('hex') !== marker || !HASH.test(paymentHash)) return undefined;
      const tag = bytes.subarray(0, TAG_BYTES);
      const cipher = createDecipheriv('aes-256-ctr', cipherKey, tag);
      const plain = Buffer.concat([cipher.update(bytes.subarray(TAG_BYTES)), cipher.final()]);
      if (!timingSafeEqual(tag, tagOf(tagKey, paymentHash, plain))) return undefined;
      const [walletId = '', paymentId = ''] = plain.toString().split(' ');
      return { walletId, paymentId };
    },
  };
}

const RANDOM_BYTES = 8;
const CHECK = Buffer.alloc(7);
const TAG_BYTES = 16;
const HALF_BYTES = 16;
const ROUNDS = 4;

const HASH = /^[0-9a-f]{64}$/;

/** The hash comes first and has a fixed length, so no two pairs of hash and text are the same bytes. */
function tagOf(key: Buffer, paymentHash: string, text: Buffer): Buffer {
  return hmacSha256(key, Buffer.from(paymentHash, 'hex'), text).subarray(0, TAG_BYTES);
}

/**
 * A permutation of 32 bytes: four rounds of a Feistel network with HMAC-SHA256 and independent keys. No attacker distinguishes it from a random
 * permutation before about 2^64 blocks. Source: Luby and Rackoff, "How to construct pseudorandom permutations from pseudorandom functions", 1988.
 */
function encipher(keys: readonly Buffer[], block: Buffer): Buffer {
  let [left, right] = halvesOf(block);
  for (const key of keys) [left, right] = [right, mix(key, right, left)];
  return Buffer.concat([left, right]);
}

function decipher(keys: readonly Buffer[], block: Buffer): Buffer {
  let [left, right] = halvesOf(block);
  for (const key of keys.toReversed()) [left, right] = [mix(key, left, right), left];
  return Buffer.concat([left, right]);
}

function halvesOf(block: Buffer): [Buffer, Buffer] {
  return [block.subarray(0, HALF_BYTES), block.subarray(HALF_BYTES)];
}

/** Returns `other`, xor the hash of `half`. */
function mix(key: Buffer, half: Buffer, other: Buffer): Buffer {
  const bits = hmacSha256(key, half);
  return Buffer.from(other.map((byte, index) => byte ^ (bits[index] as number)));
}
