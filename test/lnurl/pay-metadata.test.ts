import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { descriptionHash } from '../../src/features/lnurl/lnurl.ts';
import { imageIn, MAX_IMAGE_LENGTH, metadataText, readImage } from '../../src/features/lnurl/pay/link-settings.ts';
import { DEFAULT_SETTINGS } from '../../src/features/lnurl/pay/pay-links.sql.ts';
import { readPayerData, readPayerDataRequest } from '../../src/features/lnurl/pay/payer-data.ts';
import { readSuccessAction, type SuccessAction, sentSuccessAction } from '../../src/features/lnurl/pay/success-action.ts';
import { decryptAction } from './strict-payer.ts';

const sha256 = (text: string) => createHash('sha256').update(Buffer.from(text, 'utf8')).digest('hex');
const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
const PNG = base64('89504e470d0a1a0a0000000d49484452');
const JPEG = base64('ffd8ffe000104a464946');

// The example of LUD-18.
const LUD18_METADATA = '[["text/plain", "description"], ["image/png;base64", "AAA=="]]';
const LUD18_QUERY =
  '%7B%22name%22%3A%22bob%22%2C%22auth%22%3A%7B%22key%22%3A%2202c9323d02fc164f89c8f688dbfba8aad69a96fa8f6253ba8cce2c6f1546073fa3%22%2C%22sig%22%3A' +
  '%222afd21794e2a801d0d516584ceebe1a24ed8991dd5ec708259aeaee5c0d2d1437542b689ee5d39e619a01a257142d49c18a4af3088c46ce87e2d941a1bcc7210%22%7D%2C%22' +
  'identifier%22%3A%22bob%40bob.com%22%2C%22pubkey%22%3A%2203ee58475055820fbfa52e356a8920f62f8316129c39369dbdde3e5d0198a9e315%22%7D';
const LUD18_HASHED =
  '[["text/plain", "description"], ["image/png;base64", "AAA=="]]{"name":"bob","auth":{"key":"02c9323d02fc164f89c8f688dbfba8aad69a96fa8f6253ba8cce2c6f' +
  '1546073fa3","sig":"2afd21794e2a801d0d516584ceebe1a24ed8991dd5ec708259aeaee5c0d2d1437542b689ee5d39e619a01a257142d49c18a4af3088c46ce87e2d941a1bcc72' +
  '10"},"identifier":"bob@bob.com","pubkey":"03ee58475055820fbfa52e356a8920f62f8316129c39369dbdde3e5d0198a9e315"}';

describe('metadata', () => {
  it('is hashed as in the examples of LUD-06 and LUD-18', () => {
    const lud06 = '[["text/plain", "lorem ipsum blah blah"]]';
    expect(descriptionHash(lud06)).toBe(sha256(lud06));
    expect(descriptionHash(LUD18_METADATA, decodeURIComponent(LUD18_QUERY))).toBe(sha256(LUD18_HASHED));
  });

  it('contains each text once, exactly, and its hash is that of its bytes', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 });
    const image = fc.constantFrom(undefined, readImage(PNG), readImage(JPEG));
    const fields = fc.record({ short_desc: text, long_desc: fc.option(text), name: fc.option(text), image });
    fc.assert(
      fc.property(fields, text, (metadata, payerData) => {
        const json = metadataText({ ...DEFAULT_SETTINGS, ...metadata, domain: 'wallets.example.com' });
        const expected = [
          ['text/plain', metadata.short_desc],
          ...(metadata.name === null ? [] : [['text/identifier', `${metadata.name}@wallets.example.com`]]),
          ...(metadata.long_desc === null ? [] : [['text/long-desc', metadata.long_desc]]),
          ...(metadata.image ? [metadata.image] : []),
        ];
        expect(JSON.parse(json)).toEqual(expected);
        expect(imageIn(json)).toEqual(metadata.image);
        expect(descriptionHash(json)).toBe(sha256(json));
        expect(descriptionHash(json, payerData)).toBe(sha256(json + payerData));
      }),
    );
  });

  it('accepts images whose first bytes are those of a PNG or a JPEG', () => {
    expect(readImage(PNG)).toEqual(['image/png;base64', PNG]);
    expect(readImage(JPEG)).toEqual(['image/jpeg;base64', JPEG]);
  });

  it.each([
    ['nothing', ''],
    ['a GIF', base64('474946383961')],
    ['SVG', Buffer.from('<svg onload="alert(1)"/>').toString('base64')],
    ['HTML', Buffer.from('<script>').toString('base64')],
    ['a data URL', `data:image/png;base64,${PNG}`],
    ['missing padding', JPEG.replace(/=+$/, '')],
    ['a line break', `${PNG.slice(0, 8)}\n${PNG.slice(8)}`],
    ['base64url', base64('ffd8fffbffbf').replaceAll('/', '_')],
    ['a quote', `${PNG}"`],
    ['too much', Buffer.concat([Buffer.from(PNG, 'base64'), Buffer.alloc(MAX_IMAGE_LENGTH)]).toString('base64')],
  ])('rejects %s as an image', (_, data) => {
    expect(() => readImage(data)).toThrow('`lnurlp_image` must be a PNG or JPEG image');
  });
});

