import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { signBip340, verifyBip340, xOnlyKeyOf } from '../../src/core/kernel/secp256k1.ts';
import { eventId, type NostrEvent, publicKeyOf, readEvent, signEvent, verifyEvent } from '../../src/core/nostr/event.ts';

const SECRET = new Uint8Array(32).fill(1);

/** An event of another implementation, nostr-tools 2.25.2, with characters that JSON escapes and characters that it need not escape. */
const RECORDED: NostrEvent = {
  kind: 23194,
  created_at: 1_700_000_000,
  tags: [
    ['p', '4d4b6cd1361032ca9bd2aeb9d900aa4d45d9ead80ac9423374c451a7254d0766'],
    ['encryption', 'nip44_v2'],
  ],
  content: 'Zeile "1"\n\t\\ 🦄 \u2028 \u0001 ü',
  pubkey: '1b84c5567b126440995d3ed5aaba0565d71e1834604819ff9c17f5e9d5dd078f',
  id: '16790f979afea9767e6d199e208e989ca05c6a7215a46a835f8ddcab83b36f73',
  sig: '261e38aed45c9e8d31457b11d3f6e51d3ae2ef141753fd0269c5ca38a33b2da5ad6dd1cd0fc23c547bc70d5966384e3be3456c35a7f33cf1a366046f573334f5',
};

const text = fc.string({ unit: 'binary', maxLength: 200 });
const template = fc.record({
  created_at: fc.nat(),
  kind: fc.nat(65_535),
  tags: fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { maxLength: 5 }),
  content: text,
});

/** The vectors of BIP-340 with a message of 32 bytes, as an event's id is. This project did not create them. */
const vectors = readFileSync(new URL('bip340-vectors.csv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => {
    const [index = '', secretKey = '', key = '', , message = '', signature = '', isValid = ''] = line.split(',');
    return {
      index,
      secretKey: bytes(secretKey),
      key: bytes(key),
      message: bytes(message),
      signature: bytes(signature),
      isValid: isValid === 'TRUE',
    };
  })
  .filter(({ message }) => message.length === 32);

function bytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex');
}

it('verifies the signatures of the vectors of BIP-340, and refuses the invalid ones', () => {
  expect(vectors).toHaveLength(15);
  for (const { index, key, message, signature, isValid } of vectors) {
    expect(verifyBip340(message, key, signature), `vector ${index}`).toBe(isValid);
  }
});

it('derives the public keys of the vectors of BIP-340, and creates valid signatures', () => {
  const signing = vectors.filter(({ secretKey }) => secretKey.length > 0);
  expect(signing).toHaveLength(4);
  for (const { secretKey, key, message } of signing) {
    expect(Buffer.from(xOnlyKeyOf(secretKey))).toEqual(key);
    expect(verifyBip340(message, key, signBip340(message, secretKey))).toBe(true);
  }
});

it('computes the id of another implementation, and verifies its signature', () => {
  expect(eventId(RECORDED)).toBe(RECORDED.id);
  expect(readEvent(JSON.parse(JSON.stringify(RECORDED)))).toEqual(RECORDED);
  expect(verifyEvent(RECORDED)).toBe(true);
});

it('reads and verifies each event that it signed', () => {
  fc.assert(
    fc.property(template, (draft) => {
      const event = signEvent(draft, SECRET);
      expect(event).toMatchObject({ ...draft, pubkey: publicKeyOf(SECRET) });
      expect(readEvent(JSON.parse(JSON.stringify(event)))).toEqual(event);
      expect(verifyEvent(event)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

it('refuses an event with any changed field', () => {
  const signed = signEvent({ kind: 1, created_at: 5, tags: [['p', 'a']], content: 'coffee' }, SECRET);
  const flipped = (hex: string, at: number) => `${hex.slice(0, at)}${hex[at] === '0' ? '1' : '0'}${hex.slice(at + 1)}`;
  const changes: Partial<NostrEvent>[] = [
    { kind: 2 },
    { created_at: 6 },
    { tags: [['p', 'b']] },
    { tags: [['p', 'a'], ['p']] },
    { content: 'Coffee' },
    { pubkey: publicKeyOf(new Uint8Array(32).fill(2)) },
    { id: flipped(signed.id, 0) },
    { sig: flipped(signed.sig, 0) },
    { sig: flipped(signed.sig, 127) },
    { sig: 'f'.repeat(128) },
    { pubkey: 'f'.repeat(64) },
    { pubkey: '0'.repeat(64) },
  ];
  for (const change of changes) expect(verifyEvent({ ...signed, ...change }), JSON.stringify(change)).toBe(false);
});

it('refuses a signature of another event by the same author', () => {
  const [one, other] = ['one', 'other'].map((content) => signEvent({ kind: 1, created_at: 5, tags: [], content }, SECRET));
  expect(verifyEvent({ ...(one as NostrEvent), sig: (other as NostrEvent).sig })).toBe(false);
});

it.each<[string, unknown]>([
  ['no object', null],
  ['an array', [RECORDED]],
  ['a text', JSON.stringify(RECORDED)],
  ['an upper-case id', { ...RECORDED, id: RECORDED.id.toUpperCase() }],
  ['a short id', { ...RECORDED, id: RECORDED.id.slice(1) }],
  ['a public key of 33 bytes', { ...RECORDED, pubkey: `02${RECORDED.pubkey}` }],
  ['a signature that is not hex', { ...RECORDED, sig: 'g'.repeat(128) }],
  ['a signature with a line break at its end', { ...RECORDED, sig: `${RECORDED.sig.slice(1)}\n` }],
  ['a negative time', { ...RECORDED, created_at: -1 }],
  ['a fraction as time', { ...RECORDED, created_at: 0.5 }],
  ['a time beyond whole numbers', { ...RECORDED, created_at: 2 ** 53 }],
  ['a text as time', { ...RECORDED, created_at: '5' }],
  ['a kind above 65,535', { ...RECORDED, kind: 65_536 }],
  ['tags that are no list', { ...RECORDED, tags: { length: 0 } }],
  ['an empty tag', { ...RECORDED, tags: [[]] }],
  ['a number in a tag', { ...RECORDED, tags: [['p', 1]] }],
  ['a list in a tag', { ...RECORDED, tags: [['p', ['x']]] }],
  ['501 tags', { ...RECORDED, tags: Array.from({ length: 501 }, () => ['t']) }],
  ['a tag with 501 items', { ...RECORDED, tags: [Array.from({ length: 501 }, () => 't')] }],
  ['no content', { ...RECORDED, content: undefined }],
  ['a lone surrogate', { ...RECORDED, content: '\ud800' }],
  ['a content of more than 131,072 characters', { ...RECORDED, content: 'x'.repeat(131_073) }],
  ['tags of more than 131,072 characters', { ...RECORDED, tags: [['x'.repeat(65_536), 'x'.repeat(65_537)]] }],
])('reads no event from %s', (_, value) => {
  expect(readEvent(value)).toBeUndefined();
});

it('drops the unknown fields of an event', () => {
  expect(readEvent({ ...RECORDED, seen: true, __proto__: { kind: 1 } })).toEqual(RECORDED);
});

it('reads no event from any other JSON value', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => readEvent(value) === undefined));
});
