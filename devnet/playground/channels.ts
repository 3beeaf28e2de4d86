import { randomBytes } from 'node:crypto';
import { type ChannelId, type Event, Event_FundingGenerationReady } from 'lightningdevkit';
import { NODE_NAMES } from '../../src/lightning/test-network.ts';
import { bytesOf, unwrap } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';
import type { Network } from './network.ts';

/** 50 BTC a channel, half of it on each side. */
const CHANNEL_SAT = 5_000_000_000n;
/** A channel is announced, and so becomes part of the others' routes, at this depth (BOLT 7). */
const ANNOUNCEMENT_DEPTH = 6;

/** Opens hub — alice and alice — carol in a new network; all of it belongs to the open transaction. */
export function openChannels(network: Network): void {
  const { hub, alice, carol } = network.nodes;
  network.deliverEventsTo(fund);
  network.pump();
  for (const [from, to] of [
    [hub, alice],
    [alice, carol],
  ] as const) {
    const opened = from.manager.create_channel(bytesOf(to.pubkey), CHANNEL_SAT, (CHANNEL_SAT / 2n) * 1_000n, 0n, null, null);
    unwrap<ChannelId>(opened, `open a channel from ${from.name} to ${to.name}`);
    network.pump();
  }
  network.mine(ANNOUNCEMENT_DEPTH + 1);
  network.pump();
  for (const name of NODE_NAMES) {
    const node = network.nodes[name];
    const usable = node.manager.list_usable_channels().length;
    if (usable !== (node === alice ? 2 : 1) || node.knownChannels() !== 2) {
      throw new Error(`${name} has ${usable} usable channels and knows ${node.knownChannels()}`);
    }
    node.saveAll();
  }
}

function fund(node: LdkNode, event: Event): void {
  if (!(event instanceof Event_FundingGenerationReady)) return;
  const tx = fundingTransaction(event.channel_value_satoshis, event.output_script);
  const given = node.manager.funding_transaction_generated(event.temporary_channel_id, event.counterparty_node_id, tx);
  unwrap(given, 'fund a channel');
}

/** A transaction out of nothing: its one input spends what never was. LDK wants a witness and checks no signature. */
function fundingTransaction(valueSat: bigint, script: Uint8Array): Uint8Array {
  const value = Buffer.alloc(8);
  value.writeBigUInt64LE(valueSat);
  const hex = (text: string) => Buffer.from(text, 'hex');
  return new Uint8Array(
    Buffer.concat([
      hex('02000000' + '0001' + '01'),
      randomBytes(32),
      hex('00000000' + '00' + 'ffffffff' + '01'),
      value,
      Buffer.from([script.length]),
      script,
      hex('01' + '01' + '01' + '00000000'),
    ]),
  );
}
