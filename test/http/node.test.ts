import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { NodeConnection } from '../../src/core/connection/connection.ts';
import { NodeConnections } from '../../src/core/connection/connections.ts';
import type { Database } from '../../src/core/db/database.ts';
import type { Payments } from '../../src/core/payments/payments.ts';
import { nodeRoutes } from '../../src/features/nodes/routes.ts';
import type { Access } from '../../src/http/auth/access.ts';
import { createServer } from '../../src/http/server.ts';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the node', (service) => {
  const { net } = service;
  const request = (path: string, key = service.client.secretKey) => service.client.request('GET', path, { key });

  it('returns the same node by its id and as default, and lists it for the account', async () => {
    const wallet = await service.client.wallet();
    const { ln_node_id: id } = await service.client.get(`/v1/wallet/${wallet.id}`);
    const [listed, ...others] = await service.client.get('/v1/nodes');
    expect(others).toEqual([]);
    expect(listed).toMatchObject({ id, alias: 'fake', network: 'regtest', default_pubkey: expect.stringMatching(/^0[23][0-9a-f]{64}$/) });
    // Unix seconds. The database is a copy of one that was made when the tests began.
    expect(Math.abs(listed.created_at - Date.now() / 1000)).toBeLessThan(86_400);
    for (const key of [service.client.secretKey, service.client.publicKey, wallet.read, wallet.invoice]) {
      for (const name of [id, 'default']) expect((await request(`/v1/node/${name}`, key)).body).toEqual(listed);
    }
    expect((await request('/v1/nodes', wallet.admin)).status).toBe(403);
    expect((await service.client.request('GET', '/v1/node/default')).status).toBe(401);
    expect((await request('/v1/node/lnd_0000000000000000000000')).status).toBe(404);
  });

  it('decodes an invoice into the field names and types that old clients read', async () => {
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 1_234_500, memo: 'tea & cake' });
    const { body } = await request(`/v1/node/default/payments/decodeinvoice?payment_request=${paymentRequest.toUpperCase()}`);
    expect(body).toMatchObject({
      destination: expect.stringMatching(/^0[23]/),
      payment_hash: paymentHash,
      num_satoshis: '1234',
      num_msat: '1234500',
      description: 'tea & cake',
      description_hash: '',
      payment_addr: expect.stringMatching(/^[0-9a-f]{64}$/),
      route_hints: [],
    });
    for (const name of ['timestamp', 'expiry', 'cltv_expiry']) expect(body[name], name).toMatch(/^[0-9]+$/);
    expect(Object.values(body.features)).toContainEqual({ name: 'payment_secret', is_required: true, is_known: true });
    const open = net.outside.invoice();
    expect((await request(`/v1/node/default/payments/decodeinvoice?payment_request=${open.paymentRequest}`)).body.num_msat).toBe('0');
  });

  it('returns routes in the shape that old clients read', async () => {
    const { nodes, unreachable_pubkey } = await service.client.get('/playground');
    const carol = nodes.find(({ name }: { name: string }) => name === 'carol').pubkey;
    const { body } = await request(`/v1/node/default/payments/queryroutes?pub_key=${carol.toUpperCase()}&amt=1000`);
    const [route] = body.routes;
    expect(route).toMatchObject({ totalAmt: '1001', totalAmtMsat: '1001100', totalFeesMsat: '1100', totalTimeLock: expect.any(Number) });
    expect(route.hops).toHaveLength(2);
    expect(route.hops[1]).toMatchObject({
      pubKey: carol,
      amtToForward: '1000',
      amtToForwardMsat: '1000000',
      feeMsat: '0',
      chanId: '2',
      tlvPayload: true,
    });
    const none = await request(`/v1/node/default/payments/queryroutes?pub_key=${unreachable_pubkey}&amt=1000`);
    expect(none).toMatchObject({ status: 400, body: { type: 'no_route', message: 'unable to find a path to destination' } });
  });

  it('returns nothing to a key that is public in withdraw links', async () => {
    const { lnurlWithdraw, lnurlPay, read } = await service.client.wallet();
    const { paymentRequest } = net.outside.invoice();
    const { nodes } = await service.client.get('/playground');
    for (const path of [
      '',
      `/payments/decodeinvoice?payment_request=${paymentRequest}`,
      `/payments/queryroutes?pub_key=${nodes[1].pubkey}&amt=1`,
    ]) {
      for (const key of [read, service.client.publicKey]) expect((await request(`/v1/node/default${path}`, key)).status).toBe(200);
      for (const key of [lnurlWithdraw, lnurlPay])
        expect(await request(`/v1/node/default${path}`, key)).toMatchObject({ status: 403, body: { type: 'forbidden' } });
    }
  });

  it.each([
    ['decodeinvoice', ''],
    ['decodeinvoice', 'payment_request=nonsense'],
    ['decodeinvoice', `payment_request=${'x'.repeat(8001)}`],
    ['queryroutes', ''],
    ['queryroutes', `pub_key=02${'0'.repeat(64)}&amt=10`],
    ['queryroutes', 'pub_key=nobody&amt=10'],
    ['queryroutes', `pub_key=02${'1'.repeat(64)}&amt=0`],
    ['queryroutes', `pub_key=02${'1'.repeat(64)}&amt=1.5`],
    ['queryroutes', `pub_key=02${'1'.repeat(64)}&amt=9007199254740993`],
  ])('rejects %s?%s', async (route, query) => {
    const response = await request(`/v1/node/default/payments/${route}?${query}`);
    expect(response.status).toBe(400);
    expect(response.body.type).not.toBe('no_route');
  });

  it('S10: returns the node while it is unavailable, and 503 for data that only it has', async () => {
    const { nodes } = await service.client.get('/playground');
    net.down();
    expect((await request('/v1/node/default')).body).toMatchObject({ alias: null, network: 'regtest' });
    expect((await request(`/v1/node/default/payments/queryroutes?pub_key=${nodes[1].pubkey}&amt=10`)).status).toBe(503);
    net.up();
  });
});

it.each([
  ['cannot list routes', {}, { status: 400, type: 'not_supported' }],
  ['returns null', { queryRoutes: async () => null }, { status: 503, type: 'node_unavailable' }],
  ['returns no list', { queryRoutes: async () => ({ routes: [] }) }, { status: 503, type: 'node_unavailable' }],
])('returns a separate error for routes of a node that %s', async (_case, adapter, expected) => {
  const call = async (run: (node: object) => unknown) => run(adapter);
  const connections = new NodeConnections([{ nodeId: 'lnd_1', call } as unknown as NodeConnection], [], {} as Database);
  const access = { anyKey: async () => undefined } as unknown as Access;
  const server = createServer(pino({ level: 'silent' }), (app) =>
    nodeRoutes(app, { access, connections, database: {} as Database, payments: {} as Payments }),
  );
  const pubkey = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
  const response = await server.inject(`/v1/node/default/payments/queryroutes?pub_key=${pubkey}&amt=1`);
  expect(response.json()).toMatchObject(expected);
});
