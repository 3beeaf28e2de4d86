import { type Msat, maxMsat, msat, subMsat, ZERO_MSAT } from '../../src/core/kernel/money.ts';
import type { NodeChannel } from '../../src/core/lightning/node-channel.ts';
import type { PlaygroundChannel } from '../test-network.ts';
import { listedClosing } from './health.ts';
import type { NetworkState } from './network-state.ts';

/** 100 BTC, half of which our node has at first. */
const CAPACITY_MSAT = msat(10_000_000_000_000);

/** Returns the channel of our node to alice, which has no reserve, and those that are being closed. */
export function channelsOf({ identities, tables, health }: NetworkState): NodeChannel[] {
  const localMsat = tables.balance.get('local') ?? ZERO_MSAT;
  return [
    {
      id: identities.secret('channel to alice'),
      peerPubkey: identities.pubkeys.alice,
      peerAlias: 'alice',
      state: health.channel,
      capacityMsat: CAPACITY_MSAT,
      spendableMsat: localMsat,
      receivableMsat: remainderOf(localMsat),
      isPrivate: false,
    },
    ...health.closing.map(listedClosing),
  ];
}

/** Returns the channels of the network. Nothing counts what alice and carol send to each other. */
export function playgroundChannels({ tables }: NetworkState): PlaygroundChannel[] {
  const localMsat = tables.balance.get('local') ?? ZERO_MSAT;
  const half = msat(CAPACITY_MSAT / 2);
  return [
    { nodes: ['hub', 'alice'], capacityMsat: CAPACITY_MSAT, spendableMsat: [localMsat, remainderOf(localMsat)] },
    { nodes: ['alice', 'carol'], capacityMsat: CAPACITY_MSAT, spendableMsat: [half, half] },
  ];
}

function remainderOf(localMsat: Msat): Msat {
  return maxMsat(ZERO_MSAT, subMsat(CAPACITY_MSAT, localMsat));
}
