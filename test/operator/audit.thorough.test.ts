import { expect, it } from 'vitest';
import { unmatchedMoney } from '../operator/unmatched-money.ts';
import { onFakeNode } from '../support/app.ts';
import { loginTo } from '../support/browser.ts';
import type { HttpResponse, Json } from '../support/client.ts';

onFakeNode('the record of operators', (service) => {
  const { client, net } = service;
  const operator = (path: string, json: object = {}, key = client.secretKey): Promise<HttpResponse> =>
    client.request('POST', `/v1/operator/${path}`, { key, json });
  const newest = async (): Promise<Json> => (await client.get('/v1/operator/actions?per-page=1'))[0];
  const caller = async () => new RegExp(`^key_\\w+ of ${(await client.get('/v1/account')).id}$`);

  it('has each kind of action with the caller, the reason, the times and the answer', async () => {
    const wallet = await client.wallet();
    const hash = await unmatchedMoney(service, 30_000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 10_000, script: { fee: 0 } });
    const [node] = await client.get('/v1/nodes');
    const requests: [path: string, json: object, recorded: object][] = [
      [
        `suspense/${hash}/return`,
        { payment_request: paymentRequest, reason: 'a return' },
        { kind: 'return', subject: hash, target: paymentRequest },
      ],
      [`suspense/${hash}/credit`, { wallet_id: wallet.id, reason: 'a credit' }, { kind: 'credit', subject: hash, target: wallet.id }],
      [`nodes/${node.id}/drain`, { reason: 'a drain' }, { kind: 'drain', subject: node.id, target: '' }],
      [`nodes/${node.id}/activate`, { reason: 'an end of it' }, { kind: 'activate', subject: node.id, target: '' }],
    ];
    for (const [path, json, recorded] of requests) {
      const { status, body } = await operator(path, json);
      expect([path, status]).toEqual([path, 201]);
      const { reason } = json as { reason: string };
      const times = { requested_at: expect.any(Number), ended_at: expect.any(Number) };
      const expected = { ...recorded, ...times, id: body.id, reason, status: 'done', answer: expect.stringMatching(/\.$/), evidence: null };
      expect(await newest()).toMatchObject({ ...expected, requested_by: expect.stringMatching(await caller()) });
      expect(await client.get(`/v1/operator/actions/${body.id}`)).toEqual(body);
      expect(body.ended_at).toBeGreaterThanOrEqual(body.requested_at);
    }
    expect(await service.problems()).toEqual([]);
  });

  it('keeps refused actions with their reason, which can be requested again', async () => {
    const [wallet, hash] = [await client.wallet(), await unmatchedMoney(service, 5_000)];
    await operator(`suspense/${hash}/credit`, { wallet_id: wallet.id, reason: 'first' });
    const before = (await client.get('/v1/operator/actions?per-page=100')).length;
    const other = await client.wallet();
    for (let tries = 0; tries < 2; tries++)
      expect((await operator(`suspense/${hash}/credit`, { wallet_id: other.id, reason: `try ${tries}` })).body.type).toBe('action_refused');
    const records: Json[] = await client.get('/v1/operator/actions?per-page=100');
    expect(records.length - before).toBe(2);
    expect(records.slice(0, 2).map(({ status, reason, answer }) => [status, reason, answer])).toEqual([
      ['refused', 'try 1', expect.stringContaining('Nothing of it is left')],
      ['refused', 'try 0', expect.stringContaining('Nothing of it is left')],
    ]);
    const [settlement] = (await client.get('/v1/operator/suspense?status=all')).filter(({ id }: Json) => id === hash);
    expect(settlement.actions.map(({ status }: Json) => status)).toEqual(['done', 'refused', 'refused']);
  });

  it('names the session of a person, and its account', async () => {
    const { id } = await client.post('/v1/accounts', { role: 'operator' });
    const { browser } = await loginTo(client, id);
    const [node] = await client.get('/v1/nodes');
    const { body } = await browser.send('POST', `/v1/operator/nodes/${node.id}/activate`, { reason: 'by hand' });
    expect(body.requested_by).toMatch(new RegExp(`^ses_\\w+ of ${id}$`));
  });

  it('has pages, newest first, and shows one record by its id', async () => {
    const all: Json[] = await client.get('/v1/operator/actions?per-page=100');
    expect(all.length).toBeGreaterThan(5);
    const ids = all.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
    expect((await client.request('GET', '/v1/operator/actions/opa_0', { key: client.secretKey })).status).toBe(404);
  });

  it('keeps the records when the service restarts, and when their account is no operator any more', async () => {
    const { id, secret_key: key } = await client.post('/v1/accounts', { role: 'operator' });
    const [node] = await client.get('/v1/nodes');
    const { body } = await operator(`nodes/${node.id}/activate`, { reason: 'my last one' }, key);
    await client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json: { role: 'member', reason: 'left' } });
    await service.restart();
    expect(await client.get(`/v1/operator/actions/${body.id}`)).toEqual(body);
    expect(body.requested_by).toContain(id);
  });

  it('contains no key, no secret of a session and no preimage', async () => {
    const { browser } = await loginTo(client, (await client.post('/v1/accounts', { role: 'operator' })).id);
    const [node] = await client.get('/v1/nodes');
    await browser.send('POST', `/v1/operator/nodes/${node.id}/activate`, { reason: 'by hand' });
    const payer = await client.wallet(1_000);
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 500_000, script: { hold: true, fee: 0 } });
    const { preimage = '' } = net.state().outsideInvoices[paymentHash] ?? {};
    const paid = { key: payer.admin, json: { payment_request: paymentRequest }, headers: { prefer: 'respond-async' } };
    const { lnTx } = (await client.request('POST', `/v1/wallet/${payer.id}/withdraw`, paid)).body;
    await expect.poll(() => net.state().outgoing[lnTx.id]?.outcome.state).toBe('pending');
    const refused = await operator(`payments/${lnTx.id}/resolve`, { outcome: 'settled', preimage, reason: 'the receiver says so' });
    expect(refused.body.type).toBe('action_refused');
    const text = JSON.stringify(await client.get('/v1/operator/actions?per-page=100'));
    for (const secret of [client.secretKey.slice(4), browser.secret, preimage]) expect(text).not.toContain(secret);
    net.outside.resolveHold(paymentHash, 'cancel');
    await expect.poll(async () => (await client.get(`/v1/lntx/${lnTx.id}`)).status).toBe('failed');
    expect(await service.problems()).toEqual([]);
  });
});

