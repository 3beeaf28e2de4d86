import { createHash } from 'node:crypto';
import { bech32 } from '@scure/base';
import { signRecoverable } from 'tiny-secp256k1';
import type { Network } from '../../src/core/lightning/bolt11/bolt11.ts';

/** A tagged field: its letter (`p`, `s`, `d`, …) and its data, either 5-bit words or bytes that the encoder pads to words. Source: BOLT 11. */
export type Bolt11Field = readonly [letter: string, data: readonly number[] | Uint8Array];

export interface Bolt11Draft {
  readonly network: Network;
  readonly amountMsat?: number;
  /** The amount as text, in place of `amountMsat`. For tests with invalid amounts. */
  readonly amountText?: string;
  /** Unix seconds. */
  readonly timestamp: number;
  /** Encoded in this order without checks, so a test can repeat, shorten or omit a field. */
  readonly fields: readonly Bolt11Field[];
  /** 32 bytes in hex. */
  readonly privateKey: string;
  /** Signs with the high S value, which is valid but not canonical. */
  readonly highS?: boolean;
  /** 65 bytes (r, s, recovery id) that replace the computed signature. */
  readonly signature?: Uint8Array;
}

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const HRP = { bitcoin: 'lnbc', testnet: 'lntb', signet: 'lntbs', regtest: 'lnbcrt' } as const;
const UNITS = [
  ['', 100_000_000_000n],
  ['m', 100_000_000n],
  ['u', 100_000n],
  ['n', 100n],
] as const;

/** Encodes and signs an invoice for the fake node and for tests. Does not check the draft. */
export function encodeBolt11(draft: Bolt11Draft): string {
  const prefix = HRP[draft.network] + (draft.amountText ?? amountText(draft.amountMsat));
  const words = [...numberWords(draft.timestamp, 7), ...draft.fields.flatMap(fieldWords)];
  const signature = draft.signature ?? sign(prefix, words, draft);
  return bech32.encode(prefix, [...words, ...bech32.toWords(signature)], false);
}

/** Returns the fields that every invoice has. `paymentHash` and `paymentSecret` are hex. */
export function ordinaryFields(invoice: { paymentHash: string; paymentSecret: string; description: string }): Bolt11Field[] {
  return [
    ['p', Buffer.from(invoice.paymentHash, 'hex')],
    ['s', Buffer.from(invoice.paymentSecret, 'hex')],
    ['d', new TextEncoder().encode(invoice.description)],
  ];
}

/** Encodes a number as big-endian 5-bit words, padded to `length` words if it is given. */
export function numberWords(value: number, length?: number): number[] {
  const words: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 32)) words.unshift(rest % 32);
  return [...new Array<number>(Math.max(0, (length ?? 0) - words.length)).fill(0), ...words];
}

/** Encodes the words of a `9` field with these feature bits. */
export function featureWords(bits: readonly number[]): number[] {
  const words = new Array<number>(Math.floor(Math.max(...bits) / 5) + 1).fill(0);
  for (const bit of bits) {
    const at = words.length - 1 - Math.floor(bit / 5);
    words[at] = (words[at] ?? 0) | (1 << (bit % 5));
  }
  return words;
}

function fieldWords([letter, data]: Bolt11Field): number[] {
  const words = data instanceof Uint8Array ? bech32.toWords(Uint8Array.from(data)) : data;
  return [ALPHABET.indexOf(letter), words.length >> 5, words.length & 31, ...words];
}

/** Encodes an amount for the human-readable part, with the largest unit that divides it. */
export function amountText(amountMsat: number | undefined): string {
  if (amountMsat === undefined) return '';
  const amount = BigInt(amountMsat);
  const unit = UNITS.find(([, size]) => amount % size === 0n);
  return unit ? `${amount / unit[1]}${unit[0]}` : `${amount * 10n}p`;
}

function sign(prefix: string, words: readonly number[], draft: Bolt11Draft): Uint8Array {
  // A slow bit-by-bit conversion: an implementation independent of the decoder's, so that tests find errors of either.
  const bits = words.map((word) => word.toString(2).padStart(5, '0')).join('');
  const bytes = (bits.match(/.{1,8}/g) ?? []).map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2));
  const hash = createHash('sha256').update(prefix).update(Uint8Array.from(bytes)).digest();
  const { signature, recoveryId } = signRecoverable(hash, Buffer.from(draft.privateKey, 'hex'));
  if (!draft.highS) return Uint8Array.of(...signature, recoveryId);
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).toString('hex')}`);
  const highS = Buffer.from((ORDER - s).toString(16).padStart(64, '0'), 'hex');
  return Uint8Array.of(...signature.subarray(0, 32), ...highS, recoveryId ^ 1);
}

/** The order of the secp256k1 group. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;
