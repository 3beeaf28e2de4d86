import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, HttpResponse, Json, TestWallet } from '../support/client.ts';
import { countListeners } from '../support/listeners.ts';

/** Ends a test in which a request with `wait=60` waits until its timeout. */
const AT_ONCE = 30_000;

onFakeNode('GET /v1/lntx/<id>?wait', (service, dialect) => {
  const read = (id: string, wait: number | string = 60, key = service.client.secretKey, client: Client = service.client) =>
    client.request('GET', `/v1/lntx/${id}?wait=${wait}`, { key });
  const invoiceOf = (wallet: TestWallet): Promise<Json> => service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
  const listeners = (n: number) => expect.poll(() => countListeners(service.client)).toBe(n);

  it(
    'returns as soon as an invoice is paid, by its id and by its payment hash',
    async () => {
      const wallet = await service.client.wallet();
      const { id, payment_request, r_hash_decoded } = await invoiceOf(wallet);
      const waiting = [read(id), read(r_hash_decoded), read(id, 60, wallet.read), read(id, 60, service.client.publicKey)];
      await listeners(4);
      await service.net.outside.pay({ paymentRequest: payment_request });
      const [byId, byHash, byReadKey, byPublicKey] = await Promise.all(waiting);
      expect(byId).toMatchObject({ status: 200, body: { id, status: 'settled', num_satoshis: 5 } });
      expect(byHash?.body).toEqual(byId?.body);
      expect(byReadKey?.body).toEqual(byId?.body);
      expect(byPublicKey?.body).toMatchObject({ status: 'settled', payment_preimage: null });
      await listeners(0);
    },
    AT_ONCE,
  );

  it(
    'returns an object with a final status at once',
    async () => {
      const wallet = await service.client.wallet();
      const { id, payment_request } = await invoiceOf(wallet);
      await service.net.outside.pay({ paymentRequest: payment_request });
      await expect.poll(async () => (await read(id, 1)).body.status).toBe('settled');
      expect((await read(id)).body.status).toBe('settled');
    },
    AT_ONCE,
  );

  it('returns an unchanged object at the timeout, also when other events concern its wallet', async () => {
    const wallet = await service.client.wallet();
    const [one, other] = [await invoiceOf(wallet), await invoiceOf(wallet)];
    const waiting = read(one.id, 1);
    await service.net.outside.pay({ paymentRequest: other.payment_request });
    expect(await waiting).toMatchObject({ status: 200, body: { status: 'open' } });
  });

  it(
    'returns when an open invoice expires',
    async () => {
      const { id } = await invoiceOf(await service.client.wallet());
      await service.execute('UPDATE invoice SET expires_at = $1 WHERE id = $2', Math.floor(Date.now() / 1000) + 2, id);
      expect((await read(id)).body.status).toBe('expired');
    },
    AT_ONCE,
  );

  it(
    'returns when a pending payment settles',
    async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = service.net.outside.invoice({ amountMsat: 10_000, script: { hold: true } });
      const headers = { prefer: 'respond-async' };
      const json = { payment_request: paymentRequest };
      const { body } = await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: wallet.admin, json, headers });
      const waiting = read(body.lnTx.id);
      await listeners(1);
      await service.client.decideHold(paymentHash, 'settle');
      expect((await waiting).body).toMatchObject({ status: 'settled', settled: 1 });
      expect(await service.problems()).toEqual([]);
    },
    AT_ONCE,
  );

  it.each(['0', '61', '-1', '1.5', 'abc', ''])('rejects wait=%s', async (wait) => {
    const { id } = await invoiceOf(await service.client.wallet());
    const { status, body } = await read(id, wait);
    expect(status).toBe(400);
    expect(body.message).toContain('`wait` must be a whole number of seconds, from 1 to 60');
  });

  it(
    'rejects unknown ids, ids of another account and keys without permission at once',
    async () => {
      const wallet = await service.client.wallet();
      const { id } = await invoiceOf(wallet);
      expect((await read('lntx_unknown')).status).toBe(404);
      expect((await read(id, 60, service.neighbour.secretKey)).status).toBe(404);
      expect((await read(id, 60, wallet.lnurlPay)).status).toBe(403);
    },
    AT_ONCE,
  );

  it('selects fields of the response', async () => {
    const { id } = await invoiceOf(await service.client.wallet());
    expect(await service.client.get(`/v1/lntx/${id}?wait=1&fields=id,status`)).toEqual({ id, status: 'open' });
  });

  it(
    'frees the place of a client that disconnects',
    async () => {
      const { id } = await invoiceOf(await service.client.wallet());
      const gone = new AbortController();
      const waiting = fetch(`${service.client.url}/v1/lntx/${id}?wait=60&access-token=${service.client.secretKey}`, {
        signal: gone.signal,
      });
      await listeners(1);
      gone.abort();
      await expect(waiting).rejects.toThrow();
      await listeners(0);
    },
    AT_ONCE,
  );

  it(
    'is sent at once when the service stops',
    async () => {
      const { id } = await invoiceOf(await service.client.wallet());
      const waiting = read(id);
      await listeners(1);
      await service.restart();
      expect(await waiting).toMatchObject({ status: 200, body: { status: 'open' } });
    },
    AT_ONCE,
  );

  it.runIf(dialect === 'postgres')(
    'returns when another instance books the payment',
    async () => {
      const another = await service.another();
      const { id, payment_request } = await invoiceOf(await service.client.wallet());
      const payer = await service.client.wallet(100);
      const waiting = read(id, 60, service.client.secretKey, another);
      await expect.poll(() => countListeners(another)).toBe(1);
      await service.client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request });
      expect((await waiting).body.status).toBe('settled');
    },
    AT_ONCE,
  );
});

