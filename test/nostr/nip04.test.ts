import fc from 'fast-check';
import { expect, it } from 'vitest';
import { publicKeyOf } from '../../src/core/nostr/event.ts';
import { decryptNip04, encryptNip04, nip04Key } from '../../src/core/nostr/nip04.ts';

const [ONE, OTHER] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];
const KEY = nip04Key(ONE, publicKeyOf(OTHER)) as Buffer;

/** Payloads of another implementation, nostr-tools 2.25.2, between the same keys. */
const RECORDED = [
  ['', 'l67iBRJY4kfMXiVeiao8ng==?iv=BWIyLkjY1ti8FezHEAeTrQ=='],
  ['{"method":"get_balance"}', 'B3YwwNkkUTAyUtm2r9b34lPzfc3h/w1Bp+vwC8u/Ct0=?iv=Qy/rbTak7qAIVCh13OTBfw=='],
  ['naïve 🦄', 'Ei9Kiy3xjMyCu5WW38ZAqg==?iv=UZFoayfJmJ4VLKjE/BmzDw=='],
] as const;

it('decrypts the payloads of another implementation', () => {
  for (const [plaintext, payload] of RECORDED) expect(decryptNip04(KEY, payload)).toBe(plaintext);
});

it('encrypts every text so that only the other key decrypts it', () => {
  const otherKey = nip04Key(OTHER, publicKeyOf(ONE)) as Buffer;
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (plaintext) => {
      const payload = encryptNip04(KEY, plaintext);
      expect(payload).not.toBe(encryptNip04(KEY, plaintext));
      expect(decryptNip04(otherKey, payload)).toBe(plaintext);
    }),
  );
});

it('decrypts no text from malformed payloads', () => {
  const [, [, payload]] = RECORDED;
  const [encrypted = '', iv = ''] = payload.split('?iv=');
  const malformed = [
    '',
    encrypted,
    `${encrypted}?iv=`,
    `?iv=${iv}`,
    `${payload}?iv=${iv}`,
    `${encrypted.slice(4)}?iv=${iv}`,
    `${payload}\n`,
  ];
  for (const text of [...malformed, `!${payload}`, `${encrypted}?iv=${'A'.repeat(24)}`, `${'A'.repeat(200_000)}?iv=${iv}`]) {
    expect(decryptNip04(KEY, text), text.slice(0, 80)).toBeUndefined();
  }
});

it('decrypts no text from any other text', () => {
  fc.assert(fc.property(fc.string(), (payload) => decryptNip04(KEY, payload) === undefined));
});

it('derives no key from a point that is not on the curve', () => {
  expect(nip04Key(ONE, 'f'.repeat(64))).toBeUndefined();
  expect(nip04Key(ONE, `${'0'.repeat(63)}5`)).toBeUndefined();
});
