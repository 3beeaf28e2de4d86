import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { committedApi } from '../openapi/conformance/operations.ts';
import { unmatchedMoney } from '../operator/unmatched-money.ts';
import { type FakeNodeApp, MEASURES_AT_ONCE, onFakeNode } from '../support/app.ts';
import { loginTo } from '../support/browser.ts';
import type { Client, HttpResponse, Json } from '../support/client.ts';

const description: Json = committedApi();
const SETTINGS = { STUCK_PAYMENT_SECONDS: '0' };

/** Requests of the operator, by default each with a new Idempotency-Key. */
function operatorOf({ client }: Pick<FakeNodeApp, 'client'>) {
  return (path: string, json: object, key: string = randomUUID(), at: Client = client): Promise<HttpResponse> =>
    at.request('POST', `/v1/operator/${path}`, { key: at.secretKey, json, headers: { 'idempotency-key': key } });
}

/** Sends a payment that stays pending. */
async function pendingPayment(
  { client, net }: FakeNodeApp,
  script: object,
): Promise<{ id: string; walletId: string; paymentHash: string; preimage: string }> {
  const payer = await client.wallet(1_000);
  const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 500_000, script: { fee: 0, ...script } });
  const { preimage = '' } = net.state().outsideInvoices[paymentHash] ?? {};
  const json = { payment_request: paymentRequest, fee_limit_msat: 10_000 };
  const headers = { prefer: 'respond-async' };
  const { status, body } = await client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers });
  expect(status).toBe(202);
  await expect.poll(() => net.state().outgoing[body.lnTx.id]?.outcome.state).toBe('pending');
  return { id: body.lnTx.id, walletId: payer.id, paymentHash, preimage };
}

onFakeNode('changes by operators', ({ client, rows }) => {
  it('need an Idempotency-Key', async () => {
    const changes = Object.entries(description.paths as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method, operation]) => method !== 'get' && operation['x-permission'] === 'operator')
        // It sets what the operator sees, and nothing else.
        .filter(() => path !== '/v1/operator/first-steps')
        .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    expect(changes.length).toBeGreaterThan(9);
    const { id } = await client.get('/v1/account');
    for (const { method, path, operation } of changes) {
      expect(operation.parameters).toContainEqual({ $ref: '#/components/parameters/RequiredIdempotencyKey' });
      // Their objects are read first.
      if (!path.startsWith('/v1/accounts') && path.includes('{id}')) continue;
      const json = operation.requestBody?.content['application/json'].example;
      const { body: refused } = await client.request(method, path.replace('{id}', id), {
        key: client.secretKey,
        json,
        withoutNewKey: true,
      });
      expect([path, refused]).toMatchObject([path, { status: 400, type: 'validation_failed' }]);
      expect(refused.message).toContain('Idempotency-Key');
    }
    expect(await rows('SELECT id FROM operator_record')).toEqual([]);
  });

  it('of an account have one effect for twenty requests with one Idempotency-Key', async () => {
    const { id } = await client.post('/v1/accounts', {});
    const headers = { 'idempotency-key': 'freeze it' };
    const change = (json: object) => client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json, headers });
    const json = { status: 'frozen', reason: 'stolen' };
    const responses = await Promise.all(Array.from({ length: 20 }, () => change(json)));
    for (const { status, body } of responses) expect([status, body]).toEqual([200, expect.objectContaining({ id, status: 'frozen' })]);
    expect(responses.filter((one) => one.headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
    expect(await rows('SELECT reason FROM operator_record WHERE account_id = $1 ORDER BY id', id)).toEqual([
      { reason: '' },
      { reason: 'stolen' },
    ]);
    expect((await change({ status: 'active', reason: 'found' })).body).toMatchObject({ status: 422, type: 'idempotency_mismatch' });
    expect(await client.get(`/v1/accounts/${id}`)).toMatchObject({ status: 'frozen' });
  });
});

