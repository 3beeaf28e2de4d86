import { randomBytes, webcrypto } from 'node:crypto';
import { expect, it } from 'vitest';
import { areBrowserKeys, createVapid, encryptTo } from '../../src/features/push/encryption.ts';
import { newBrowser, readAuthorization } from './browser.ts';

/** RFC 8291, section 5 and appendix A. */
const EXAMPLE = {
  text: 'When I grow up, I want to be a watermelon',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  browserPrivateKey: 'q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94',
  privateKey: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  message:
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95b' +
    'Qpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
};

it('encrypts the example of RFC 8291 to the same bytes', () => {
  const bytes = (text: string) => Buffer.from(text, 'base64url');
  const chosen = { privateKey: bytes(EXAMPLE.privateKey), salt: bytes(EXAMPLE.salt), isPadded: false };
  expect(encryptTo(EXAMPLE, EXAMPLE.text, chosen).toString('base64url')).toBe(EXAMPLE.message);
});

it('is checked by a browser that decrypts the example of RFC 8291', async () => {
  const point = Buffer.from(EXAMPLE.p256dh, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const jwk = { kty: 'EC', crv: 'P-256', x, y, d: EXAMPLE.browserPrivateKey };
  const privateKey = await webcrypto.subtle.importKey('jwk', jwk, { name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits']);
  const browser = await newBrowser({ ...EXAMPLE, privateKey });
  expect(await browser.decrypt(Buffer.from(EXAMPLE.message, 'base64url'))).toBe(EXAMPLE.text);
});

it('encrypts texts so that the browser alone can read them, with a length that does not depend on the amount', async () => {
  const [browser, other] = [await newBrowser(), await newBrowser()];
  const lengths = new Set<number>();
  for (const text of ['{"msat":1}', '{"msat":2100000000000000000}', 'Müller’s ☕ '.repeat(5)]) {
    const body = encryptTo(browser, text);
    expect(await browser.decrypt(body)).toBe(text);
    await expect(other.decrypt(body)).rejects.toThrow();
    expect(body.includes(text)).toBe(false);
    lengths.add(body.length);
  }
  expect(lengths.size).toBe(1);
  expect(() => encryptTo(browser, 'x'.repeat(4000))).toThrow('too long');
});

it('accepts keys on the curve only', async () => {
  const { p256dh, auth } = await newBrowser();
  const changed = Buffer.from(p256dh, 'base64url');
  changed[64] = (changed[64] ?? 0) ^ 1;
  expect(areBrowserKeys({ p256dh, auth })).toBe(true);
  for (const keys of [
    { p256dh: changed.toString('base64url'), auth },
    { p256dh: p256dh.slice(0, 80), auth },
    { p256dh, auth: auth.slice(0, 20) },
    { p256dh: randomBytes(65).toString('base64url'), auth },
  ])
    expect(areBrowserKeys(keys)).toBe(false);
});

it('signs a request for the push service with a key that derives from SECRET_KEY', async () => {
  const secretKey = randomBytes(32);
  const vapid = createVapid(secretKey, 'https://satchel.example');
  expect(createVapid(secretKey, 'https://satchel.example').publicKey).toBe(vapid.publicKey);
  expect(createVapid(randomBytes(32), 'https://satchel.example').publicKey).not.toBe(vapid.publicKey);
  const { claims, key } = await readAuthorization(vapid.authorization('https://push.example:8443/send/secret', 1_700_000_000));
  expect({ claims, key }).toEqual({
    claims: { aud: 'https://push.example:8443', exp: 1_700_043_200, sub: 'https://satchel.example' },
    key: vapid.publicKey,
  });
});
