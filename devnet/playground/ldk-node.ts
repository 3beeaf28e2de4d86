import { randomBytes } from 'node:crypto';
import * as ldk from 'lightningdevkit';
import { hexOf, u64Of, unixNow, unwrap } from './bindings.ts';
import type { Block } from './chain.ts';
import { type Environment, type LdkParts, makeParts, readLdk, writeLdk } from './ldk-parts.ts';

/** A real Lightning node. */
export class LdkNode {
  readonly name: string;
  /** 33 bytes in hex. */
  readonly pubkey: string;
  readonly manager: ldk.ChannelManager;
  readonly peers: ldk.PeerManager;
  readonly #events: ldk.EventsProvider;
  readonly #confirms: readonly ldk.Confirm[];
  readonly #parts: LdkParts;
  readonly #env: Environment;
  /** Referenced here because the bindings hold only weak references. */
  readonly kept: readonly unknown[];

  constructor(name: string, env: Environment, parts: LdkParts, manager: ldk.ChannelManager) {
    this.name = name;
    this.manager = manager;
    this.pubkey = hexOf(manager.get_our_node_id());
    this.#env = env;
    this.#parts = parts;
    this.#events = manager.as_EventsProvider();
    this.#confirms = [manager.as_Confirm(), parts.confirm];
    const gossip = ldk.P2PGossipSync.constructor_new(parts.graph, ldk.Option_UtxoLookupZ.constructor_none(), parts.logger);
    const handlers = [
      manager.as_ChannelMessageHandler(),
      gossip.as_RoutingMessageHandler(),
      parts.ignore.as_OnionMessageHandler(),
      parts.ignore.as_CustomMessageHandler(),
    ] as const;
    this.peers = ldk.PeerManager.constructor_new(...handlers, unixNow(), new Uint8Array(randomBytes(32)), parts.logger, parts.signer);
    this.kept = [gossip, handlers];
  }

  /** Connects a block, or the tip with a newer time. */
  connect(block: Block): void {
    for (const confirm of this.#confirms) {
      if (block.txs.length > 0) {
        const txs = block.txs.map((tx, index) => ldk.TwoTuple_usizeTransactionZ.constructor_new(index, tx));
        confirm.transactions_confirmed(block.header, txs, block.height);
      }
      confirm.best_block_updated(block.header, block.height);
    }
  }

  processEvents(handler: ldk.EventHandler): void {
    this.#events.process_pending_events(handler);
  }

  /** Writes the channel manager if it changed, in the same transaction as its monitors. */
  save(): void {
    if (this.manager.get_and_clear_needs_persistence()) this.#write();
  }

