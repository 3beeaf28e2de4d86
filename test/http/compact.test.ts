import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { createServer } from '../../src/http/server.ts';
import { onFakeNode } from '../support/app.ts';

const LARGE = { text: 'satoshi '.repeat(500) };
const FILE = Buffer.from('let sats = 21;\n'.repeat(500));
const LARGEST = 'x'.repeat(200_000);

const app = createServer(pino({ level: 'silent' }), (routes) => {
  const schema = { response: { 200: Type.Object({ text: Type.String() }) } };
  routes.get('/large', { schema }, async () => LARGE);
  routes.get('/largest', { schema }, async () => ({ text: LARGEST }));
  routes.get('/small', { schema }, async () => ({ text: 'small' }));
  routes.post('/large', { schema }, async () => LARGE);
  routes.get('/changes', { schema, exposeHeadRoute: false, config: { hasSideEffect: true } }, async () => LARGE);
  routes.get('/file', (_request, reply) => reply.type('text/javascript').header('vary', 'Accept').send(FILE));
  routes.get('/image', (_request, reply) => reply.type('image/png').send(FILE));
  routes.get('/failed', async (_request, reply) => reply.code(503).send(LARGE));
});

const request = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' | 'POST' = 'GET') =>
  app.inject({ url, method, headers: { host: 'x', ...headers } });

it.each(['/large', '/largest'])('compresses %s for a client that accepts it', async (url) => {
  const [plain, compressed] = [await request(url), await request(url, { 'accept-encoding': 'gzip, deflate, br' })];
  expect(plain.headers).not.toHaveProperty('content-encoding');
  expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding', etag: plain.headers.etag });
  expect(compressed.headers['content-length']).toBe(String(compressed.rawPayload.length));
  expect(gunzipSync(compressed.rawPayload)).toEqual(plain.rawPayload);
  expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
});

it('compresses a file with Brotli, also the second time', async () => {
  for (let i = 0; i < 2; i++) {
    const { headers, rawPayload } = await request('/file', { 'accept-encoding': 'gzip, br' });
    expect(headers).toMatchObject({ 'content-encoding': 'br', vary: 'Accept, Accept-Encoding' });
    expect(brotliDecompressSync(rawPayload)).toEqual(FILE);
  }
  expect(gunzipSync((await request('/file', { 'accept-encoding': 'gzip' })).rawPayload)).toEqual(FILE);
  expect((await request('/file')).rawPayload).toEqual(FILE);
});

it.each([
  ['GET', '/small'],
  ['GET', '/image'],
  ['GET', '/failed'],
  ['GET', '/changes'],
  ['POST', '/large'],
  ['HEAD', '/large'],
] as const)('does not compress %s %s', async (method, url) => {
  expect((await request(url, { 'accept-encoding': 'gzip, br' }, method)).headers).not.toHaveProperty('content-encoding');
});

it('responds 304 without a body to a client that has the response', async () => {
  const { headers } = await request('/large');
  const etag = String(headers.etag);
  for (const sent of [etag, etag.slice(2), `"other", ${etag}`]) {
    const again = await request('/large', { 'if-none-match': sent, 'accept-encoding': 'gzip' });
    expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    expect(again.headers).toHaveProperty('cache-control');
  }
  expect((await request('/large', { 'if-none-match': '"other"' })).statusCode).toBe(200);
  expect((await request('/large', { 'if-none-match': etag }, 'HEAD')).statusCode).toBe(304);
});

it.each([
  ['GET', '/small'],
  ['POST', '/large'],
  ['GET', '/failed'],
  ['GET', '/changes'],
] as const)('sends no ETag for %s %s', async (method, url) => {
  expect((await request(url, {}, method)).headers).not.toHaveProperty('etag');
});

onFakeNode('ETags of the API', ({ client }) => {
  it('change with the listed objects', async () => {
    const wallet = await client.wallet(100);
    for (let i = 0; i < 4; i++) await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 1 });
    for (const path of [`/v1/wallet/${wallet.id}/transactions`, '/v1/events']) {
      const send = (etag = '') => client.request('GET', path, { key: client.secretKey, headers: { 'if-none-match': etag } });
      const etag = (await send()).headers.get('etag') ?? '';
      expect((await send(etag)).status, path).toBe(304);
      await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 1 });
      await expect.poll(async () => (await send(etag)).status).toBe(200);
    }
  });
});
