import type * as ldk from 'lightningdevkit';
import { type Msat, msat } from '../../src/core/kernel/money.ts';
import type { NodeChannel } from '../../src/core/lightning/node-channel.ts';
import type { PlaygroundChannel } from '../test-network.ts';
import { hexOf, msatOf, u64Of } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';
import type { Network } from './network.ts';

/** Returns our side of the channels: the spendable balance, the reserve, and payments in flight. */
export function localBalance(node: LdkNode): Msat {
  let sum = 0n;
  for (const channel of node.manager.list_channels()) {
    sum += channel.get_outbound_capacity_msat();
    sum += (u64Of(channel.get_unspendable_punishment_reserve()) ?? 0n) * 1_000n;
    for (const htlc of channel.get_pending_outbound_htlcs()) sum += htlc.get_amount_msat();
  }
  return msatOf(sum);
}

/** Returns the channels of a node. */
export function channelsOf(network: Network, { manager }: LdkNode): NodeChannel[] {
  const names = namesOf(network);
  return manager.list_channels().map((channel) => {
    const peerPubkey = peerOf(channel);
    return {
      id: hexOf(channel.get_channel_id().get_a()),
      peerPubkey,
      peerAlias: names.get(peerPubkey),
      state: stateOf(channel),
      capacityMsat: capacityOf(channel),
      spendableMsat: msatOf(channel.get_outbound_capacity_msat()),
      receivableMsat: msatOf(channel.get_inbound_capacity_msat()),
      isPrivate: !channel.get_is_announced(),
    };
  });
}

/**
 * Returns all channels of the playground, each of which is a channel of alice. A payment passes the node of a service, then alice, then carol,
 * so the channel to carol is the last one.
 */
export function playgroundChannels(network: Network): PlaygroundChannel[] {
  const names = namesOf(network);
  const channels = network.node('alice').manager.list_channels();
  const described = channels.map((channel): PlaygroundChannel => {
    const peer = names.get(peerOf(channel)) ?? '';
    const capacityMsat = capacityOf(channel);
    const [own, others] = [msatOf(channel.get_outbound_capacity_msat()), msatOf(channel.get_inbound_capacity_msat())];
    if (peer === 'carol') return { nodes: ['alice', peer], capacityMsat, spendableMsat: [own, others] };
    return { nodes: [peer, 'alice'], capacityMsat, spendableMsat: [others, own] };
  });
  const toCarol = ({ nodes }: PlaygroundChannel) => nodes.includes('carol');
  return [...described.filter((one) => !toCarol(one)), ...described.filter(toCarol)];
}

function namesOf({ nodes }: Network): ReadonlyMap<string, string> {
  return new Map([...nodes.values()].map(({ pubkey, name }) => [pubkey, name]));
}

function peerOf(channel: ldk.ChannelDetails): string {
  return hexOf(channel.get_counterparty().get_node_id());
}

function capacityOf(channel: ldk.ChannelDetails): Msat {
  return msat(1000 * Number(channel.get_channel_value_satoshis()));
}

function stateOf(channel: ldk.ChannelDetails): NodeChannel['state'] {
  if (channel.get_is_usable()) return 'active';
  return channel.get_is_channel_ready() ? 'inactive' : 'opening';
}