  /** Must be called after channels were opened: they are not announced again, so a restarted node would know only its own. */
  saveAll(): void {
    this.#write();
    writeLdk(this.#env.store, this.name, '', 'graph', this.#parts.graph.write());
  }

  /** Returns the number of channels that the node can route through. */
  knownChannels(): number {
    const graph = this.#parts.graph.read_only();
    try {
      return graph.list_channels().length;
    } finally {
      // Holds a lock. The bindings throw when it is left to the garbage collector.
      graph.free();
    }
  }

  /** Returns the route that LDK's router would use now, or undefined when there is none. */
  findRoute(parameters: ldk.RouteParameters): ldk.Route | undefined {
    const channels = this.manager.list_usable_channels();
    const payer = this.manager.get_our_node_id();
    const found = this.#parts.router.find_route(payer, parameters, channels, this.manager.compute_inflight_htlcs());
    return found.is_ok() ? unwrap<ldk.Route>(found, 'take a route') : undefined;
  }

  /** Returns the capacity of a channel, or undefined when the node does not know it. */
  capacitySat(shortChannelId: bigint): number | undefined {
    const own = this.manager.list_channels().find((channel) => hasId(channel, shortChannelId));
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
    writeLdk(this.#env.store, this.name, '', 'manager', this.manager.write());
  }
}

/** Routes name our own channels by an alias. */
function hasId(channel: ldk.ChannelDetails, shortChannelId: bigint): boolean {
  return [channel.get_short_channel_id(), channel.get_outbound_scid_alias()].some((id) => u64Of(id) === shortChannelId);
}

/** Creates a node, or restores it from the file. `blocks` are all blocks of the chain, oldest first. */
export function openNode(name: string, env: Environment, blocks: readonly Block[]): LdkNode {
  const parts = makeParts(name, env);
  const saved = readLdk(env.store, name, '', 'manager');
  const tip = blocks.at(-1);
  if (!saved) {
    const created = new LdkNode(name, env, parts, newManager(parts));
    if (tip) created.connect({ ...tip, txs: [] });
    return created;
  }
  const monitors = unwrap<ldk.TwoTuple_ThirtyTwoBytesChannelMonitorZ[]>(
    parts.persister.read_all_channel_monitors_with_updates(),
    `read the channel monitors of ${name}`,
  ).map((pair) => pair.get_b());
  const node = new LdkNode(name, env, parts, readManager(name, parts, saved, monitors));
  for (const monitor of monitors) {
    unwrap(parts.watch.watch_channel(monitor.get_funding_txo().get_a(), monitor), `watch a channel of ${name}`);
  }
  const known = node.manager.current_best_block().get_height();
  for (const block of blocks) if (block.height > known) node.connect(block);
  // Monitors are not written for every block, so the tip is connected to them again.
  if (tip) node.connect({ ...tip, txs: [] });
  return node;
}

function newManager(parts: LdkParts): ldk.ChannelManager {
  const regtest = ldk.Network.LDKNetwork_Regtest;
  const parameters = ldk.ChainParameters.constructor_new(regtest, ldk.BestBlock.constructor_from_network(regtest));
  return ldk.ChannelManager.constructor_new(...networkOf(parts), ...keysOf(parts), nodeConfig(), parameters, unixNow());
}

function readManager(name: string, parts: LdkParts, saved: Uint8Array, monitors: ldk.ChannelMonitor[]): ldk.ChannelManager {
  const parameters = [saved, ...keysOf(parts), ...networkOf(parts), nodeConfig(), monitors] as const;
  const read = ldk.UtilMethods.constructor_C2Tuple_ThirtyTwoBytesChannelManagerZ_read(...parameters);
  return unwrap<ldk.TwoTuple_ThirtyTwoBytesChannelManagerZ>(read, `read the channel manager of ${name}`).get_b();
}

/** Returns arguments of a channel manager, in the order of LDK's functions. */
function networkOf({ fees, watch, broadcaster, router, messageRouter, logger }: LdkParts) {
  return [fees, watch, broadcaster, router, messageRouter, logger] as const;
}

function keysOf({ entropy, signer, signers }: LdkParts) {
  return [entropy, signer, signers] as const;
}

/** The forwarding fee is 1 sat and 0.01 %. */
const FORWARDING_BASE_MSAT = 1_000;
const FORWARDING_PPM = 100;
const MAX_CHANNEL_SAT = 21_000_000n * 100_000_000n;

/** LDK's defaults are for small channels between unknown peers. This configuration lifts the limits that a playground would reach. */
function nodeConfig(): ldk.UserConfig {
  const config = ldk.UserConfig.constructor_default();
  const handshake = config.get_channel_handshake_config();
  handshake.set_minimum_depth(1);
  handshake.set_announce_for_forwarding(true);
  handshake.set_max_inbound_htlc_value_in_flight_percent_of_channel(100);
  handshake.set_our_max_accepted_htlcs(483);
  handshake.set_our_htlc_minimum_msat(1n);
  config.set_channel_handshake_config(handshake);
  const limits = config.get_channel_handshake_limits();
  // The peer rejects larger channels without an error.
  limits.set_max_funding_satoshis(MAX_CHANNEL_SAT);
  config.set_channel_handshake_limits(limits);
  const channel = config.get_channel_config();
  // By default, a dozen small payments in flight would exceed the dust limit.
  channel.set_max_dust_htlc_exposure(ldk.MaxDustHTLCExposure.constructor_fixed_limit_msat(MAX_CHANNEL_SAT));
  channel.set_forwarding_fee_base_msat(FORWARDING_BASE_MSAT);
  channel.set_forwarding_fee_proportional_millionths(FORWARDING_PPM);
  config.set_channel_config(channel);
  return config;
}