describe('payer data', () => {
  const key = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  const all = { name: { mandatory: true }, email: { mandatory: false }, identifier: { mandatory: false }, pubkey: { mandatory: false } };

  it('is kept as received, with the values that the link accepts', () => {
    const text = ` {"name": "bob ☕","identifier":"bob@bob.com", "pubkey":"${key}", "auth":{"key":1}, "more": [1]}`;
    expect(readPayerData(all, text)).toEqual({ text, values: { name: 'bob ☕', identifier: 'bob@bob.com', pubkey: key } });
    expect(readPayerData({ email: { mandatory: true } }, '{"email":"a@b.example","name":"x"}')?.values).toEqual({ email: 'a@b.example' });
    const decoded = decodeURIComponent(LUD18_QUERY);
    expect(readPayerData(all, decoded)).toMatchObject({ text: decoded, values: { name: 'bob', identifier: 'bob@bob.com' } });
  });

  it('is ignored by a link that asks for none, and may be absent where it is not mandatory', () => {
    expect(readPayerData(undefined, 'not JSON')).toBeUndefined();
    expect(readPayerData({ name: { mandatory: false } }, undefined)).toBeUndefined();
    expect(readPayerData({ name: { mandatory: false } }, '{"name":null}')).toEqual({ text: '{"name":null}', values: {} });
  });

  it.each([
    [undefined, 'must contain name'],
    ['{}', 'must contain name'],
    ['{"name":null}', 'must contain name'],
    ['{"toString":1}', 'must contain name'],
    ['{"name":" "}', 'name is not valid'],
    ['{"name":7}', 'name is not valid'],
    ['{"name":{"toString":1}}', 'name is not valid'],
    ['{"name":"a","email":"b"}', 'email is not valid'],
    ['{"name":"a","email":"b@c d"}', 'email is not valid'],
    ['{"name":"a","identifier":"@"}', 'identifier is not valid'],
    [`{"name":"a","pubkey":"${key.slice(2)}"}`, 'pubkey is not valid'],
    [`{"name":"a","pubkey":"02${'f'.repeat(64)}"}`, 'pubkey is not valid'],
    ['{"name":"a\\u0000b"}', 'without control characters'],
    ['{"name":"a\\u001b[2J"}', 'without control characters'],
    ['{"name":"a\\ud800"}', 'without control characters'],
    ['{"name":\n"a"}', 'without control characters'],
    ['"name"', 'must be a JSON object'],
    ['["name"]', 'must be a JSON object'],
    ['null', 'must be a JSON object'],
    ['{"name":"a"', 'must be a JSON object'],
    [`{"name":"${'a'.repeat(1000)}"}`, 'at most 1000 bytes'],
    [`{"name":"${'☕'.repeat(333)}"}`, 'at most 1000 bytes'],
  ])('%s is rejected: %s', (text, reason) => {
    expect(() => readPayerData(all, text)).toThrow(reason);
  });

  it('can be requested only in forms that the service checks', () => {
    expect(readPayerDataRequest({})).toBeUndefined();
    expect(readPayerDataRequest(all)).toEqual(all);
    for (const wrong of [
      { auth: { mandatory: false } },
      { name: true },
      { name: {} },
      { name: { mandatory: 1 } },
      { name: { mandatory: true, k1: '' } },
      { __proto__: null, constructor: { mandatory: true } },
    ])
      expect(() => readPayerDataRequest(wrong)).toThrow('`lnurlp_payerData` must have the keys name, email, identifier, pubkey');
  });
});

