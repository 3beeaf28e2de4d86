import { randomBytes } from 'node:crypto';
import {
  BestBlock,
  ChainParameters,
  type ChannelDetails,
  ChannelManager,
  type ChannelMonitor,
  type Confirm,
  type EventHandler,
  type EventsProvider,
  Network,
  Option_UtxoLookupZ,
  P2PGossipSync,
  PeerManager,
  type Route,
  type RouteParameters,
  type TwoTuple_ThirtyTwoBytesChannelManagerZ,
  type TwoTuple_ThirtyTwoBytesChannelMonitorZ,
  TwoTuple_usizeTransactionZ,
  UtilMethods,
} from 'lightningdevkit';
import type { NodeName } from '../../src/lightning/test-network.ts';
import { hexOf, u64Of, unwrap } from './bindings.ts';
import type { Block } from './chain.ts';
import { type LdkParts, makeParts, type Surroundings, saveGraph } from './ldk-parts.ts';
import { readLdk, writeLdk } from './monitor-store.ts';
import { nodeConfig } from './node-config.ts';

/** One real Lightning node. */
export class LdkNode {
  readonly name: NodeName;
  /** 33 bytes in hex. */
  readonly pubkey: string;
  readonly manager: ChannelManager;
  readonly peers: PeerManager;
  readonly #events: EventsProvider;
  readonly #confirms: readonly Confirm[];
  readonly #parts: LdkParts;
  readonly #around: Surroundings;
  /** The bindings hold these weakly, so they are held here. */
  readonly kept: readonly unknown[];

  constructor(name: NodeName, around: Surroundings, parts: LdkParts, manager: ChannelManager) {
    this.name = name;
    this.manager = manager;
    this.pubkey = hexOf(manager.get_our_node_id());
    this.#around = around;
    this.#parts = parts;
    this.#events = manager.as_EventsProvider();
    this.#confirms = [manager.as_Confirm(), parts.confirm];
    const gossip = P2PGossipSync.constructor_new(parts.graph, Option_UtxoLookupZ.constructor_none(), parts.logger);
    const handlers = [
      manager.as_ChannelMessageHandler(),
      gossip.as_RoutingMessageHandler(),
      parts.ignore.as_OnionMessageHandler(),
      parts.ignore.as_CustomMessageHandler(),
    ] as const;
    const now = Math.floor(Date.now() / 1000);
    this.peers = PeerManager.constructor_new(...handlers, now, new Uint8Array(randomBytes(32)), parts.logger, parts.signer);
    this.kept = [gossip, handlers];
  }

  /** Tells the node of a block, or of the tip's newer time. */
  connect(block: Block): void {
    for (const confirm of this.#confirms) {
      if (block.txs.length > 0) {
        const txs = block.txs.map((tx, index) => TwoTuple_usizeTransactionZ.constructor_new(index, tx));
        confirm.transactions_confirmed(block.header, txs, block.height);
      }
      confirm.best_block_updated(block.header, block.height);
    }
  }

  processEvents(handler: EventHandler): void {
    this.#events.process_pending_events(handler);
  }

  /** Writes the channel manager if it changed; in the same transaction as the monitors that changed with it. */
  save(): void {
    if (this.manager.get_and_clear_needs_persistence()) this.#write();
  }

  /** After channels were made. */
  saveAll(): void {
    this.#write();
    saveGraph(this.name, this.#around.store, this.#parts.graph);
  }

  /** How many channels of the network it can route through. */
  knownChannels(): number {
    const graph = this.#parts.graph.read_only();
    try {
      return graph.list_channels().length;
    } finally {
      // A lock: the bindings throw when it is left to the garbage collector.
      graph.free();
    }
  }

  /** What LDK's router would choose now; undefined when there is no route. */
  findRoute(parameters: RouteParameters): Route | undefined {
    const channels = this.manager.list_usable_channels();
    const payer = this.manager.get_our_node_id();
    const found = this.#parts.router.find_route(payer, parameters, channels, this.manager.compute_inflight_htlcs());
    return found.is_ok() ? unwrap<Route>(found, 'take a route') : undefined;
  }

  /** What a channel holds, as far as the node knows. */
  capacitySat(shortChannelId: bigint): number | undefined {
    const own = this.manager.list_channels().find((channel) => isCalled(channel, shortChannelId));
    if (own) return Number(own.get_channel_value_satoshis());
    const graph = this.#parts.graph.read_only();
    try {
      const channel = graph.channel(shortChannelId);
      const capacity = channel && u64Of(channel.get_capacity_sats());
      return capacity === undefined ? undefined : Number(capacity);
    } finally {
      graph.free();
    }
  }

  #write(): void {
    writeLdk(this.#around.store, this.name, '', 'manager', this.manager.write());
  }
}

/** A route names our own channels by an alias. */
function isCalled(channel: ChannelDetails, shortChannelId: bigint): boolean {
  return [channel.get_short_channel_id(), channel.get_outbound_scid_alias()].some((id) => u64Of(id) === shortChannelId);
}

/** Makes a node, or restores it from the file; `blocks` are those of the chain, oldest first. */
export function openNode(name: NodeName, around: Surroundings, blocks: readonly Block[]): LdkNode {
  const parts = makeParts(name, around);
  const saved = readLdk(around.store, name, '', 'manager');
  if (!saved) return new LdkNode(name, around, parts, newManager(parts));
  const monitors = unwrap<TwoTuple_ThirtyTwoBytesChannelMonitorZ[]>(
    parts.persister.read_all_channel_monitors_with_updates(),
    `read the channel monitors of ${name}`,
  ).map((pair) => pair.get_b());
  const node = new LdkNode(name, around, parts, readManager(name, parts, saved, monitors));
  for (const monitor of monitors) {
    unwrap(parts.watch.watch_channel(monitor.get_funding_txo().get_a(), monitor), `watch a channel of ${name}`);
  }
  const known = node.manager.current_best_block().get_height();
  for (const block of blocks) if (block.height > known) node.connect(block);
  // Monitors are not written again for every block, so they hear of the tip once more.
  const tip = blocks.at(-1);
  if (tip) node.connect({ ...tip, txs: [] });
  return node;
}

function newManager(parts: LdkParts): ChannelManager {
  const regtest = Network.LDKNetwork_Regtest;
  const parameters = ChainParameters.constructor_new(regtest, BestBlock.constructor_from_network(regtest));
  return ChannelManager.constructor_new(
    parts.fees,
    parts.watch,
    parts.broadcaster,
    parts.router,
    parts.messageRouter,
    parts.logger,
    parts.entropy,
    parts.signer,
    parts.signers,
    nodeConfig(),
    parameters,
    Math.floor(Date.now() / 1000),
  );
}

function readManager(name: NodeName, parts: LdkParts, saved: Uint8Array, monitors: ChannelMonitor[]): ChannelManager {
  const read = UtilMethods.constructor_C2Tuple_ThirtyTwoBytesChannelManagerZ_read(
    saved,
    parts.entropy,
    parts.signer,
    parts.signers,
    parts.fees,
    parts.watch,
    parts.broadcaster,
    parts.router,
    parts.messageRouter,
    parts.logger,
    nodeConfig(),
    monitors,
  );
  return unwrap<TwoTuple_ThirtyTwoBytesChannelManagerZ>(read, `read the channel manager of ${name}`).get_b();
}
