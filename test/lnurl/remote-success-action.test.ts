import { createCipheriv, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { revealSuccessAction } from '../../src/core/payments/success-action.ts';
import { readSuccessAction } from '../../src/features/lnurl/remote/success-action.ts';

const DOMAIN = 'pay.example.com';
const CALLBACK = new URL('https://cb.example.com/pay');
const PREIMAGE = '11'.repeat(32);

/** LUD-10, as a service encrypts. */
function aes(plaintext: string, preimage = PREIMAGE) {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', Buffer.from(preimage, 'hex'), iv);
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return { tag: 'aes', description: 'Your code', ciphertext: ciphertext.toString('base64'), iv: iv.toString('base64') };
}

const read = (action: unknown) => readSuccessAction(DOMAIN, CALLBACK, action);
const reveal = (action: unknown, preimage = PREIMAGE) => revealSuccessAction(read(action) ?? '', preimage);

describe('a success action', () => {
  it('is optional', () => {
    expect([read(undefined), read(null)]).toEqual([undefined, undefined]);
  });

  it('shows a message, without control characters', () => {
    expect(reveal({ tag: 'message', message: 'Unlocked\u0007 <b>now</b>\n\u202Eok', x: 1 })).toEqual({
      tag: 'message',
      message: 'Unlocked  <b>now</b>\nok',
    });
  });

  it('shows a URL of the domain of the callback', () => {
    const url = 'https://cb.example.com/order/17';
    expect(reveal({ tag: 'url', description: 'Your order', url })).toEqual({ tag: 'url', description: 'Your order', url });
  });

  it('decrypts a text with the preimage', () => {
    expect(reveal(aes('door 1234\nö 😀'))).toEqual({ tag: 'aes', description: 'Your code', plaintext: 'door 1234\nö 😀' });
  });

  it('has no text when it cannot be decrypted', () => {
    const action = aes('door 1234');
    // Another key gives a correct padding in one of 256 cases, and then hardly ever UTF-8.
    const texts = Array.from({ length: 20 }, (_, index) => revealSuccessAction(read(action) ?? '', String(index + 20).repeat(32)));
    for (const shown of texts) expect(shown).toEqual({ tag: 'aes', description: 'Your code', plaintext: null });
  });

  it.each([
    ['a text', 'thanks'],
    ['an array', []],
    ['an unknown tag', { tag: 'popup', message: 'x' }],
    ['no message', { tag: 'message' }],
    ['a message that is no text', { tag: 'message', message: {} }],
    ['a long message', { tag: 'message', message: 'x'.repeat(1001) }],
    ['a URL without description', { tag: 'url', url: 'https://cb.example.com/' }],
    ['a URL of another domain', { tag: 'url', description: 'x', url: 'https://evil.example/' }],
    ['a URL of a subdomain', { tag: 'url', description: 'x', url: 'https://a.cb.example.com/' }],
    ['a URL with the domain as user name', { tag: 'url', description: 'x', url: 'https://cb.example.com@evil.example/' }],
    ['a URL with a user name', { tag: 'url', description: 'x', url: 'https://a:b@cb.example.com/' }],
    ['a URL with another scheme', { tag: 'url', description: 'x', url: 'javascript://cb.example.com/%0aalert(1)' }],
    ['a URL without TLS', { tag: 'url', description: 'x', url: 'http://cb.example.com/' }],
    ['a URL with a line break', { tag: 'url', description: 'x', url: 'https://cb.example.com/\nx' }],
    ['a short iv', { ...aes('x'), iv: 'AAAA' }],
    ['an iv that is not base64', { ...aes('x'), iv: 'not base64 at all!!!!!!!' }],
    ['no iv', { ...aes('x'), iv: undefined }],
    ['no ciphertext', { ...aes('x'), ciphertext: '' }],
    ['a ciphertext of half a block', { ...aes('x'), ciphertext: Buffer.alloc(24).toString('base64') }],
    ['a long ciphertext', { ...aes('x'), ciphertext: Buffer.alloc(3088).toString('base64') }],
    ['a ciphertext without description', { ...aes('x'), description: undefined }],
  ])('is refused with %s', (_, action) => {
    expect(() => read(action)).toThrow(expect.objectContaining({ type: 'lnurl_refused' }));
  });
});
