import { expect, it } from 'vitest';
import { eventNumber } from '../../devnet/event-position.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { HttpResponse, TestWallet } from '../support/client.ts';

const balances = async ({ client }: FakeNodeApp, wallet: TestWallet) => {
  const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
  return { balance_msat, pending_msat };
};

function withdraw({ client }: FakeNodeApp, wallet: TestWallet, paymentRequest: string, prefer = ''): Promise<HttpResponse> {
  const json = { payment_request: paymentRequest, fee_limit_msat: 0 };
  return client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json, headers: { prefer } });
}

const namesWallet = ({ id }: TestWallet) => ({ '696969': Buffer.from(id).toString('hex') });

/** Moves money in every way: 100 sat out, 10 sat to the other wallet, 7 sat in by an invoice, 3 sat in by keysend. */
async function moveMoney(service: FakeNodeApp, wallet: TestWallet, friend: TestWallet): Promise<void> {
  const { net, client } = service;
  expect((await withdraw(service, wallet, net.outside.invoice({ amountMsat: 100_000 }).paymentRequest)).status).toBe(201);
  const inside = await client.post(`/v1/wallet/${friend.id}/invoice`, { num_satoshis: 10 });
  expect((await withdraw(service, wallet, inside.payment_request)).status).toBe(201);
  const incoming = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 7 });
  expect(await net.outside.pay({ paymentRequest: incoming.payment_request })).toMatchObject({ state: 'succeeded' });
  expect(await net.outside.keysend({ amountMsat: 3_000, customRecords: namesWallet(wallet) })).toMatchObject({ state: 'succeeded' });
}

const isAlerted = async (service: FakeNodeApp) => (await service.openAlerts()).some(({ kind }) => kind === 'node_restored');

async function keptPosition({ rows }: FakeNodeApp): Promise<string> {
  const [row] = await rows('SELECT event_position AS value FROM lightning_node');
  return String(row?.value);
}

/** Waits until every event of the node is booked and the position of the last one is stored. */
async function untilRead(service: FakeNodeApp): Promise<void> {
  await expect.poll(() => keptPosition(service)).toBe(Object.values(service.net.state().events).at(-1)?.position);
}

onFakeNode('a node that was restored from an older backup', (service) => {
  const { net } = service;

  it('is detected while its last event is before the stored position: all is booked once, with an alert', async () => {
    const [wallet, friend] = [await service.client.wallet(1000), await service.client.wallet()];
    const backup = net.backup();
    await moveMoney(service, wallet, friend);
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
    await untilRead(service);
    const behind = eventNumber(await keptPosition(service));
    net.restore(backup);
    await expect.poll(() => isAlerted(service)).toBe(true);
    expect(await net.outside.keysend({ amountMsat: 5_000, customRecords: namesWallet(wallet) })).toMatchObject({ state: 'succeeded' });
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 905_000, pending_msat: 0 });
    await untilRead(service);
    expect(eventNumber(await keptPosition(service))).toBeLessThan(behind);
    await moveMoney(service, wallet, friend);
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 805_000, pending_msat: 0 });
    expect(await balances(service, friend)).toEqual({ balance_msat: 20_000, pending_msat: 0 });
    await service.restart();
    await untilRead(service);
    expect(await balances(service, wallet)).toEqual({ balance_msat: 805_000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });
});

onFakeNode('a node that was restored and has reported more events since', (service) => {
  const { net } = service;

  it('is detected although its last event is after the stored position: all is booked once, with an alert', async () => {
    const [wallet, friend] = [await service.client.wallet(1000), await service.client.wallet()];
    await untilRead(service);
    const backup = net.backup();
    await moveMoney(service, wallet, friend);
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
    await untilRead(service);
    await service.restart(async () => {
      net.restore(backup);
      const node = net.connect();
      node.guardIncoming(async () => 'claim');
      for (let i = 0; i < 10; i++) await net.outside.keysend({ amountMsat: 1_000, customRecords: namesWallet(friend) });
      await node.close();
    });
    await expect.poll(() => balances(service, friend)).toEqual({ balance_msat: 20_000, pending_msat: 0 });
    expect(await isAlerted(service)).toBe(true);
    expect(await balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
    expect(await service.problems()).toEqual([]);
  });
});

onFakeNode('a node that was restored and has lost payments', (service) => {
  const { net } = service;

  it('leaves a payment pending that it had confirmed, and does not get it a second time', async () => {
    const wallet = await service.client.wallet(1000);
    await untilRead(service);
    const backup = net.backup();
    const held = net.outside.invoice({ amountMsat: 200_000, script: { hold: true } });
    const response = await withdraw(service, wallet, held.paymentRequest, 'respond-async');
    expect(response.status).toBe(202);
    await expect.poll(() => net.outside.payments().find(({ paymentHash }) => paymentHash === held.paymentHash)?.state).toBe('pending');
    // No event was read since the backup. Only the node's response to the payment shows that it must not be sent again.
    await service.restart(() => net.restore(backup));
    net.outside.resolveHold(held.paymentHash, 'settle');
    await service.restart();
    expect(await net.outside.keysend({ amountMsat: 1_000, customRecords: namesWallet(wallet) })).toMatchObject({ state: 'succeeded' });
    await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 801_000, pending_msat: 200_000 });
    expect(await service.client.get(`/v1/lntx/${response.body.lnTx.id}`)).toMatchObject({ status: 'pending', settled: 0 });
    expect(net.outside.payments().filter(({ paymentHash }) => paymentHash === held.paymentHash)).toMatchObject([{ state: 'succeeded' }]);
    expect(await service.problems()).toEqual([]);
  });

  it('leaves a payment pending although the first call had no response', async () => {
    const wallet = await service.client.wallet(1000);
    const backup = net.backup();
    const held = net.outside.invoice({ amountMsat: 200_000, script: { hold: true } });
    net.next('pay', { lose: 'answer' });
    const response = await withdraw(service, wallet, held.paymentRequest, 'respond-async');
    expect(response.status).toBe(202);
    await moveMoney(service, wallet, await service.client.wallet());
    await untilRead(service);
    await service.restart(() => net.restore(backup));
    net.outside.resolveHold(held.paymentHash, 'settle');
    await service.restart();
    await untilRead(service);
    expect(await service.client.get(`/v1/lntx/${response.body.lnTx.id}`)).toMatchObject({ status: 'pending', settled: 0 });
    expect(await balances(service, wallet)).toEqual({ balance_msat: 700_000, pending_msat: 200_000 });
    expect(await service.problems()).toEqual([]);
  });
});