onFakeNode(
  'money in suspense over the API',
  (service, dialect) => {
    const { client, net, rows } = service;
    const operator = operatorOf(service);
    const balance = async (id: string) => (await client.get(`/v1/wallet/${id}`)).balance_msat;
    const credit = (hash: string, walletId: string, key?: string, at?: Client) =>
      operator(`suspense/${hash}/credit`, { wallet_id: walletId, reason: 'the payer called' }, key, at);

    it('is credited once for twenty requests at once, with one key or with many', async () => {
      const wallet = await client.wallet();
      for (const keyOf of [() => 'one key', () => randomUUID()]) {
        const before = await balance(wallet.id);
        const hash = await unmatchedMoney(service, 7_500);
        const responses = await Promise.all(Array.from({ length: 20 }, () => credit(hash, wallet.id, keyOf())));
        const ids = new Set(responses.map(({ body }) => body.id));
        expect(ids.size).toBe(1);
        for (const { status, body } of responses)
          expect([status, body]).toEqual([201, expect.objectContaining({ kind: 'credit', status: 'done', subject: hash })]);
        expect(responses.filter((one) => one.headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
        expect(await balance(wallet.id)).toBe(before + 7_500);
      }
      expect(await service.problems()).toEqual([]);
    });

    it('is recorded with the key, its account and the reason, and shows in the history of the wallet', async () => {
      const wallet = await client.wallet();
      const hash = await unmatchedMoney(service, 3_000);
      const { body } = await credit(hash.toUpperCase(), wallet.id);
      const { id: accountId } = await client.get('/v1/account');
      expect(body.requested_by).toMatch(new RegExp(`^key_\\w+ of ${accountId}$`));
      expect(body).toMatchObject({
        reason: 'the payer called',
        target: wallet.id,
        ended_at: expect.any(Number),
        answer: expect.stringContaining('3000 msat'),
      });
      expect(await client.get(`/v1/operator/actions/${body.id}`)).toEqual(body);
      const [line]: Json[] = await client.get(`/v1/wallet/${wallet.id}/transactions`);
      expect(line).toMatchObject({ num_msat: 3_000, passThru: { operator_action: body.id, payment_hash: hash } });
      const statement = await client.request('GET', `/v1/wallet/${wallet.id}/statement`, { key: client.secretKey });
      expect(statement.text).toContain('Credited by the operator');
      const [settlement] = (await client.get('/v1/operator/suspense?status=all')).filter(({ id }: Json) => id === hash);
      expect(settlement).toMatchObject({ left_msat: 0, actions: [body] });
      expect(await service.problemsAfter(`UPDATE operator_action SET amount_msat = 2999 WHERE id = $1`, body.id)).not.toEqual([]);
    });

    it('is credited by a session of an operator', async () => {
      const { id, browser } = await loginTo(client, (await client.post('/v1/accounts', { role: 'operator' })).id);
      const wallet = await client.wallet();
      const hash = await unmatchedMoney(service, 1_000);
      const { status, body } = await browser.send('POST', `/v1/operator/suspense/${hash}/credit`, {
        wallet_id: wallet.id,
        reason: 'by hand',
      });
      expect([status, body.requested_by]).toEqual([201, expect.stringMatching(new RegExp(`^ses_\\w+ of ${id}$`))]);
    });

    it('is not credited by a key that was revoked a moment ago, or by an account that is no operator any more', async () => {
      const { id, secret_key: key } = await client.post('/v1/accounts', { role: 'operator' });
      const wallet = await client.wallet();
      const hash = await unmatchedMoney(service, 1_000);
      const other = await client.request('POST', '/v1/keys', { key, json: {} });
      const send = (by: string) =>
        client.request('POST', `/v1/operator/suspense/${hash}/credit`, { key: by, json: { wallet_id: wallet.id, reason: 'x' } });
      expect((await client.request('GET', '/v1/operator/overview', { key: other.body.key })).status).toBe(200);
      expect((await client.request('DELETE', `/v1/keys/${other.body.id}`, { key })).status).toBe(200);
      expect((await send(other.body.key)).status).toBe(401);
      await client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json: { role: 'member' } });
      expect((await send(key)).status).toBe(403);
      expect(await rows('SELECT id FROM operator_action WHERE subject = $1', hash)).toEqual([]);
      expect(await balance(wallet.id)).toBe(0);
    });

    it('rejects bad input and stores nothing', async () => {
      const wallet = await client.wallet();
      const hash = await unmatchedMoney(service, 50_000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1_000 });
      const anyAmount = net.outside.invoice({}).paymentRequest;
      const good = { wallet_id: wallet.id, reason: 'x' };
      for (const [path, json, status, text] of [
        [`suspense/${hash}/credit`, { ...good, reason: undefined }, 400, '`reason`'],
        [`suspense/${hash}/credit`, { ...good, reason: '  ' }, 400, '`reason`'],
        [`suspense/${hash}/credit`, { ...good, reason: 'x'.repeat(501) }, 400, '`reason`'],
        [`suspense/${hash}/credit`, { ...good, reason: 'a\u0000b' }, 400, '`reason`'],
        [`suspense/${hash}/credit`, { reason: 'x' }, 400, '`wallet_id`'],
        [`suspense/${hash}/credit`, { ...good, amount: 5 }, 400, '`amount`'],
        [`suspense/${hash}/credit`, { ...good, wallet_id: 'a\u0000b' }, 400, '`wallet_id`'],
        [`suspense/${hash}/return`, { payment_request: 'a\u0000b', reason: 'x' }, 400, ''],
        [`suspense/${hash}/credit`, { ...good, wallet_id: 'wal_0000000000000000000000' }, 404, '`wallet_id`'],
        [`suspense/${'ab'.repeat(32)}/credit`, good, 404, ''],
        ['suspense/unknown/credit', good, 404, ''],
        [`suspense/${hash}/return`, { payment_request: 'lnbc1', reason: 'x' }, 400, ''],
        [`suspense/${hash}/return`, { payment_request: anyAmount, reason: 'x' }, 400, 'amount'],
        [`suspense/${'ab'.repeat(32)}/return`, { payment_request: paymentRequest, reason: 'x' }, 404, ''],
      ] as const) {
        const { body } = await operator(path, json);
        expect([path, body]).toMatchObject([path, { status, message: expect.stringContaining(text) }]);
      }
      expect(await rows('SELECT id FROM operator_action WHERE subject = $1', hash)).toEqual([]);
      expect(await service.problems()).toEqual([]);
    });

    it('is refused when nothing is left, again for a replay, and changes nothing', async () => {
      const [wallet, other] = [await client.wallet(), await client.wallet()];
      const hash = await unmatchedMoney(service, 2_000);
      expect((await credit(hash, wallet.id)).status).toBe(201);
      for (const isReplay of [false, true]) {
        const refused = await credit(hash, other.id, 'refused once');
        expect(refused.body).toMatchObject({
          status: 409,
          type: 'action_refused',
          message: expect.stringContaining('Nothing of it is left'),
        });
        expect(refused.headers.get('idempotency-replayed')).toBe(isReplay ? 'true' : null);
      }
      expect([await balance(wallet.id), await balance(other.id)]).toEqual([2_000, 0]);
    });

    it('is returned by a payment, and the rest can be credited', async () => {
      const hash = await unmatchedMoney(service, 50_000);
      const failing = net.outside.invoice({ amountMsat: 5_000, script: { fail: 'NO_ROUTE' } });
      const failed = await operator(`suspense/${hash}/return`, { payment_request: failing.paymentRequest, reason: 'sent by mistake' });
      expect(failed.body).toMatchObject({ status: 409, message: expect.stringContaining('in suspense again') });
      const { paymentRequest } = net.outside.invoice({ amountMsat: 40_000, script: { fee: 0 } });
      const give = (key: string) =>
        operator(
          `suspense/${hash}/return`,
          { payment_request: `lightning:${paymentRequest.toUpperCase()}`, reason: 'sent by mistake' },
          key,
        );
      const responses = await Promise.all(['a', 'a', 'b', 'b'].map(give));
      for (const { status, body } of responses)
        expect([status, body]).toEqual([
          201,
          expect.objectContaining({ status: 'done', answer: expect.stringContaining('40000 msat were paid out') }),
        ]);
      expect(responses[0]?.body.payment_id).toMatch(/^lntx_/);
      const wallet = await client.wallet();
      expect((await credit(hash, wallet.id)).status).toBe(201);
      expect(await balance(wallet.id)).toBe(10_000);
      expect(await service.problems()).toEqual([]);
    });

    it('remains pending while its payment does, and ends with it', async () => {
      const hash = await unmatchedMoney(service, 50_000);
      const held = net.outside.invoice({ amountMsat: 40_000, script: { hold: true, fee: 0 } });
      const sent = await operator(`suspense/${hash}/return`, { payment_request: held.paymentRequest, reason: 'x' });
      expect([sent.status, sent.body]).toEqual([201, expect.objectContaining({ status: 'pending', ended_at: null })]);
      await expect.poll(async () => (await client.get(`/v1/operator/actions/${sent.body.id}`)).payment_id).toMatch(/^lntx_/);
      net.outside.resolveHold(held.paymentHash, 'settle');
      await expect.poll(async () => (await client.get(`/v1/operator/actions/${sent.body.id}`)).status).toBe('done');
      expect(await service.problems()).toEqual([]);
    });

    if (dialect === 'postgres')
      it('is credited once by two instances at once, also to two wallets', async () => {
        const other = await service.another();
        for (let round = 0; round < 5; round++) {
          const wallets = [await client.wallet(), await client.wallet()] as const;
          const hash = await unmatchedMoney(service, 1_000);
          const responses = await Promise.all(
            [client, other].flatMap((at) => wallets.map((wallet) => credit(hash, wallet.id, undefined, at))),
          );
          const balances = await Promise.all(wallets.map(({ id }) => balance(id)));
          expect(balances.toSorted()).toEqual([0, 1_000]);
          expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
          const same = await Promise.all([client, other].map((at) => credit(hash, wallets[0].id, `round ${round}`, at)));
          expect(new Set(same.map(({ status }) => status)).size).toBe(1);
        }
        expect(await service.problems()).toEqual([]);
      });
  },
  { PAYMENT_WAIT_SECONDS: '3' },
);

