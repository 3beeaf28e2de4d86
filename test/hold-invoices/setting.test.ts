import { expect, it } from 'vitest';
import type { NodeInfo } from '../../src/core/lightning/node.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';

const RISK = 'LND 0.21.2-beta may lose a channel for good if it restarts while a payment is held';
const HASH = 'ab'.repeat(32);

/** Lets the node report a risk of hold invoices. */
async function setRisk({ net, client }: FakeNodeApp): Promise<void> {
  const info: NodeInfo = await net.connect().info();
  net.always('info', { instead: { ...info, holdInvoiceRisk: RISK } });
  await client.get('/v1/node/default');
}

const create = ({ client }: FakeNodeApp, wallet: { readonly id: string }) =>
  client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: client.secretKey, json: { num_satoshis: 1, hold_hash: HASH } });

onFakeNode('hold invoices on a node that they endanger', (service) => {
  it('are not offered without HOLD_INVOICES, and creating one is refused with the reason', async () => {
    await setRisk(service);
    const wallet = await service.client.wallet();
    const refused = await create(service, wallet);
    expect(refused).toMatchObject({ status: 400, body: { type: 'not_supported' } });
    expect(refused.body.message).toContain(`${RISK}. The operator can allow hold invoices with HOLD_INVOICES=true`);
    expect(await service.client.get('/v1/node/default')).toMatchObject({ capabilities: { hold_invoices: false } });
    expect((await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1 })).settled).toBe(0);
  });
});

onFakeNode(
  'HOLD_INVOICES=true',
  (service) => {
    it('offers hold invoices also on a node that they endanger', async () => {
      await setRisk(service);
      expect(await create(service, await service.client.wallet())).toMatchObject({ status: 201 });
      expect(await service.client.get('/v1/node/default')).toMatchObject({ capabilities: { hold_invoices: true } });
    });
  },
  { HOLD_INVOICES: 'true' },
);

onFakeNode(
  'HOLD_INVOICES=false',
  (service) => {
    it('offers hold invoices on no node', async () => {
      const refused = await create(service, await service.client.wallet());
      expect(refused).toMatchObject({
        status: 400,
        body: { type: 'not_supported', message: expect.stringContaining('HOLD_INVOICES=false') },
      });
      expect(await service.client.get('/v1/node/default')).toMatchObject({ capabilities: { hold_invoices: false } });
    });
  },
  { HOLD_INVOICES: 'false' },
);
