import { describe, expect, it } from 'vitest';
import type { NodeConnection } from '../../src/core/connection/connection.ts';
import { NodeConnections } from '../../src/core/connection/connections.ts';
import type { Database } from '../../src/core/db/database.ts';
import { onFakeNode } from '../support/app.ts';
import { startReceiver } from './receiver.ts';

onFakeNode('a receiver on this machine, on a test network', ({ client }) => {
  const receiver = startReceiver();

  it('gets events without a setting, at its address and at localhost', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = receiver.url(`/${host}`).replace('127.0.0.1', host);
      const { id } = await client.post('/v1/webhooks', { url });
      await client.post(`/v1/webhooks/${id}/test`, {});
      await expect.poll(() => receiver.received.map(({ path }) => path)).toContain(`/${host}`);
    }
  });

  it('needs a port from 1024 on', async () => {
    const { status, body } = await client.request('POST', '/v1/webhooks', { key: client.secretKey, json: { url: 'http://localhost:25/' } });
    expect([status, body.message]).toEqual([400, expect.stringMatching(/OUTBOUND_ALLOW=localhost:25\.$/)]);
  });
});

onFakeNode(
  'a receiver on this machine, of a service that is published',
  ({ client }) => {
    it('is refused with the setting that allows it', async () => {
      const json = { url: 'http://127.0.0.1:8080/hook' };
      const { status, body } = await client.request('POST', '/v1/webhooks', { key: client.secretKey, json });
      expect({ status, type: body.type }).toEqual({ status: 400, type: 'validation_failed' });
      expect(body.message).toMatch(/For a receiver on this machine, the operator sets OUTBOUND_ALLOW=127\.0\.0\.1:8080\.$/);
    });
  },
  { PUBLIC_URL: 'https://wallets.invalid' },
);

describe('nodes', () => {
  const onNetworks = (...networks: (string | undefined)[]) => {
    const all = networks.map((network) => ({ wasReached: () => network !== undefined, identity: () => ({ network }) }));
    return new NodeConnections(all as unknown as NodeConnection[], [], {} as Database).areOnTestNetworks();
  };

  it.each([
    [true, ['regtest']],
    [true, ['signet', 'testnet']],
    [false, ['bitcoin']],
    [false, ['regtest', 'bitcoin']],
    [false, ['regtest', undefined]],
  ])('are on test networks: %s for %j', (expected, networks) => {
    expect(onNetworks(...networks)).toBe(expected);
  });
});
