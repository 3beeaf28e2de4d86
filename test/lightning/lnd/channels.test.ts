import { describe, expect, it } from 'vitest';
import { NotPermitted } from '../../../src/core/lightning/node.ts';
import type { NodeChannel } from '../../../src/core/lightning/node-channel.ts';
import { recording } from './recordings.ts';
import { scriptedLnd } from './scripted-lnd.ts';

const open = scriptedLnd();

const LIST = '/v1/channels?peer_alias_lookup=true';
const OPENED = 'ListChannels: two of three that we opened, one private';
const PENDING = 'PendingChannels: one opening, two waiting to be closed';

async function listed(channels: string | object, pending: string | object = PENDING): Promise<readonly NodeChannel[]> {
  const { lnd, node } = await open();
  const answer = (given: string | object) => (typeof given === 'string' ? recording('17-channels', given).response : { body: given });
  lnd.on(`GET ${LIST}`, answer(channels)).on('GET /v1/channels/pending', answer(pending));
  return (await node.listChannels?.()) ?? [];
}

interface LndAmounts {
  readonly fee_per_kw: string;
  readonly local_balance: string;
  readonly local_constraints: { readonly chan_reserve_sat: string; readonly dust_limit_sat: string };
  readonly remote_constraints: { readonly chan_reserve_sat: string };
}

const NONE = { pending_open_channels: [], pending_force_closing_channels: [], waiting_close_channels: [] };
const BOB = '0201aff4ab9a930117ff561053829700ddd1d4921b5c38de320901cae964207ee3';

describe('the channels of an LND', () => {
  it('are open, opening and closing ones, with the peer', async () => {
    const channels = await listed(OPENED);
    expect(channels.map(({ state, capacityMsat }) => [state, capacityMsat]).sort()).toEqual([
      ['active', 16_000_000_000],
      ['active', 2_000_000_000],
      ['closing', 3_000_000_000],
      ['closing', 4_000_000_000],
      ['opening', 5_000_000_000],
    ]);
    for (const { id, peerPubkey } of channels) {
      expect(id).toMatch(/^[0-9a-f]{64}:\d+$/);
      expect(peerPubkey).toBe(BOB);
    }
    expect(new Set(channels.map(({ id }) => id)).size).toBe(channels.length);
  });

  it('can send their balance less the channel reserve and the fees of the opener, and have an amount to receive', async () => {
    const channels = await listed(OPENED, NONE);
    expect(channels.find(({ isPrivate }) => !isPrivate)).toEqual({
      id: '68e582ae17fd8ceb20cd9c69fc5ea2843ae89e17d848e43091d9b97e3f06b7a7:0',
      peerPubkey: BOB,
      peerAlias: 'bob',
      state: 'active',
      capacityMsat: 16_000_000_000,
      // 2 × 500 sat per kilo-weight × (1124 + 2 × 172) weight = 1468 sat, of which 562 are already paid.
      spendableMsat: 1000 * (7_998_778 - 160_000 - (1468 - 562)),
      receivableMsat: 1000 * (8_000_000 - 160_000),
      isPrivate: false,
    });
    expect(channels.find(({ isPrivate }) => isPrivate)).toMatchObject({ capacityMsat: 2_000_000_000, receivableMsat: 480_000_000 });
  });

  it('subtract no fees if the peer has opened the channel', async () => {
    const channels = await listed('ListChannels: the peer has opened them', NONE);
    expect(channels.find(({ capacityMsat }) => capacityMsat === 16_000_000_000)).toMatchObject({
      spendableMsat: 1000 * (8_000_000 - 160_000),
      receivableMsat: 1000 * (7_998_778 - 160_000 - (1468 - 562)),
    });
  });

  it('can only send dust if the peer, who has opened the channel, cannot pay the fee of one more HTLC', async () => {
    const { channels } = recording('17-channels', 'ListChannels: the peer has opened them').response.body as { channels: object[] };
    const spendable = async (remote_balance: number) => {
      const [channel] = await listed({ channels: [{ ...channels[0], remote_balance: String(remote_balance) }] }, NONE);
      return channel?.spendableMsat;
    };
    const { remote_constraints, fee_per_kw, local_balance, local_constraints } = channels[0] as never as LndAmounts;
    const enough = Number(remote_constraints.chan_reserve_sat) + Math.floor((Number(fee_per_kw) * 172) / 1000);
    expect(await spendable(enough)).toBe(1000 * (Number(local_balance) - Number(local_constraints.chan_reserve_sat)));
    expect(await spendable(enough - 1)).toBe(1000 * (Number(local_constraints.dust_limit_sat) - 1));
  });

  it('are inactive while the peer is away', async () => {
    const channels = await listed('ListChannels: the peer is away', NONE);
    expect(channels.length).toBeGreaterThan(0);
    for (const { state, spendableMsat } of channels) {
      expect(state).toBe('inactive');
      expect(spendableMsat).toBeGreaterThan(0);
    }
  });

  it('are closing after one side has closed them by force, and nothing can be sent over them', async () => {
    const channels = await listed({ channels: [] }, 'PendingChannels: one closed by force');
    expect(channels).toMatchObject([{ state: 'closing', capacityMsat: 4_000_000_000, spendableMsat: 0, receivableMsat: 0 }]);
  });

  it('are listed once if a channel opens between the two calls', async () => {
    const { channels } = recording('17-channels', OPENED).response.body as { channels: { channel_point: string }[] };
    const opened = { channel: { ...channels[0], remote_node_pub: BOB } };
    const both = await listed({ channels }, { ...NONE, pending_open_channels: [opened] });
    expect(both).toHaveLength(channels.length);
    expect(both.every(({ state }) => state === 'active')).toBe(true);
  });

  it('may lack any field: a missing amount is 0, a missing alias is undefined', async () => {
    const [known] = (recording('17-channels', OPENED).response.body as { channels: object[] }).channels;
    const changes = [
      { peer_alias: 'unable to lookup peer alias: alias for node not found' },
      { peer_alias: '', local_balance: '-5', remote_balance: '99999999999999999999', capacity: 'x' },
      { fee_per_kw: undefined, commit_weight: undefined, local_constraints: undefined, remote_constraints: undefined, private: undefined },
    ];
    const channels = changes.map((change, i) => ({ ...known, ...change, channel_point: `${i}` }));
    const [unknown, odd, bare] = await listed({ channels, more: 'fields' }, {});
    expect(unknown?.peerAlias).toBeUndefined();
    expect(odd).toMatchObject({ peerAlias: undefined, capacityMsat: undefined, spendableMsat: 0, receivableMsat: 0 });
    expect(bare?.isPrivate).toBe(false);
    expect(await listed({}, { waiting_close_channels: [{}] })).toEqual([]);
  });

  it('are all listed if there are 2,000', async () => {
    const [known] = (recording('17-channels', OPENED).response.body as { channels: object[] }).channels;
    const channels = Array.from({ length: 2_000 }, (_, i) => ({ ...known, channel_point: `${i}` }));
    expect(await listed({ channels }, NONE)).toHaveLength(2_000);
  });

  it('are not permitted to a macaroon without ListChannels', async () => {
    await expect(listed('ListChannels: not permitted')).rejects.toThrow(NotPermitted);
  });
});
