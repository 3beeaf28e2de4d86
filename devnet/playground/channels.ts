import { randomBytes } from 'node:crypto';
import type * as ldk from 'lightningdevkit';
import { bytesOf, hexOf, unwrap } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';
import type { Network } from './network.ts';

/** 50 BTC. Each side has half of it. */
const CHANNEL_SAT = 5_000_000_000n;
/** Channels are announced, so that other nodes can route through them, at this depth. Source: BOLT7. */
const ANNOUNCEMENT_DEPTH = 6;
/** The blocks that confirm new channels. */
export const BLOCKS_PER_OPENING = ANNOUNCEMENT_DEPTH + 1;

/**
 * Opens channels between connected nodes, in the open transaction.
 *
 * No channel is confirmed in the first block: LDK chooses the aliases of channels there, while the chain is shorter than a month. With an alias that
 * is the id of another channel, the node could not be restored.
 */
export function openChannels(network: Network, pairs: readonly (readonly [LdkNode, LdkNode])[]): void {
  if (!network.chain.tip) network.mine(1);
  network.runUntilIdle();
  for (const [from, to] of pairs) {
    const opened = from.manager.create_channel(bytesOf(to.pubkey), CHANNEL_SAT, (CHANNEL_SAT / 2n) * 1_000n, 0n, null, null);
    unwrap<ldk.ChannelId>(opened, `open a channel from ${from.name} to ${to.name}`);
    network.runUntilIdle();
  }
  network.mine(BLOCKS_PER_OPENING);
  network.runUntilIdle();
  requireAnnounced(network);
}

/** Every node must know every channel. Alice has a channel with each other node. */
function requireAnnounced({ nodes }: Network): void {
  const channels = nodes.size - 1;
  for (const [name, node] of nodes) {
    const usable = node.manager.list_usable_channels().length;
    if (usable !== (name === 'alice' ? channels : 1) || node.knownChannels() !== channels) {
      throw new Error(`${name} has ${usable} usable channels and knows ${node.knownChannels()} of ${channels}`);
    }
    node.saveAll();
  }
}

/** Gives a new channel of a node its money. */
export function fund(node: LdkNode, event: ldk.Event_FundingGenerationReady): void {
  const tx = fundingTransaction(event.channel_value_satoshis, event.output_script);
  const given = node.manager.funding_transaction_generated(event.temporary_channel_id, event.counterparty_node_id, tx);
  unwrap(given, 'fund a channel');
}

/** Returns a transaction whose only input does not exist. LDK requires a witness and does not check its signature. */
function fundingTransaction(valueSat: bigint, script: Uint8Array): Uint8Array {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(valueSat);
  const input = `${hexOf(randomBytes(32))}0000000000ffffffff`;
  const output = hexOf(value) + hexOf(Buffer.from([script.length])) + hexOf(script);
  const [version, segwit, witness, lockTime] = ['02000000', '0001', '010101', '00000000'];
  return bytesOf(`${version}${segwit}01${input}01${output}${witness}${lockTime}`);
}
