import { expect, it } from 'vitest';
import type { NodeChannel } from '../../src/core/lightning/node-channel.ts';
import { onFakeNode, onTwoFakeNodes } from '../support/app.ts';
import type { Json } from '../support/client.ts';

/** Reads of the same second share the request to the node. */
const FRESH_MS = 1_100;

function channel(changes: Partial<NodeChannel> & Pick<NodeChannel, 'id'>): NodeChannel {
  const amounts = { capacityMsat: 5_000_000, spendableMsat: 2_000_000, receivableMsat: 1_000_000 } as Partial<NodeChannel>;
  return { peerPubkey: '02'.repeat(33), peerAlias: undefined, state: 'active', isPrivate: false, ...amounts, ...changes } as NodeChannel;
}

onFakeNode('the channels of a node', (service) => {
  const { client, net } = service;
  const nodeId = async (): Promise<string> => (await client.get('/v1/operator/overview')).nodes[0].id;
  const path = async (query = '') => `/v1/operator/nodes/${await nodeId()}/channels${query}`;
  async function send(query = '') {
    await new Promise((resolve) => setTimeout(resolve, FRESH_MS));
    return client.request('GET', await path(query), { key: client.secretKey });
  }
  async function listing(channels: readonly object[], query = '') {
    net.always('listChannels', { instead: channels });
    try {
      return await send(query);
    } finally {
      net.always('listChannels', undefined);
    }
  }

  it('are read from the node, and change with a payment', async () => {
    const { body: before } = await send();
    expect(before).toMatchObject({
      ln_node_id: await nodeId(),
      status: 'known',
      status_reason: null,
      num_channels: { active: 1, inactive: 0, opening: 0, closing: 0 },
    });
    const [only] = before.channels;
    expect(only).toMatchObject({ peer_alias: 'alice', status: 'active', is_private: false, spendable_msat: before.spendable_msat });
    expect(only.spendable_msat + only.receivable_msat).toBe(only.capacity_msat);
    await client.wallet(700);
    const { body: after } = await send();
    expect(after.spendable_msat - before.spendable_msat).toBe(700_000);
    expect(after.receivable_msat - before.receivable_msat).toBe(-700_000);
  });

  it('are counted by status, and only active ones can send and receive', async () => {
    const { body } = await listing([
      channel({ id: 'closing', state: 'closing' }),
      channel({ id: 'small', capacityMsat: 9 as never }),
      channel({ id: 'away', state: 'inactive' }),
      channel({ id: 'large' }),
      channel({ id: 'opening', state: 'opening', capacityMsat: undefined }),
    ]);
    expect(body.channels.map(({ id }: Json) => id)).toEqual(['large', 'small', 'away', 'opening', 'closing']);
    expect(body).toMatchObject({
      spendable_msat: 4_000_000,
      receivable_msat: 2_000_000,
      num_channels: { active: 2, inactive: 1, opening: 1, closing: 1 },
    });
    expect(body.channels[3]).toMatchObject({ capacity_msat: null, peer_alias: null });
  });

  it('are none on a node without channels', async () => {
    const { body } = await listing([]);
    expect(body).toMatchObject({ status: 'known', spendable_msat: 0, receivable_msat: 0, channels: [] });
  });

  it('are listed in pages, with the sums of all', async () => {
    const many = Array.from({ length: 2_000 }, (_, i) => channel({ id: `c${i}`, peerAlias: 'x'.repeat(5_000) }));
    const { body: first } = await listing(many, '?per-page=500');
    const { body, headers } = await listing(many, `?per-page=500&count=1&after=${first.channels[99].id}`);
    expect(new Set([...first.channels, ...body.channels].map(({ id }) => id)).size).toBe(200);
    expect(body.channels).toHaveLength(100);
    expect(body.channels[0].peer_alias).toHaveLength(64);
    expect(body.spendable_msat).toBe(2_000 * 2_000_000);
    expect(headers.get('x-pagination-total-count')).toBe('2000');
    expect(JSON.stringify(body).length).toBeLessThan(250_000);
    expect(headers.get('link')).toContain(`after=${body.channels[99].id}`);
    expect((await listing(many, '?after=unknown')).status).toBe(400);
  });

  it('keep any alias as text', async () => {
    const peerAlias = '<img src=x onerror=alert(1)>\u202e\u0000\ud800';
    const { body } = await listing([channel({ id: 'odd', peerAlias })]);
    expect(body.channels[0].peer_alias).toBe('<img src=x onerror=alert(1)>\u202e\u0000\ufffd');
  });

  it('are not known if the credential does not permit listing them', async () => {
    net.always('listChannels', { notPermitted: true });
    const { status, body } = await send();
    net.always('listChannels', undefined);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'not_permitted', spendable_msat: null, num_channels: null, channels: [] });
    expect(body.status_reason).toContain('does not permit');
  });

  it.each([{ unavailable: true }, { lose: 'answer' }, { instead: null }] as const)(
    'are not read while the node does not answer: %o',
    async (fault) => {
      net.always('listChannels', fault);
      const { status, body } = await send();
      net.always('listChannels', undefined);
      expect(status).toBe(503);
      expect(body).toMatchObject({ type: 'node_unavailable', message: expect.stringContaining('does not list its channels') });
      expect((await send()).status).toBe(200);
    },
  );

  it('are requested once from the node by requests at the same time', async () => {
    await new Promise((resolve) => setTimeout(resolve, FRESH_MS));
    net.next('listChannels', { instead: [channel({ id: 'once' })] });
    const address = await path();
    const answers = await Promise.all([1, 2, 3].map(() => client.get(address)));
    expect(answers.map(({ channels }) => channels[0].id)).toEqual(['once', 'once', 'once']);
  });

  it('do not exist for an unknown node', async () => {
    const { status } = await client.request('GET', '/v1/operator/nodes/lnd_0/channels', { key: client.secretKey });
    expect(status).toBe(404);
  });
});

onTwoFakeNodes('the channels of two nodes', ({ client, nets }) => {
  it('are read from each, and from one while the other is away', async () => {
    const { nodes } = await client.get('/v1/operator/overview');
    nets[1].addFunds(1_000);
    const read = (index: number) => client.request('GET', `/v1/operator/nodes/${nodes[index].id}/channels`, { key: client.secretKey });
    const [first, second] = [await read(0), await read(1)];
    expect(second.body.spendable_msat - first.body.spendable_msat).toBe(1_000);
    for (const call of ['info', 'listChannels'] as const) nets[1].always(call, { unavailable: true });
    await new Promise((resolve) => setTimeout(resolve, FRESH_MS));
    expect([(await read(0)).status, (await read(1)).status]).toEqual([200, 503]);
  });
});
