import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { NodeInfo } from '../../src/core/lightning/node.ts';
import { billFor, termsOf } from '../lnurl/strict-payer.ts';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';

onFakeNode('a node that cannot do everything', (service) => {
  const { net } = service;
  const node = net.connect();
  const post = (wallet: TestWallet, path: string, json: object) =>
    service.client.request('POST', `/v1/wallet/${wallet.id}/${path}`, { key: wallet.admin, json });

  async function limit(changes: Partial<NodeInfo>): Promise<void> {
    net.always('info', undefined);
    const info = await node.info();
    net.always('info', { instead: { ...info, ...changes, capabilities: { ...info.capabilities, ...changes.capabilities } } });
  }

  it('sends nothing and holds nothing while it has no channel; internal payments work, and the node object shows the reason', async () => {
    await limit({ cannotSend: 'the node has no active channel' });
    const [payer, payee] = [await service.client.wallet(1_000), await service.client.wallet()];
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
    expect(await post(payer, 'withdraw', { payment_request: paymentRequest })).toMatchObject({
      status: 503,
      body: { type: 'node_unavailable', message: expect.stringContaining('cannot send payments now: the node has no active channel') },
    });
    expect(await service.client.get(`/v1/wallet/${payer.id}`)).toMatchObject({ balance: 1_000, pending_msat: 0 });
    const { body: invoice } = await post(payee, 'invoice', { num_satoshis: 100 });
    expect((await post(payer, 'withdraw', { payment_request: invoice.payment_request })).status).toBe(201);
    expect(await service.client.get('/v1/node/default')).toMatchObject({
      status: 'cannot_send',
      status_reason: 'the node has no active channel',
      software: 'fake',
    });
    net.always('info', undefined);
    await expect.poll(async () => (await post(payer, 'withdraw', { payment_request: paymentRequest })).status).toBe(201);
    expect(await service.client.get('/v1/node/default')).toMatchObject({ status: 'ready', status_reason: null });
    expect(await service.problems()).toEqual([]);
  });

  it('creates no invoice, sends nothing and is not ready while its credential lacks a permission', async () => {
    const [payer, payee] = [await service.client.wallet(1_000), await service.client.wallet()];
    const { body: earlier } = await post(payee, 'invoice', { num_satoshis: 100 });
    await limit({ missingCalls: ['/invoicesrpc.Invoices/CancelInvoice'] });
    const readiness = () => service.client.request('GET', '/readyz');
    await expect.poll(readiness).toMatchObject({ status: 503, body: { status: 'not ready', node: 'unavailable' } });
    const rejection = { status: 503, body: { type: 'node_unavailable', message: expect.stringContaining('credential') } };
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
    expect(await post(payee, 'invoice', { num_satoshis: 100 })).toMatchObject(rejection);
    expect(await post(payer, 'withdraw', { payment_request: paymentRequest })).toMatchObject(rejection);
    expect(await post(payer, 'withdraw', { payment_request: earlier.payment_request })).toMatchObject(rejection);
    expect(await service.client.get(`/v1/wallet/${payer.id}`)).toMatchObject({ balance: 1_000, pending_msat: 0 });
    const reason = expect.stringMatching(/does not permit \/invoicesrpc\.Invoices\/CancelInvoice; satchel node check/);
    expect(await service.client.get('/v1/node/default')).toMatchObject({ status: 'unavailable', status_reason: reason });
    net.always('info', undefined);
    await expect.poll(async () => (await post(payee, 'invoice', { num_satoshis: 100 })).status).toBe(201);
    expect(await readiness()).toMatchObject({ status: 200, body: { node: 'ok' } });
    expect(await service.problems()).toEqual([]);
  });

  it('raises an alert with what its operator should change, until it is changed', async () => {
    const settings = async () => (await service.openAlerts()).filter(({ kind }) => kind === 'node_setting');
    /** A node reports its settings again when it was restarted. */
    const restartWith = async (advice: string[] | undefined) => {
      await limit({ advice });
      net.restart();
      await expect.poll(async () => (await service.client.get('/v1/node/default')).status).toBe('ready');
      await service.reconcile();
    };
    await restartWith(['remove keysend-hold-time from lnd.conf', 'set store-final-htlc-resolutions=true']);
    const message = 'Remove keysend-hold-time from lnd.conf. Set store-final-htlc-resolutions=true.';
    expect(await settings()).toMatchObject([{ subject: (await service.client.get('/v1/node/default')).id, message }]);
    await restartWith(['set store-final-htlc-resolutions=true']);
    expect(await settings()).toMatchObject([{ message: 'Set store-final-htlc-resolutions=true.' }]);
    await restartWith(undefined);
    expect(await settings()).toEqual([]);
    net.always('info', undefined);
  });

  it('rejects a keysend that it cannot send, and holds nothing', async () => {
    await limit({ capabilities: { sendsKeysend: false } as NodeInfo['capabilities'], software: 'CLN v26' });
    await expect.poll(async () => (await service.client.get('/v1/node/default')).capabilities.sends_keysend).toBe(false);
    const payer = await service.client.wallet(1_000);
    const { nodes } = await service.client.get('/playground');
    const rejected = await post(payer, 'keysend', { dest_pubkey: nodes[1].pubkey, num_satoshis: 10 });
    expect(rejected).toMatchObject({ status: 400, body: { type: 'not_supported', message: expect.stringContaining('CLN v26') } });
    expect(await service.client.get(`/v1/wallet/${payer.id}`)).toMatchObject({ balance: 1_000, pending_msat: 0 });
    net.always('info', undefined);
  });

  it('creates an invoice with a description hash only from the text that it hashes', async () => {
    await limit({ capabilities: { descriptionHashWithoutText: false } as NodeInfo['capabilities'] });
    await expect.poll(async () => (await service.client.get('/v1/node/default')).capabilities.description_hash_without_text).toBe(false);
    const wallet = await service.client.wallet();
    const description_hash = createHash('sha256').update('a long text').digest('hex');
    const rejected = await post(wallet, 'invoice', { num_satoshis: 10, memo: 'another text', description_hash });
    expect(rejected).toMatchObject({ status: 400, body: { type: 'not_supported', message: expect.stringContaining('memo') } });
    expect((await post(wallet, 'invoice', { num_satoshis: 10, memo: 'a long text', description_hash })).status).toBe(201);
    // The service has the text of a pay link.
    const { url } = await service.client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_payerData: { name: { mandatory: true } } });
    await billFor(await termsOf(url), 10_000, { payerData: { name: 'bob' } });
    net.always('info', undefined);
  });
});
