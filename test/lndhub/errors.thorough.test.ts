import { channel } from 'node:diagnostics_channel';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { bookingMark } from '../../src/core/kernel/booking-mark.ts';
import { lndhubErrors } from '../../src/features/lndhub/errors.ts';
import { appPath } from '../../src/features/lndhub/paths.ts';
import { createServer } from '../../src/http/server.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json } from '../support/client.ts';
import { appOfWallet, BASE, SETTINGS } from './app.ts';
import { LNDHUB_ROUTES } from './route-table.ts';

const MARK = /^\{"error":true,"code":\d+,"message":"[^"]/;

const problem = ({ status, text: body }: HttpResponse, expected: number) =>
  status === expected && MARK.test(body) ? [] : [`${status} ${body.slice(0, 100)}`];

onFakeNode(
  'errors of wallet apps',
  (service) => {
    const { client, net } = service;

    it('H3: begin with the mark of LNDhub for each route and each kind of error', async () => {
      const wallet = await client.wallet(100);
      const headers = { authorization: `Bearer ${wallet.admin}` };
      const found: string[] = [];
      for (const { method, path, needsKey } of LNDHUB_ROUTES) {
        const url = BASE + path;
        const send = (given: object, as: string = method) => client.request(as, url, { headers, ...given });
        const note = (what: string, response: HttpResponse, status: number) =>
          found.push(...problem(response, status).map((one) => `${method} ${path}, ${what}: ${one}`));
        for (const other of ['DELETE', 'PUT', method === 'GET' ? 'POST' : 'GET']) note('method', await send({}, other), 405);
        note('unknown route', await client.request(method, `${url}/nothing`), 404);
        note('URL', await client.request(method, `${url}/%E0%A4%A`), 400);
        if (needsKey) note('no key', await client.request(method, url), 401);
        if (method === 'GET') continue;
        note('type', await send({ headers: { ...headers, 'content-type': 'application/xml' }, form: '<a/>' }), 415);
        note('size', await send({ form: 'a'.repeat(1_000_000) }), 413);
        note('JSON', await send({ json: '{"a":' }), 400);
        note('array', await send({ json: [] }), 400);
      }
      expect(found).toEqual([]);
    });

    it('H3: begin with the mark of LNDhub while the node or the database is away', async () => {
      const wallet = await client.wallet(100);
      const app = appOfWallet(client, wallet);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000 });
      net.down();
      await expect.poll(async () => problem(await app.pay(paymentRequest), 503)).toEqual([]);
      expect(problem(await app.addInvoice({ amt: 1 }), 503)).toEqual([]);
      expect(problem(await app.get('/getinfo'), 503)).toEqual([]);
      expect((await app.pay(paymentRequest)).headers.get('retry-after')).toBe('1');
      net.up();
      service.connectionFailsAt = () => true;
      for (const path of ['/balance', '/gettxs', '/getuserinvoices', '/decodeinvoice?invoice=x'])
        expect([path, problem(await app.get(path), 503)]).toEqual([path, []]);
      expect(problem(await client.request('POST', `${BASE}/auth`, { json: { login: 'admin', password: wallet.admin } }), 503)).toEqual([]);
      service.connectionFailsAt = undefined;
      await expect.poll(async () => (await app.pay(paymentRequest)).status).toBe(200);
      expect(await service.problems()).toEqual([]);
    });

    it('P2: name no unusable database after a commit, because apps may then repeat the request', async () => {
      const wallet = await client.wallet(1000);
      const { nodes } = await client.get('/playground');
      const bodies: Record<string, object> = {
        '/payinvoice': { invoice: net.outside.invoice({ amountMsat: 1_000 }).paymentRequest },
        '/keysend': { destination: nodes.find(({ name }: Json) => name === 'alice').pubkey, amount: 1 },
        '/addinvoice': { amt: 1 },
      };
      const handlerStarts = channel('tracing:fastify.request.handler:start');
      for (const { path } of LNDHUB_ROUTES.filter(({ method, needsKey }) => method === 'POST' && needsKey)) {
        let own: FastifyRequest | undefined;
        const noteFirst = (message: unknown) => {
          own ??= (message as { readonly request: FastifyRequest }).request;
        };
        let isCommitted = false;
        handlerStarts.subscribe(noteFirst);
        service.connectionFailsAt = (name) => {
          const mark = bookingMark();
          if (mark === undefined || mark !== own?.booking) return false;
          if (isCommitted || mark.mayHaveBooked) return true;
          isCommitted = name === 'COMMIT';
          return false;
        };
        const headers = { authorization: `Bearer ${wallet.admin}` };
        const { status, body, text: sent } = await client.request('POST', BASE + path, { headers, json: bodies[path] });
        service.connectionFailsAt = undefined;
        handlerStarts.unsubscribe(noteFirst);
        expect([path, isCommitted || own?.booking?.mayHaveBooked]).toEqual([path, true]);
        // 7 is a payment whose outcome is unknown, 6 an internal error.
        expect([path, status === 200 || [6, 7].includes(body.code), sent]).toEqual([path, true, expect.not.stringContaining('database')]);
      }
      expect(await service.problems()).toEqual([]);
    });

    it('allows apps in browsers, which request a header of responses', async () => {
      const response = await client.request('OPTIONS', `${BASE}/balance`, {
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'GET',
          'access-control-request-headers': 'authorization, content-type, access-control-allow-origin',
        },
      });
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-headers')).toContain('access-control-allow-origin');
      expect((await client.request('GET', '/getinfo')).headers.get('access-control-allow-origin')).toBe('*');
    });

    it('H3: begin with the mark of LNDhub if the request cannot be read', async () => {
      const { hostname, port } = new URL(client.url);
      const socket = connect(Number(port), hostname);
      socket.write(`POST ${BASE}/payinvoice HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`);
      const [, body = ''] = (await text(socket)).split('\r\n\r\n');
      expect(body).toMatch(/^\{"error":true,/);
    });
  },
  { ...SETTINGS, PAYMENT_WAIT_SECONDS: '5' },
);

