import { expect, it } from 'vitest';
import { committedApi } from '../openapi/conformance/operations.ts';
import { onFakeNode } from '../support/app.ts';
import { loginTo } from '../support/browser.ts';
import type { Client, Json } from '../support/client.ts';

const description: Json = committedApi();

/** The operations that only operators may call, from the description. */
const OPERATIONS = Object.entries(description.paths as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
  Object.entries(item)
    .filter(([, operation]) => operation['x-permission'] === 'operator')
    .map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      example: operation.requestBody?.content['application/json'].example,
    })),
);

onFakeNode('operations for operators', ({ client, neighbour, rows, problems }) => {
  const url = (path: string) => path.replace('{hash}', '00'.repeat(32)).replace(/\{\w+\}/, 'unknown');
  const idOf = async (of: Client): Promise<string> => (await of.get('/v1/account')).id;

  it('are all routes under /v1/operator, /v1/accounts and /v1/wallets, but for limits', () => {
    const paths = Object.keys(description.paths).filter(
      (path) => /^\/v1\/(operator|accounts|wallets\/)(\/|\{|$)/.test(path) && !/^\/v1\/(accounts|wallets)\/.*\/limits$/.test(path),
    );
    expect(new Set(OPERATIONS.map(({ path }) => path))).toEqual(new Set(paths));
    expect(paths.length).toBeGreaterThan(10);
  });

  it('are forbidden to every other credential, and change nothing', async () => {
    const wallet = await client.wallet();
    const { key: limited } = await client.post('/v1/keys', { max_payment_msat: 1000 });
    const { browser } = await loginTo(client, await idOf(neighbour));
    const keys = {
      neighbour: neighbour.secretKey,
      pak: client.publicKey,
      admin: wallet.admin,
      read: wallet.read,
      link: wallet.lnurlPay,
      limited,
    };
    const state = async () => [
      await rows('SELECT count(*) AS n FROM operator_action'),
      await rows(`SELECT count(*) AS n FROM reconciliation WHERE scope <> 'periodic'`),
      await rows('SELECT count(*) AS n FROM operator_record'),
      await rows('SELECT count(*) AS n FROM fiat_rate'),
      await rows('SELECT id, role, status FROM account ORDER BY id'),
    ];
    const before = await state();
    for (const { method, path, example } of OPERATIONS) {
      const headers = { 'idempotency-key': 'test' };
      const send = (key: string | undefined) => client.request(method, url(path), { key, headers, ...(example && { json: example }) });
      for (const [name, key] of Object.entries(keys))
        expect([method, path, name, (await send(key)).status]).toEqual([method, path, name, 403]);
      expect([method, path, (await send(undefined)).status]).toEqual([method, path, 401]);
      const bySession = await client.request(method, url(path), {
        headers: { ...headers, cookie: browser.cookie, 'sec-fetch-site': 'same-origin' },
        ...(example && { json: example }),
      });
      expect([method, path, bySession.status]).toEqual([method, path, 403]);
    }
    expect(await state()).toEqual(before);
  });

  it('are allowed to keys and sessions of operators until they lose the role or are frozen', async () => {
    const { id, secret_key: key } = await client.post('/v1/accounts', { role: 'operator' });
    const { browser } = await loginTo(client, id);
    const read = async () => [
      (await client.request('GET', '/v1/operator/overview', { key })).status,
      (await browser.send('GET', '/v1/operator/overview')).status,
    ];
    const change = (json: object) => client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json });
    expect(await read()).toEqual([200, 200]);
    await change({ status: 'frozen', reason: 'test' });
    expect(await read()).toEqual([403, 403]);
    await change({ status: 'active', reason: 'test' });
    expect(await read()).toEqual([200, 200]);
    await change({ role: 'member' });
    expect(await read()).toEqual([403, 403]);
    expect(await problems()).toEqual([]);
  });
});
