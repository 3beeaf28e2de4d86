import { expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { METADATA_HASH, RemoteService, type Reply } from './payee.ts';

reloadModulesAfterFile();

onFakeNode(
  'a payment of an address that two instances execute',
  (app, dialect) => {
    const payee = RemoteService.ofSuite();
    const invoice = () => ({ pr: app.net.outside.invoice({ amountMsat: 10_000, descriptionHash: METADATA_HASH }).paymentRequest });

    /** Sends a payment whose invoice comes only when `respond` is called. Later requests for an invoice get the result of `next`. */
    async function startSlowPayment(next: () => Reply) {
      const { client } = app;
      const { id } = await client.wallet(100);
      const options = {
        key: client.secretKey,
        json: { ln_address: payee.address, amt_msat: 10_000 },
        headers: { 'idempotency-key': 'one' },
      };
      const send = ({ request }: Client) => request('POST', `/v1/wallet/${id}/lnurlp/pay`, options);
      const slow = Promise.withResolvers<Reply>();
      let requests = 0;
      payee.parameters = () => payee.payParameters();
      payee.callback = () => {
        requests += 1;
        return requests === 1 ? slow.promise : next();
      };
      const first = send(client);
      await vi.waitFor(() => expect(requests).toBe(1), { timeout: 150_000 });
      return { id, send, first, respond: slow.resolve };
    }

    it.skipIf(dialect === 'sqlite')('P8: is not made after one of them has refused it', async () => {
      const { client, problems } = app;
      const other = await app.another();
      const { id, send, first, respond } = await startSlowPayment(() => ({ status: 'ERROR', reason: 'too fast' }));
      expect(await send(other)).toMatchObject({ status: 400, body: { type: 'lnurl_refused' } });
      respond(invoice());
      expect((await first).status).toBe(500);
      expect((await client.get(`/v1/wallet/${id}`)).balance_msat).toBe(100_000);

      payee.callback = invoice;
      const retry = await send(client);
      expect(retry.status).toBe(201);
      expect(await send(other)).toMatchObject({ status: 201, body: { id: retry.body.id } });
      expect(await client.get(`/v1/wallet/${id}/transactions?status=all&type=ln_lnurl_pay_outbound`)).toHaveLength(1);
      expect(await problems()).toEqual([]);
    });

    it.skipIf(dialect === 'sqlite')('P8: is not made after one of them could not reach the node', async () => {
      const { client, net, problems } = app;
      const other = await app.another();
      const { id, send, first, respond } = await startSlowPayment(invoice);
      net.down();
      expect(await send(other)).toMatchObject({ status: 503, body: { type: 'node_unavailable' } });
      net.up();
      for (const { request } of [client, other]) await expect.poll(async () => (await request('GET', '/readyz')).status).toBe(200);
      respond(invoice());
      expect((await first).status).toBe(500);
      expect((await client.get(`/v1/wallet/${id}`)).balance_msat).toBe(100_000);

      const retry = await send(other);
      expect(retry.status).toBe(201);
      expect(await send(client)).toMatchObject({ status: 201, body: { id: retry.body.id } });
      // A payment that exists is shown also while the node is away.
      net.down();
      for (const one of [client, other]) expect(await send(one)).toMatchObject({ status: 201, body: { id: retry.body.id } });
      net.up();
      expect(await client.get(`/v1/wallet/${id}/transactions?status=all&type=ln_lnurl_pay_outbound`)).toHaveLength(1);
      expect(await problems()).toEqual([]);
    });

    it('can be retried with one Idempotency-Key for as long as the node is away', async () => {
      const { client, net } = app;
      const { id } = await client.wallet(100);
      const send = () => {
        const json = { payment_request: payee.address, num_satoshis: 10 };
        return client.request('POST', `/v1/wallet/${id}/withdraw`, {
          key: client.secretKey,
          json,
          headers: { 'idempotency-key': 'patient' },
        });
      };
      payee.parameters = () => payee.payParameters();
      payee.callback = () => ({ pr: net.outside.invoice({ amountMsat: 10_000, descriptionHash: METADATA_HASH }).paymentRequest });
      net.down();
      for (let i = 0; i < 103; i += 1) expect((await send()).status).toBe(503);
      net.up();
      await expect.poll(async () => (await send()).status).toBe(201);
      expect((await client.get(`/v1/wallet/${id}`)).balance_msat).toBe(90_000);
    });

    it('can be refused often with one Idempotency-Key, which one request with another body can then use', async () => {
      const { client, net } = app;
      const { id } = await client.wallet(100);
      const send = (path: string, json: object, key: string) =>
        client.request('POST', `/v1/wallet/${id}/${path}`, { key: client.secretKey, json, headers: { 'idempotency-key': key } });
      payee.parameters = () => ({ status: 'ERROR', reason: 'closed' });
      const refused = { payment_request: payee.address, num_satoshis: 1 };
      for (let i = 0; i < 105; i += 1) expect((await send('withdraw', refused, 'two')).status).toBe(400);
      // Another body may follow a refusal.
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1000 });
      expect((await send('withdraw', { payment_request: paymentRequest }, 'two')).status).toBe(201);
      expect((await send('withdraw', refused, 'two')).status).toBe(422);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1' },
);