onFakeNode('the record of reconciliations and alerts', ({ client, execute }) => {
  const post = (path: string, json: object) => client.request('POST', `/v1/operator/${path}`, { key: client.secretKey, json });

  it('names who requested a reconciliation and why, and nobody for those of the service', async () => {
    const { body } = await post('reconciliations', { scope: 'full', reason: 'after the repair' });
    await expect.poll(async () => (await client.get(`/v1/operator/reconciliations/${body.id}`)).status).toBe('done');
    const listed: Json[] = await client.get('/v1/operator/reconciliations');
    expect(listed.find(({ id }) => id === body.id)).toMatchObject({
      reason: 'after the repair',
      requested_by: expect.stringMatching(/^key_/),
    });
    for (const one of listed.filter(({ scope }) => scope === 'periodic')) expect(one).toMatchObject({ requested_by: null, reason: null });
  });

  it('names who closed an alert and why, and does not close one by another name', async () => {
    await execute(
      `INSERT INTO alert (id, kind, subject, message, raised_at, last_seen_at) VALUES ('alert_a', 'payment_corrected', 'lntx_a', 'a test', 1, 1)`,
    );
    for (const [id, json, status] of [
      ['alert_b', { reason: 'x' }, 404],
      ['alert_a', {}, 400],
      ['alert_a', { reason: ' ' }, 400],
      ['alert_a', { reason: 'x', extra: 1 }, 400],
    ] as const)
      expect([id, json, (await post(`alerts/${id}/close`, json)).status]).toEqual([id, json, status]);
    expect((await client.get('/v1/operator/alerts')).map(({ id }: Json) => id)).toContain('alert_a');
    await post('alerts/alert_a/close', { reason: 'the customer knows' });
    const [closed] = (await client.get('/v1/operator/alerts?status=resolved')).filter(({ id }: Json) => id === 'alert_a');
    expect(closed).toMatchObject({ close_reason: 'the customer knows', closed_by: expect.stringMatching(/^key_\w+ of acc_/) });
  });
});
