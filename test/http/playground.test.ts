import { pino } from 'pino';
import { expect, it } from 'vitest';
import { playgroundRoutes } from '../../devnet/playground/routes.ts';
import { OutcomeUnknown, type PlaygroundControl } from '../../devnet/test-network.ts';
import type { Invoices } from '../../src/core/invoices/invoices.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import type { Access } from '../../src/http/auth/access.ts';
import { createServer } from '../../src/http/server.ts';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the playground routes', (service) => {
  const request = (path: string) => service.client.request('GET', path, { key: service.client.secretKey });

  it('reject a payment id above 2^53 - 1', async () => {
    expect(await request('/playground/payments?after=9007199254740992')).toMatchObject({
      status: 400,
      body: { type: 'validation_failed' },
    });
    expect(await request('/playground/payments?after=9007199254740991')).toMatchObject({ status: 200, body: { payments: [] } });
  });
});

it.each([
  ['cannot be reached', new NodeUnavailable('away'), 'The Lightning node cannot be reached. This request sent nothing. Try again later.'],
  ['stops before it answers', new OutcomeUnknown('the worker ended'), expect.stringContaining('the outcome is unknown')],
])('the playground routes return 503 while the playground %s', async (_, error, message) => {
  const fail = () => Promise.reject(error);
  const control = { describe: fail, payInvoice: fail, createInvoice: fail, keysend: fail, payments: fail, resolveHold: fail };
  const invoices = { create: async () => ({ paymentRequest: 'lnbcrt1', paymentHash: '00' }) } as unknown as Invoices;
  const links = { requestInvoice: async () => ({ paymentRequest: 'lnbcrt1', paymentHash: '00', commentNotSent: undefined }), claim: fail };
  const access = { secretKey: async () => 'acc', walletByIdOrKey: async () => ({ id: 'wal_1' }) } as unknown as Access;
  const server = await createServer(pino({ level: 'silent' }), (app) =>
    playgroundRoutes(app, { access, invoices, links, control: control satisfies PlaygroundControl }),
  );
  const requests = [
    ['POST', '/playground/fund', { wallet_id: 'wal_1', num_satoshis: 5 }],
    ['POST', '/playground/keysend', { num_satoshis: 5 }],
    ['POST', '/playground/pay-link', { destination: 'alma@localhost', num_satoshis: 5 }],
    ['POST', '/playground/claim', { lnurl: 'LNURL1' }],
    ['POST', '/playground/invoice', { num_satoshis: 5 }],
    ['POST', `/playground/hold/${'ab'.repeat(32)}`, { action: 'settle' }],
    ['GET', '/playground/payments', undefined],
    ['GET', '/playground', undefined],
  ] as const;
  for (const [method, url, payload] of requests) {
    const response = await server.inject({ method, url, ...(payload && { payload }) });
    expect([url, response.statusCode, response.json().message]).toEqual([url, 503, message]);
  }
  await server.close();
});
