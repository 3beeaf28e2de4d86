import { describe, expect, it } from 'vitest';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import { NotPermitted } from '../../../src/core/lightning/node.ts';
import type { NodeChannel } from '../../../src/core/lightning/node-channel.ts';
import { silentLog as log } from '../../support/ledger.ts';
import { type Answer, replayOnRest, replayOnSocket } from './replay.ts';

async function listed(answer: Answer): Promise<readonly NodeChannel[]> {
  const { url } = await replayOnSocket({ listpeerchannels: answer });
  return (await openCln({ url, log }).listChannels?.()) ?? [];
}

const EXT = '03903ead446a9c8144123a3f7bcec064fcde75aae59c1780f263eb3ca6a84dbb63';

describe('the channels of a Core Lightning', () => {
  it('are open, opening and closing ones, with what can be sent and received', async () => {
    const channels = await listed('listpeerchannels-states');
    expect(
      channels.map(({ state, capacityMsat, spendableMsat, receivableMsat, isPrivate }) => ({
        state,
        capacityMsat,
        spendableMsat,
        receivableMsat,
        isPrivate,
      })),
    ).toEqual([
      { state: 'active', capacityMsat: 16_000_000_000, spendableMsat: 7_835_709_000, receivableMsat: 7_840_000_000, isPrivate: false },
      { state: 'active', capacityMsat: 2_000_000_000, spendableMsat: 1_475_709_000, receivableMsat: 480_000_000, isPrivate: true },
      { state: 'closing', capacityMsat: 3_000_000_000, spendableMsat: 0, receivableMsat: 0, isPrivate: false },
      { state: 'opening', capacityMsat: 5_000_000_000, spendableMsat: 0, receivableMsat: 0, isPrivate: false },
    ]);
    for (const { id, peerPubkey, peerAlias } of channels) {
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect([peerPubkey, peerAlias]).toEqual([EXT, undefined]);
    }
  });

  it('are inactive while the peer is away', async () => {
    const states = (await listed('listpeerchannels-peer-away')).map(({ state }) => state);
    expect(states).toEqual(['inactive', 'inactive', 'closing', 'opening']);
  });

  it('are inactive until they are reestablished, and in a state that is not known', async () => {
    const channel = {
      peer_id: EXT,
      channel_id: 'aa',
      peer_connected: true,
      total_msat: 5_000,
      spendable_msat: 2_000,
      receivable_msat: 1_000,
    };
    const channels = await listed({
      result: {
        channels: [
          { ...channel, state: 'CHANNELD_NORMAL', reestablished: false },
          { ...channel, state: 'CHANNELD_DREAMING', reestablished: true },
          { ...channel, state: 'CHANNELD_AWAITING_SPLICE', reestablished: true },
        ],
      },
    });
    expect(channels.map(({ state, spendableMsat }) => [state, spendableMsat])).toEqual([
      ['inactive', 2_000],
      ['inactive', 2_000],
      ['active', 2_000],
    ]);
  });

  it('may lack any field: a missing amount is 0', async () => {
    const bare = { peer_id: EXT, peer_connected: true, state: 'OPENINGD' };
    const odd = { ...bare, state: 'CHANNELD_NORMAL', total_msat: -1, spendable_msat: 1.5, receivable_msat: '12msat' };
    const channels = await listed({ result: { channels: [bare, odd, bare] } });
    expect(new Set(channels.map(({ id }) => id)).size).toBe(3);
    for (const channel of channels) expect(channel).toMatchObject({ capacityMsat: undefined, spendableMsat: 0, receivableMsat: 0 });
  });

  it('are all listed if there are 2,000', async () => {
    const channel = { peer_id: EXT, peer_connected: true, state: 'CHANNELD_NORMAL', total_msat: 5_000, spendable_msat: 2_000 };
    const channels = Array.from({ length: 2_000 }, (_, i) => ({ ...channel, channel_id: `${i}` }));
    expect(await listed({ result: { channels } })).toHaveLength(2_000);
  });

  it('are not permitted to a rune without listpeerchannels', async () => {
    const { url } = await replayOnRest();
    const node = openCln({ url: url.replace(/rune=[^&]*/, `rune=${Buffer.from('another rune').toString('base64url')}`), log });
    await expect(node.listChannels?.()).rejects.toThrow(NotPermitted);
    await node.close();
  });
});
