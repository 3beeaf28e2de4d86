import { createPrivateKey, createSign, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifyEcdsa } from '../../src/core/kernel/secp256k1.ts';
import { decodeLnurl } from '../../src/core/lightning/bech32.ts';
import { readDerSignature } from '../../src/features/logins/lnurl-auth/signature.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { derOf, LinkingKey } from './linking-key.ts';

reloadModulesAfterFile();
afterEach(() => vi.restoreAllMocks());

/** The example of LUD-04. */
const EXAMPLE = {
  k1: 'e2af6254a8df433264fa23f67eb8188635d15ce883e8fc020989d5f82ae6f11e',
  key: '02c3b844b8104f0c1b15c507774c9ba7fc609f58f343b9b149122e944dd20c9362',
  sig: '304402203767faf494f110b139293d9bab3c50e07b3bf33c463d4aa767256cd09132dc5102205821f8efacdb5c595b92ada255876d9201e126e2f31a140d44561cc1f7e9e43d',
};

const bytes = (hex: string) => Buffer.from(hex, 'hex');

describe('signatures in DER', () => {
  it('reads the example of LUD-04, which verifies', () => {
    const compact = readDerSignature(bytes(EXAMPLE.sig)) ?? new Uint8Array();
    expect(verifyEcdsa(bytes(EXAMPLE.k1), EXAMPLE.key, { compact, requiresLowS: true })).toBe(true);
    expect(verifyEcdsa(bytes(EXAMPLE.k1).reverse(), EXAMPLE.key, { compact, requiresLowS: true })).toBe(false);
  });

  it("reads the signatures of Node's own encoder", () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp256k1' });
    const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    for (let i = 0; i < 50; i++) {
      const der = createSign('sha256').update(String(i)).sign(key);
      const compact = readDerSignature(der);
      expect(compact && derOf(Buffer.from(compact.subarray(0, 32)), Buffer.from(compact.subarray(32)))).toEqual(der);
    }
  });

  it('reads exactly one encoding of each signature', () => {
    const der = bytes(EXAMPLE.sig);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (random) => {
        const compact = readDerSignature(random);
        if (compact) expect(derOf(Buffer.from(compact.subarray(0, 32)), Buffer.from(compact.subarray(32)))).toEqual(Buffer.from(random));
      }),
    );
    for (let at = 0; at < der.length; at++) expect(readDerSignature(der.subarray(0, at))).toBeUndefined();
    expect(readDerSignature(Buffer.concat([der, Buffer.of(0)]))).toBeUndefined();
  });
});

onFakeNode('LNURL-auth', (service) => {
  const create = (fields: object = { action: 'login' }): Promise<Json> => service.client.post('/v1/lnurl-auth', fields);
  const read = (id: string): Promise<Json> => service.client.get(`/v1/lnurl-auth/${id}`);

  /** Calls the address as LUD-04 says: with `sig` and `key` added to its query. */
  async function call(url: string, sig: string, key: string): Promise<Json> {
    const response = await fetch(
      `${service.client.url}${new URL(url).pathname}${new URL(url).search}&${new URLSearchParams({ sig, key })}`,
    );
    expect(response.status).toBe(200);
    return response.json();
  }

  const k1Of = (url: string) => new URL(url).searchParams.get('k1') ?? '';

  it('LUD-04: identifies a person by the key that signs the challenge', async () => {
    const person = new LinkingKey();
    const challenge = await create();
    expect(decodeLnurl(challenge.lnurl)).toBe(challenge.url);
    expect(Object.fromEntries(new URL(challenge.url).searchParams)).toEqual({
      tag: 'login',
      k1: expect.stringMatching(/^[0-9a-f]{64}$/),
      action: 'login',
    });
    expect(challenge).toMatchObject({ status: 'open', linking_key: null, action: 'login' });
    expect(await call(challenge.url, person.sign(k1Of(challenge.url)), person.hex)).toEqual({ status: 'OK' });
    const { lnurl: _, url: __, ...rest } = challenge;
    expect(await read(challenge.id)).toEqual({
      ...rest,
      status: 'authenticated',
      linking_key: person.hex,
      authenticated_at: expect.any(Number),
    });
  });

  it('accepts one key per challenge, which may repeat its request', async () => {
    const { url, id } = await create({});
    const [first, second] = [new LinkingKey(), new LinkingKey()];
    const answers = await Promise.all([first, second, first, second].map((one) => call(url, one.sign(k1Of(url)), one.hex)));
    expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(2);
    const winner = (await read(id)).linking_key;
    expect([first.hex, second.hex]).toContain(winner);
    const loser = winner === first.hex ? second : first;
    expect(await call(url, loser.sign(k1Of(url)), loser.hex)).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('used') });
    expect((await read(id)).linking_key).toBe(winner);
  });

  it('rejects signatures of other challenges and keys, unknown challenges, and text that is no key or signature', async () => {
    const [one, other] = [await create(), await create()];
    const person = new LinkingKey();
    const good = person.sign(k1Of(one.url));
    const notOnCurve = `02${'ff'.repeat(32)}`;
    for (const [sig, key] of [
      [person.sign(k1Of(other.url)), person.hex],
      [good, new LinkingKey().hex],
      [good, notOnCurve],
      [good, 'sak_abc'],
      [`${good}00`, person.hex],
      ['3006020100020100', person.hex],
      ['zz', person.hex],
    ] as const)
      expect(await call(one.url, sig, key), `${sig} ${key}`).toMatchObject({ status: 'ERROR' });
    const unknown = 'ab'.repeat(32);
    expect(await call(one.url.replace(k1Of(one.url), unknown), person.sign(unknown), person.hex)).toMatchObject({ status: 'ERROR' });
    expect((await read(one.id)).status).toBe('open');
    expect(await call(one.url, good, person.hex)).toEqual({ status: 'OK' });
  });

  it('rejects an expired challenge, and deletes it two hours after it was created', async () => {
    const { url, id } = await create({ expiry: 60 });
    const person = new LinkingKey();
    const now = Date.now;
    const later = (seconds: number) => vi.spyOn(Date, 'now').mockImplementation(() => now() + seconds * 1000);
    later(61);
    expect((await read(id)).status).toBe('expired');
    expect(await call(url, person.sign(k1Of(url)), person.hex)).toMatchObject({
      status: 'ERROR',
      reason: expect.stringContaining('expired'),
    });
    later(7300);
    await create();
    expect((await service.client.request('GET', `/v1/lnurl-auth/${id}`, { key: service.client.secretKey })).status).toBe(404);
  });

  it('shows a challenge to its account only, and its address only once', async () => {
    const challenge = await create();
    expect(Object.keys(await read(challenge.id))).not.toContain('url');
    const wallet = await service.client.wallet();
    for (const [key, status] of [
      [service.neighbour.secretKey, 404],
      [wallet.admin, 403],
      [service.client.publicKey, 403],
    ] as const)
      expect((await service.client.request('GET', `/v1/lnurl-auth/${challenge.id}`, { key })).status).toBe(status);
  });

  it('returns the same challenge for the same Idempotency-Key', async () => {
    const send = () =>
      service.client.request('POST', '/v1/lnurl-auth', {
        key: service.client.secretKey,
        json: {},
        headers: { 'idempotency-key': 'login-1' },
      });
    const [first, second] = [await send(), await send()];
    expect(first.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
  });
});