describe('success actions', () => {
  const PUBLIC = 'https://wallets.example.com/base';

  it.each<[string, SuccessAction]>([
    ['a message', { tag: 'message', message: 'Thank you ☕' }],
    ['a long message', { tag: 'message', message: '☕'.repeat(144) }],
    ['a URL of this service', { tag: 'url', description: 'Your order', url: 'https://wallets.example.com/order/7?x=1#y' }],
    ['a secret', { tag: 'aes', description: 'The code', text: '4711' }],
  ])('can be %s', (_, action) => {
    expect(readSuccessAction(action, PUBLIC)).toEqual(action);
  });

  it.each<[string, object]>([
    ['no tag', { message: 'x' }],
    ['another tag', { tag: 'noop' }],
    ['a tag of the prototype', { tag: 'constructor' }],
    ['an empty message', { tag: 'message', message: '' }],
    ['a long message', { tag: 'message', message: 'x'.repeat(145) }],
    ['a number', { tag: 'message', message: 7 }],
    ['NUL', { tag: 'message', message: 'a\0' }],
    ['half a character', { tag: 'message', message: '\ud800' }],
    ['another field', { tag: 'message', message: 'x', url: 'https://wallets.example.com/' }],
    ['a long description', { tag: 'aes', description: 'x'.repeat(145), text: 'y' }],
    ['a long secret', { tag: 'aes', description: 'x', text: '☕'.repeat(667) }],
    ['a finished ciphertext', { tag: 'aes', description: 'x', ciphertext: 'AA==', iv: 'AA==' }],
    ['a relative URL', { tag: 'url', description: 'x', url: '/order' }],
    ['a URL of another domain', { tag: 'url', description: 'x', url: 'https://evil.example/' }],
    ['a URL of a subdomain', { tag: 'url', description: 'x', url: 'https://a.wallets.example.com/' }],
    ['a URL with a user', { tag: 'url', description: 'x', url: 'https://wallets.example.com@evil.example/' }],
    ['a URL with a password', { tag: 'url', description: 'x', url: 'https://a:b@wallets.example.com/' }],
    ['a script', { tag: 'url', description: 'x', url: 'javascript://wallets.example.com/%0aalert(1)' }],
    ['a URL with a line break', { tag: 'url', description: 'x', url: 'https://wallets.example.com/\n' }],
  ])('cannot have %s', (_, action) => {
    expect(() => readSuccessAction(action, PUBLIC)).toThrow('`lnurlp_successAction` must');
  });

  it('is absent for an empty object', () => {
    expect(readSuccessAction({}, PUBLIC)).toBeUndefined();
  });

  it('encrypts a secret with the preimage and a new vector, within the limits of LUD-10', () => {
    const secret = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }).filter((text) => Buffer.byteLength(text) <= 2000);
    const preimage = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
    fc.assert(
      fc.property(secret, preimage, (text, key) => {
        const [one, two] = [1, 2].map(() => sentSuccessAction({ tag: 'aes', description: 'd', text }, key));
        if (one?.tag !== 'aes' || two?.tag !== 'aes') throw new Error('another tag');
        expect([one.description, one.iv.length, one.ciphertext.length <= 4096]).toEqual(['d', 24, true]);
        expect(decryptAction(one, key)).toBe(text);
        expect(one.iv).not.toBe(two.iv);
      }),
    );
    const longest = sentSuccessAction({ tag: 'aes', description: 'd', text: 'x'.repeat(2000) }, '11'.repeat(32));
    expect(longest.tag === 'aes' && longest.ciphertext.length).toBeLessThanOrEqual(4096);
  });
});