onFakeNode(
  'pending payments over the API',
  (service) => {
    const { client, net, rows } = service;
    const operator = operatorOf(service);
    const resolve = (id: string, json: object, key?: string) => operator(`payments/${id}/resolve`, { reason: 'a test', ...json }, key);
    const wallet = (id: string) => client.get(`/v1/wallet/${id}?fields=balance_msat,pending_msat`);
    const HELD = { balance_msat: 490_000, pending_msat: 510_000 };

    it('are not ended without evidence, and nothing changes', async () => {
      const { id, walletId, preimage, paymentHash } = await pendingPayment(service, { hold: true });
      for (const [json, status, text] of [
        [{ outcome: 'failed' }, 409, 'do not prove a failure'],
        [{ outcome: 'settled', preimage }, 409, 'Wait until the node'],
        [{ outcome: 'settled', preimage: 'ab'.repeat(32) }, 409, 'not that of the payment'],
        [{ outcome: 'settled' }, 400, '`preimage`'],
        [{ outcome: 'failed', preimage }, 400, '`preimage`'],
        [{ outcome: 'settled', preimage: 'xyz' }, 400, '`preimage`'],
        [{ outcome: 'paid' }, 400, '`outcome`'],
        [{}, 400, '`outcome`'],
      ] as const) {
        expect((await resolve(id, json)).body).toMatchObject({ status, message: expect.stringContaining(text) });
      }
      net.always('lookupPayment', { unavailable: true });
      expect((await resolve(id, { outcome: 'failed' })).body).toMatchObject({
        status: 409,
        message: expect.stringContaining('did not answer'),
      });
      net.always('lookupPayment', undefined);
      expect(await wallet(walletId)).toEqual(HELD);
      expect((await resolve('lntx_0', { outcome: 'failed' })).status).toBe(404);
      net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(async () => (await client.get(`/v1/lntx/${id}`)).status).toBe('failed');
      expect((await resolve(id, { outcome: 'failed' })).body).toMatchObject({
        status: 409,
        message: expect.stringContaining('ended already'),
      });
      expect(await rows(`SELECT id FROM operator_action WHERE subject = $1 AND state <> 'refused'`, id)).toEqual([]);
      expect(await service.problems()).toEqual([]);
    });

    it('are failed once with the evidence of the node, for twenty requests at once', async () => {
      const { id, walletId } = await pendingPayment(service, { stuck: true });
      const responses = await Promise.all(Array.from({ length: 20 }, (_, i) => resolve(id, { outcome: 'failed' }, `key ${i % 2} ${id}`)));
      for (const { status, body } of responses)
        expect([status, body]).toEqual([
          201,
          expect.objectContaining({ status: 'done', evidence: expect.stringContaining('No channel has an HTLC') }),
        ]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      expect(await wallet(walletId)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
      expect(await client.get(`/v1/operator/payments/${id}`)).toMatchObject({ status: 'failed', is_stuck: false, evidence: null });
      expect(await service.problems()).toEqual([]);
    });

    it('are settled with the preimage once the node reports success', async () => {
      const { id, walletId, preimage, paymentHash } = await pendingPayment(service, { hold: true });
      net.always('lookupPayment', { instead: { state: 'succeeded', preimage, feeMsat: msat(0) } });
      expect((await resolve(id, { outcome: 'settled', preimage: preimage.toUpperCase() })).body).toMatchObject({
        status: 'done',
        target: 'settled',
      });
      net.always('lookupPayment', undefined);
      net.outside.resolveHold(paymentHash, 'settle');
      expect(await wallet(walletId)).toEqual({ balance_msat: 500_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('are looked up again: the response has the evidence, or the outcome that was booked', async () => {
      const { id, walletId, preimage, paymentHash } = await pendingPayment(service, { hold: true });
      const recheck = () => operator(`payments/${id}/recheck`, {});
      expect((await recheck()).body).toMatchObject({
        id,
        status: 'pending',
        is_stuck: true,
        evidence: { node_state: 'pending', proves_failure: false },
      });
      net.always('lookupPayment', { unavailable: true });
      expect((await recheck()).body).toMatchObject({ status: 'pending', evidence: { node_state: 'no response', facts: [] } });
      expect(await wallet(walletId)).toEqual(HELD);
      net.always('lookupPayment', { instead: { state: 'succeeded', preimage, feeMsat: msat(0) } });
      expect((await recheck()).body).toMatchObject({ status: 'settled', evidence: null });
      net.always('lookupPayment', undefined);
      net.outside.resolveHold(paymentHash, 'settle');
      expect(await wallet(walletId)).toEqual({ balance_msat: 500_000, pending_msat: 0 });
      expect((await recheck()).body).toMatchObject({ status: 'settled' });
      expect((await operator('payments/lntx_0/recheck', {})).status).toBe(404);
      expect(await service.problems()).toEqual([]);
    });
  },
  SETTINGS,
  MEASURES_AT_ONCE,
);

onFakeNode(
  'nodes, reconciliations and alerts over the API',
  (service) => {
    const { client, rows } = service;
    const operator = operatorOf(service);

    it('drain and activate a node', async () => {
      const [{ id }] = (await client.get('/v1/operator/overview')).nodes;
      const draining = async () => (await client.get('/v1/operator/overview')).nodes[0].draining;
      const drain = () => operator(`nodes/${id}/drain`, { reason: 'it is replaced' }, 'drain it');
      const responses = await Promise.all(Array.from({ length: 20 }, drain));
      expect(new Set(responses.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
      expect(await draining()).toBe(true);
      expect((await client.request('POST', '/v1/wallet', { key: client.secretKey, json: {} })).status).toBe(400);
      expect((await operator(`nodes/${id}/activate`, { reason: 'it stays' })).body).toMatchObject({ kind: 'activate', status: 'done' });
      expect(await draining()).toBe(false);
      // The replay shows the action and does not drain the node again.
      expect((await drain()).body).toEqual(responses[0]?.body);
      expect(await draining()).toBe(false);
      await client.wallet();
      expect((await operator('nodes/lnd_0/drain', { reason: 'x' })).status).toBe(404);
      expect((await operator(`nodes/${id}/drain`, {})).status).toBe(400);
      expect(await rows(`SELECT kind FROM operator_action ORDER BY id`)).toEqual([{ kind: 'drain' }, { kind: 'activate' }]);
    });

    it('request a reconciliation once, with the caller and the reason', async () => {
      const request = (json: object, key?: string) => operator('reconciliations', json, key);
      const responses = await Promise.all(Array.from({ length: 20 }, () => request({ reason: 'to be sure' }, 'once')));
      const [first] = responses;
      expect(new Set(responses.map(({ status, body }) => `${status} ${body.id}`))).toEqual(new Set([`201 ${first?.body.id}`]));
      expect(first?.body).toMatchObject({ scope: 'full', reason: 'to be sure', requested_by: expect.stringMatching(/^key_\w+ of acc_/) });
      await expect.poll(async () => (await client.get(`/v1/operator/reconciliations/${first?.body.id}`)).status).toBe('done');
      expect(await rows(`SELECT id FROM reconciliation WHERE scope = 'full'`)).toHaveLength(1);
      expect((await request({ scope: 'new_baseline' })).body).toMatchObject({ status: 400, message: expect.stringContaining('`reason`') });
      expect((await request({ scope: 'periodic' })).status).toBe(400);
      const { body } = await request({ scope: 'new_baseline', reason: 'channel closed' });
      await expect.poll(async () => (await client.get(`/v1/operator/reconciliations/${body.id}`)).status).toBe('done');
      const [accepted] = await rows('SELECT accepted_by, reason FROM node_baseline WHERE id = $1', body.id);
      expect(accepted).toEqual({ accepted_by: body.requested_by, reason: 'channel closed' });
    });

    it('close an alert once, with the caller and the reason', async () => {
      await service.execute(
        `INSERT INTO alert (id, kind, subject, message, raised_at, last_seen_at) VALUES ('alert_x', 'payment_corrected', 'lntx_x', 'a test', 1, 1)`,
      );
      const close = (key?: string) => operator('alerts/alert_x/close', { reason: 'the customer knows' }, key);
      const responses = await Promise.all(Array.from({ length: 20 }, () => close('close it')));
      for (const { status, body } of responses)
        expect([status, body]).toEqual([
          200,
          expect.objectContaining({ status: 'resolved', close_reason: 'the customer knows', closed_by: expect.stringMatching(/^key_/) }),
        ]);
      expect((await close()).body).toMatchObject({ status: 409, type: 'action_refused' });
      expect((await operator('alerts/alert_y/close', { reason: 'x' })).status).toBe(404);
      const events: Json[] = (await client.get('/v1/events?type=alert_resolved')).filter(({ data }: Json) => data.alert.id === 'alert_x');
      expect(events).toHaveLength(1);
      expect(await service.problems()).toEqual([]);
    });
  },
  SETTINGS,
  MEASURES_AT_ONCE,
);
