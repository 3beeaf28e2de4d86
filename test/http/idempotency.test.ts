import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, HttpResponse, Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';

reloadModulesAfterFile();

/** A clock that goes back dates new wallets before an epoch that was taken earlier, and `verify` would miss them there. */
const WITHOUT_PROOFS = { PROOF_INTERVAL_SECONDS: '0' };

onFakeNode(
  'Idempotency-Key',
  (service, dialect) => {
    const { net } = service;
    const send = (
      path: string,
      key: string,
      json: object,
      { client = service.client, headers = {} }: { client?: Client; headers?: Record<string, string> } = {},
    ) => client.request('POST', path, { key: client.secretKey, json, headers: { 'idempotency-key': key, ...headers } });
    const replayed = ({ headers }: HttpResponse) => headers.get('idempotency-replayed');
    const balance = async (wallet: TestWallet): Promise<number> => (await service.client.get(`/v1/wallet/${wallet.id}`)).balance_msat;
    const outside = (amountMsat: number, script: object = {}) => net.outside.invoice({ amountMsat, script });

    /** Every POST that creates an object: its path and body, and a text that identifies the object. */
    const WAYS: [name: string, make: (wallet: TestWallet) => Promise<[string, object]>, madeId: (body: Json) => string][] = [
      [
        'a wallet, with its keys',
        async () => ['/v1/wallet', { user_label: 'once' }],
        ({ id, access_keys }) => id + JSON.stringify(access_keys),
      ],
      ['an invoice', async ({ id }) => [`/v1/wallet/${id}/invoice`, { num_satoshis: 5 }], ({ payment_request }) => payment_request],
      [
        'a withdrawal',
        async ({ id }) => [`/v1/wallet/${id}/withdraw`, { payment_request: outside(10_000).paymentRequest }],
        ({ id }) => id,
      ],
      [
        'a keysend',
        async ({ id }) => {
          const { nodes } = await service.client.get('/playground');
          return [`/v1/wallet/${id}/keysend`, { dest_pubkey: nodes.find(({ name }: Json) => name === 'alice').pubkey, num_satoshis: 10 }];
        },
        ({ id }) => id,
      ],
      [
        'a transfer',
        async ({ id }) => [
          `/v1/wallet/${id}/transfer`,
          { dest_wallet_id: (await service.client.wallet()).id, num_satoshis: 10, passThru: { a: 1 } },
        ],
        (body) => JSON.stringify([body.wtx_transfer_in.id, body.wtx_transfer_out.id, body.passThru, body.wtx_transfer_out.num_msat]),
      ],
      [
        'a withdraw link, with its token',
        async ({ id }) => [`/v1/wallet/${id}/lnurl/withdraw`, { num_satoshis: 10 }],
        ({ lnurl }) => lnurl,
      ],
    ];

    describe.each(WAYS)('W5: %s', (_name, make, madeId) => {
      it('W5: is made once: a replay, twenty duplicates at once, and one after a restart return the same', async () => {
        const wallet = await service.client.wallet(1000);
        const [path, json] = await make(wallet);
        const key = randomUUID();
        const many = await Promise.all(Array.from({ length: 20 }, () => send(path, key, json)));
        expect(new Set(many.map(({ status }) => status))).toEqual(new Set([201]));
        expect(new Set(many.map(({ body }) => madeId(body))).size).toBe(1);
        expect(many.filter((response) => replayed(response) === 'true')).toHaveLength(19);
        const before = await balance(wallet);
        await service.restart();
        const again = await send(path.replace('/v1/wallet/', '/v1/user/wallet/'), key, json);
        expect([again.status, replayed(again), madeId(again.body)]).toEqual([201, 'true', madeId(many[0]?.body)]);
        expect(await balance(wallet)).toBe(before);
        expect(
          (await send(path, key, { ...json, passThru: { other: true }, memo: 'other', user_label: 'other' })).status,
        ).toBeGreaterThanOrEqual(400);
      });

      it('is made once when its key was rotated before the retry, except for a response with a secret', async () => {
        const { client } = service;
        const wallet = await client.wallet(1000);
        const [path, json] = await make(wallet);
        const old = await client.post('/v1/keys', { user_label: 'to be rotated' });
        const idempotencyKey = randomUUID();
        const requestWith = (key: string) => client.request('POST', path, { key, json, headers: { 'idempotency-key': idempotencyKey } });
        const first = await requestWith(old.key);
        const replacement = await client.post(`/v1/keys/${old.id}/rotate`, { overlap_seconds: 600 });
        const again = await requestWith(replacement.key);
        expect([first.status, again.status]).toEqual([201, 201]);
        const hasSecret = 'access_keys' in again.body || 'ott' in again.body;
        expect(replayed(again)).toBe(hasSecret ? null : 'true');
        expect(madeId(again.body) === madeId(first.body)).toBe(!hasSecret);
      });

      it('is made again under another key, and another body under the same key is 422', async () => {
        const wallet = await service.client.wallet(1000);
        const [path, json] = await make(wallet);
        const key = randomUUID();
        const first = await send(path, key, json);
        const other = path === '/v1/wallet' ? { user_label: 'other' } : { ...json, passThru: { other: true } };
        expect(await send(path, key, other)).toMatchObject({ status: 422, body: { type: 'idempotency_mismatch' } });
        if (path.endsWith('/withdraw') && !path.includes('lnurl')) return;
        const second = await send(path, randomUUID(), json);
        expect(second.status).toBe(201);
        expect(madeId(second.body)).not.toBe(madeId(first.body));
      });

      if (dialect === 'postgres') {
        it('W5: is made once by two instances that receive the same request at once', async () => {
          const wallet = await service.client.wallet(1000);
          const [path, json] = await make(wallet);
          const key = randomUUID();
          const other = await second();
          const responses = await Promise.all(Array.from({ length: 10 }, (_, i) => send(path, key, json, i % 2 ? { client: other } : {})));
          expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
          expect(new Set(responses.map(({ body }) => madeId(body))).size).toBe(1);
        });
      }
    });

    let other: Promise<Client> | undefined;
    function second(): Promise<Client> {
      other ??= service.another();
      return other;
    }

    it('W5: makes one payment while it is pending: 202, then its end, and one debit', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = outside(100_000, { hold: true });
      const [path, key] = [`/v1/wallet/${wallet.id}/withdraw`, randomUUID()];
      const headers = { prefer: 'respond-async' };
      const first = await send(path, key, { payment_request: paymentRequest }, { headers });
      const again = await send(path, key, { payment_request: paymentRequest }, { headers });
      expect([first.status, again.status, replayed(again), again.body.id]).toEqual([202, 202, 'true', first.body.id]);
      await service.client.decideHold(paymentHash, 'settle');
      const ended = await send(path, key, { payment_request: paymentRequest });
      expect(ended).toMatchObject({ status: 201, body: { id: first.body.id, lnTx: { settled: 1 } } });
      expect(await balance(wallet)).toBe(900_000);
    });

    it('W5: replays a failed payment without a new attempt, and tries again without the key', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest } = outside(100_000);
      const [path, key] = [`/v1/wallet/${wallet.id}/withdraw`, randomUUID()];
      net.nextPayment({ fail: 'NO_ROUTE' });
      const first = await send(path, key, { payment_request: paymentRequest });
      expect(first).toMatchObject({ status: 400, body: { type: 'payment_failed', wtx_id: expect.any(String) } });
      const again = await send(path, key, { payment_request: paymentRequest });
      expect([again.status, replayed(again), again.body.wtx_id]).toEqual([400, 'true', first.body.wtx_id]);
      expect(await balance(wallet)).toBe(1_000_000);
      expect((await send(path, randomUUID(), { payment_request: paymentRequest })).status).toBe(201);
    });

    it('marks only a replay as one, also when the first request has failed', async () => {
      const wallet = await service.client.wallet(1000);
      net.nextPayment({ fail: 'NO_ROUTE' });
      const failed = await send(`/v1/wallet/${wallet.id}/withdraw`, randomUUID(), { payment_request: outside(10_000).paymentRequest });
      expect([failed.status, replayed(failed)]).toEqual([400, null]);
    });

    it('replays a transfer although the key that named its destination is revoked', async () => {
      const [from, to] = [await service.client.wallet(100), await service.client.wallet()];
      const [path, key, json] = [`/v1/wallet/${from.id}/transfer`, randomUUID(), { dest_wallet_id: to.invoice, num_satoshis: 5 }];
      const first = await send(path, key, json);
      for (const { id } of (await service.client.get(`/v1/wallet/${to.id}/keys`)) as Json[]) {
        await service.client.request('DELETE', `/v1/wallet/${to.id}/keys/${id}`, { key: service.client.secretKey });
      }
      const again = await send(path, key, json);
      expect([again.status, replayed(again), again.body.wtx_transfer_out.id]).toEqual([201, 'true', first.body.wtx_transfer_out.id]);
      expect(await balance(from)).toBe(95_000);
    });

    it('returns 400 for a deeply nested body, also under a known key', async () => {
      const wallet = await service.client.wallet(100);
      const [path, key] = [`/v1/wallet/${wallet.id}/invoice`, randomUUID()];
      expect((await send(path, key, { num_satoshis: 5 })).status).toBe(201);
      const nested = `{"num_satoshis":5,"passThru":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
      const response = await service.client.request('POST', path, {
        key: service.client.secretKey,
        json: nested,
        headers: { 'idempotency-key': key },
      });
      expect(response.status).toBe(400);
    });

    it.each([
      ['forward by three days', 3],
      ['back by three days, and forward again', -3],
    ])('W5: a retry pays once when the clock of the machine jumps %s around a restart', async (_name, days) => {
      const [from, to] = [await service.client.wallet(100), await service.client.wallet()];
      const [path, key, json] = [`/v1/wallet/${from.id}/transfer`, randomUUID(), { dest_wallet_id: to.id, num_satoshis: 40 }];
      const now = Date.now();
      const jump = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: ms });
      try {
        if (days < 0) jump(now + days * 86_400_000);
        expect((await send(path, key, json)).status).toBe(201);
        if (days > 0) await service.restart(() => void jump(now + days * 86_400_000));
        else await service.restart(() => void vi.useRealTimers());
        // The row has the new time, so that the newest timestamp of the database has jumped as well.
        expect((await send(path, randomUUID(), { ...json, num_satoshis: 1 })).status).toBe(201);
        await service.restart();
        const again = await send(path, key, json);
        expect([again.status, replayed(again)]).toEqual([201, 'true']);
        expect(await balance(from)).toBe(59_000);
        expect(await service.problems()).toEqual([]);
      } finally {
        vi.useRealTimers();
      }
    });

    it('keeps no failed request: the same request may succeed later', async () => {
      const wallet = await service.client.wallet();
      const [path, key] = [`/v1/wallet/${wallet.id}/withdraw`, randomUUID()];
      const json = { payment_request: outside(100_000).paymentRequest };
      expect(await send(path, key, json)).toMatchObject({ status: 400, body: { type: 'insufficient_balance' } });
      await service.client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 500 });
      const paid = await send(path, key, json);
      expect([paid.status, replayed(paid)]).toEqual([201, null]);
    });

    it('replays a known key while the node is unavailable and the balance is spent', async () => {
      const wallet = await service.client.wallet(100);
      const [path, key] = [`/v1/wallet/${wallet.id}/withdraw`, randomUUID()];
      const json = { payment_request: outside(100_000).paymentRequest, fee_limit_msat: 0 };
      expect((await send(path, key, json)).status).toBe(201);
      net.down();
      expect(await send(path, key, json)).toMatchObject({ status: 201, body: { num_satoshis: -100 } });
      net.up();
      expect(await balance(wallet)).toBe(0);
    });

    it('separates the keys of different wallets, credentials and routes', async () => {
      const [one, two] = [await service.client.wallet(100), await service.client.wallet(100)];
      const key = randomUUID();
      const ids = new Set<string>();
      for (const wallet of [one, two]) ids.add((await send(`/v1/wallet/${wallet.id}/invoice`, key, { num_satoshis: 5 })).body.id);
      const { body } = await service.client.request('POST', `/v1/wallet/${one.id}/invoice`, {
        key: one.invoice,
        json: { num_satoshis: 5 },
        headers: { 'idempotency-key': key },
      });
      ids.add(body.id);
      expect(ids.size).toBe(3);
      expect((await send(`/v1/wallet/${one.id}/lnurl/withdraw`, key, { num_satoshis: 5 })).status).toBe(201);
    });

    it('checks permissions before a replay', async () => {
      const wallet = await service.client.wallet(100);
      const [path, key] = [`/v1/wallet/${wallet.id}/invoice`, randomUUID()];
      expect((await send(path, key, { num_satoshis: 5 })).status).toBe(201);
      const options = { json: { num_satoshis: 5 }, headers: { 'idempotency-key': key } };
      expect((await service.client.request('POST', path, { ...options, key: 'sak_unknown' })).status).toBe(401);
      expect((await service.client.request('POST', path, { ...options, key: wallet.read })).status).toBe(403);
    });

    it('compares bodies by their values, not by their spelling', async () => {
      const wallet = await service.client.wallet(100);
      const [path, key] = [`/v1/wallet/${wallet.id}/invoice`, randomUUID()];
      const first = await send(path, key, { num_satoshis: 5, memo: 'tea', passThru: { a: 1, b: 2 } });
      const form = await service.client.request('POST', path, {
        key: service.client.secretKey,
        form: `passThru=${encodeURIComponent('{"b":2,"a":1}')}&memo=tea&num_satoshis=5`,
        headers: { 'idempotency-key': key },
      });
      expect([form.status, form.body.id]).toEqual([201, first.body.id]);
    });

    it.each(['', 'x'.repeat(256)])('returns 400 for a key that does not have 1 to 255 characters', async (key) => {
      const response = await send('/v1/wallet', key, {});
      expect(response).toMatchObject({ status: 400, body: { type: 'validation_failed' } });
      expect(response.body.message).toContain('Idempotency-Key');
    });
  },
  WITHOUT_PROOFS,
);
