import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { publicKeyOf } from '../../src/core/nostr/event.ts';
import { decryptNip44, encryptNip44, nip44Key } from '../../src/core/nostr/nip44.ts';

/* The test vectors of NIP-44 (https://github.com/paulmillr/nip44), which this project did not create. */

interface Vectors {
  readonly valid: {
    readonly get_conversation_key: readonly { readonly sec1: string; readonly pub2: string; readonly conversation_key: string }[];
    readonly calc_padded_len: readonly (readonly [length: number, padded: number])[];
    readonly encrypt_decrypt: readonly {
      readonly sec1: string;
      readonly sec2: string;
      readonly conversation_key: string;
      readonly nonce: string;
      readonly plaintext: string;
      readonly payload: string;
    }[];
    readonly encrypt_decrypt_long_msg: readonly {
      readonly conversation_key: string;
      readonly nonce: string;
      readonly pattern: string;
      readonly repeat: number;
      readonly plaintext_sha256: string;
      readonly payload_sha256: string;
    }[];
  };
  readonly invalid: {
    readonly encrypt_msg_lengths: readonly number[];
    readonly get_conversation_key: readonly { readonly sec1: string; readonly pub2: string; readonly note: string }[];
    readonly decrypt: readonly { readonly conversation_key: string; readonly payload: string; readonly note: string }[];
  };
}

const { v2 } = JSON.parse(readFileSync(new URL('nip44-vectors.json', import.meta.url), 'utf8')) as { readonly v2: Vectors };

const bytes = (hex: string) => Buffer.from(hex, 'hex');

it('derives the conversation keys of the vectors', () => {
  const vectors = v2.valid.get_conversation_key;
  expect(vectors.length).toBeGreaterThan(30);
  const derived = vectors.map(({ sec1, pub2 }) => nip44Key(bytes(sec1), pub2)?.toString('hex'));
  expect(derived).toEqual(vectors.map(({ conversation_key }) => conversation_key));
});

it('encrypts and decrypts the messages of the vectors', () => {
  expect(v2.valid.encrypt_decrypt.length).toBeGreaterThan(5);
  for (const { sec1, sec2, conversation_key, nonce, plaintext, payload } of v2.valid.encrypt_decrypt) {
    const key = bytes(conversation_key);
    expect(nip44Key(bytes(sec1), publicKeyOf(bytes(sec2)))).toEqual(key);
    expect(nip44Key(bytes(sec2), publicKeyOf(bytes(sec1)))).toEqual(key);
    expect(encryptNip44(key, plaintext, bytes(nonce))).toBe(payload);
    expect(decryptNip44(key, payload)).toBe(plaintext);
  }
});

it('encrypts and decrypts the long messages of the vectors', () => {
  for (const { conversation_key, nonce, pattern, repeat, plaintext_sha256, payload_sha256 } of v2.valid.encrypt_decrypt_long_msg) {
    const plaintext = pattern.repeat(repeat);
    expect(hash('sha256', plaintext)).toBe(plaintext_sha256);
    const payload = encryptNip44(bytes(conversation_key), plaintext, bytes(nonce));
    expect(hash('sha256', payload)).toBe(payload_sha256);
    expect(decryptNip44(bytes(conversation_key), payload)).toBe(plaintext);
  }
});

it('pads texts to the lengths of the vectors', () => {
  const key = new Uint8Array(32).fill(7);
  const overhead = 1 + 32 + 2 + 32;
  for (const [length, padded] of v2.valid.calc_padded_len.filter(([one]) => one <= 65_535)) {
    expect(Buffer.from(encryptNip44(key, 'x'.repeat(length)), 'base64').length, `${length} bytes`).toBe(overhead + padded);
  }
});

it('refuses texts whose length cannot be encrypted', () => {
  for (const length of v2.invalid.encrypt_msg_lengths) {
    expect(() => encryptNip44(new Uint8Array(32), 'x'.repeat(length)), `${length} bytes`).toThrow(RangeError);
  }
});

it('derives no key from the invalid keys of the vectors', () => {
  for (const { sec1, pub2, note } of v2.invalid.get_conversation_key) {
    expect(keyOrError(sec1, pub2), note).toBeOneOf([undefined, 'TypeError']);
  }
});

function keyOrError(secretKey: string, pubkey: string): unknown {
  try {
    return nip44Key(bytes(secretKey), pubkey);
  } catch (error) {
    return (error as Error).name;
  }
}

it('decrypts none of the invalid payloads of the vectors', () => {
  expect(v2.invalid.decrypt.length).toBeGreaterThan(5);
  for (const { conversation_key, payload, note } of v2.invalid.decrypt) {
    expect(decryptNip44(bytes(conversation_key), payload), note).toBeUndefined();
  }
});
