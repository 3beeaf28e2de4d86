import { expect, it } from 'vitest';
import type { NodeConnection } from '../../src/core/connection/connection.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { readChannels } from '../../src/features/operator/channels-object.ts';

const clock = { nowMs: () => 5_000 };

function connectionWith(node: object): NodeConnection {
  return { call: async (call: (adapter: object) => unknown) => call(node) } as unknown as NodeConnection;
}

it('channels are not known on a node whose adapter cannot list them', async () => {
  expect(await readChannels(connectionWith({}), clock)).toMatchObject({
    status: 'unsupported',
    status_reason: null,
    num_channels: null,
    channels: [],
  });
});

it('channels of a node that does not answer are refused with its reason', async () => {
  const listChannels = () => Promise.reject(new Error('the port is closed'));
  await expect(readChannels(connectionWith({ listChannels }), clock)).rejects.toThrow(Refusal);
  await expect(readChannels(connectionWith({ listChannels }), clock)).rejects.toThrow('the port is closed');
});