onFakeNode(
  'many requests that wait',
  (service) => {
    const read = (id: string): Promise<HttpResponse> =>
      service.client.request('GET', `/v1/lntx/${id}?wait=60`, { key: service.client.secretKey });

    it('read nothing while they wait, and read the object once when it changes', async () => {
      const wallet = await service.client.wallet();
      const [paid, other]: Json[] = await Promise.all(
        [1, 2].map((n) => service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: n })),
      );
      const waiting = Array.from({ length: 1000 }, (_, i) => read(i < 900 ? paid.id : other.id));
      await expect.poll(() => countListeners(service.client)).toBe(1000);
      const noted: string[] = [];
      service.statements = noted;
      const began = performance.now();
      await delay(300);
      const polls = (performance.now() - began) / 10;
      // The one reader of the log executes at most four statements each time.
      expect(noted.filter((name) => name.startsWith('feed_') || name.startsWith('event_')).length).toBeLessThan(4 * polls + 8);
      expect(noted.filter((name) => /^(invoice|payment)_find/.test(name))).toEqual([]);
      await service.net.outside.pay({ paymentRequest: paid.payment_request });
      const ended = await Promise.all(waiting.slice(0, 900));
      service.statements = undefined;
      expect(new Set(ended.map(({ body }) => body.status))).toEqual(new Set(['settled']));
      expect(noted.filter((name) => /^invoice_find/.test(name)).length).toBeLessThan(10);
      await service.net.outside.pay({ paymentRequest: other.payment_request });
      await Promise.all(waiting);
      await expect.poll(() => countListeners(service.client)).toBe(0);
    }, 120_000);
  },
  // Of the requests that wait, one account has a sixteenth of the connections.
  { MAX_CONNECTIONS: '20000' },
  { pollMs: 3_600_000 },
);

onFakeNode(
  'more requests that wait than a key may have',
  (service) => {
    it('are answered at once, and leave the other half of its requests free', async () => {
      const wallet = await service.client.wallet();
      const { id } = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
      const read = () => service.client.request('GET', `/v1/lntx/${id}?wait=60`, { key: wallet.read });
      const waiting = [read(), read()];
      await expect.poll(() => countListeners(service.client)).toBe(2);
      expect((await read()).body.status).toBe('open');
      expect((await service.client.request('GET', `/v1/wallet/${wallet.id}`, { key: wallet.read })).status).toBe(200);
      const others = service.client.request('GET', `/v1/lntx/${id}?wait=60`, { key: wallet.admin });
      await expect.poll(() => countListeners(service.client)).toBe(3);
      await service.client.post('/playground/pay', { payment_request: (await service.client.get(`/v1/lntx/${id}`)).payment_request });
      for (const { body } of await Promise.all([...waiting, others])) expect(body.status).toBe('settled');
    }, 30_000);
  },
  { MAX_REQUESTS_AT_ONCE: '4' },
);