onFakeNode(
  'errors of wallet apps at a rate limit',
  ({ client }) => {
    it('H3: have the code 6, which does not log apps out', async () => {
      const wallet = await client.wallet();
      const app = appOfWallet(client, wallet);
      await app.get('/balance');
      const responses = await Promise.all(Array.from({ length: 30 }, () => app.get('/balance')));
      const limited = responses.filter(({ status }) => status === 429);
      expect(limited.length).toBeGreaterThan(0);
      for (const { text: body, headers } of limited) {
        expect(body).toMatch(/^\{"error":true,"code":6,/);
        expect(headers.get('retry-after')).toBe('1');
      }
    });
  },
  { ...SETTINGS, RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '10' },
);

onFakeNode('the paths of wallet apps while LNDhub is off', ({ client }) => {
  it('H3: have the same form of errors, because apps may still send payments', async () => {
    for (const path of [`${BASE}/payinvoice`, '/lndhub/', '/lndhub'])
      expect(problem(await client.request('POST', path, { json: {} }), 404)).toEqual([]);
    expect((await client.request('GET', '/v1/nothing')).body).toMatchObject({ type: 'not_found', code: 0 });
  });
});

it('H3: an unexpected error of a handler has the code 6', async () => {
  const options = { errorForm: lndhubErrors({ hasStatus200: false }), rewriteUrl: (url: string) => appPath(url, { isAtRoot: false }) };
  const register = (app: Parameters<Parameters<typeof createServer>[1]>[0]) =>
    void app.get(`${BASE}/balance`, { config: { undocumented: true } }, async () => {
      throw new TypeError('a bug');
    });
  const app = createServer(pino({ level: 'silent' }), register, options);
  const response = await app.inject({ method: 'GET', url: `${BASE}///balance/` });
  expect([response.statusCode, response.body]).toEqual([500, expect.stringMatching(/^\{"error":true,"code":6,/)]);
  expect(response.body).not.toContain('bug');
  await app.close();
});
