import { randomBytes } from 'node:crypto';
import * as ldk from 'lightningdevkit';
import type { Log } from '../../src/kernel/log.ts';
import { NODE_NAMES, type NodeName } from '../../src/lightning/test-network.ts';
import { bytesOf, CallbackErrors, hexOf, unixNow, unwrap } from './bindings.ts';
import { Chain } from './chain.ts';
import { type LdkNode, openNode } from './ldk-node.ts';
import type { Store } from './store.ts';

/** Handles an event of a node in the open transaction. LDK may repeat an event. */
export type NodeEventHandler = (node: LdkNode, event: ldk.Event) => void;

/** A payment over two hops takes about twenty rounds. */
const MAX_ROUNDS = 100_000;

/** The three nodes on their chain: `hub` — `alice` — `carol`. Messages and events are processed only by {@link runUntilIdle}. */
export class Network {
  readonly chain: Chain;
  readonly nodes: Readonly<Record<NodeName, LdkNode>>;
  /** Transactions for the next block. */
  readonly mempool: Uint8Array[] = [];
  readonly #errors = new CallbackErrors();
  readonly #connections: readonly PeerConnection[];
  readonly #handlers: ReadonlyMap<NodeName, ldk.EventHandler>;
  readonly #forwardable = new Set<NodeName>();
  #handleEvent: NodeEventHandler = () => {};

  /** Creates or restores the nodes. The first {@link runUntilIdle} completes the handshakes between them. */
  constructor(store: Store, log: Log) {
    this.chain = new Chain(store);
    const env = { store, log, errors: this.#errors, broadcast: (txs: Uint8Array[]) => void this.mempool.push(...txs) };
    const blocks = this.chain.blocksAfter(0);
    const open = (name: NodeName) => openNode(name, env, blocks);
    this.nodes = { hub: open('hub'), alice: open('alice'), carol: open('carol') };
    this.#handlers = new Map(NODE_NAMES.map((name) => [name, this.#handlerFor(this.nodes[name])]));
    const { hub, alice, carol } = this.nodes;
    this.#connections = [new PeerConnection(hub, alice, this.#errors), new PeerConnection(alice, carol, this.#errors)];
  }

  setEventHandler(handler: NodeEventHandler): void {
    this.#handleEvent = handler;
  }

  /**
   * Processes messages and events until there are none. A payment over one hop takes about ten rounds, 15 ms.
   * @throws the error of a callback, or a WebAssembly error. After either, the worker must restart from its last commit.
   */
  runUntilIdle(): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const name of NODE_NAMES) this.#process(name);
      const delivered = this.#connections.map((connection) => connection.deliver());
      this.#errors.check();
      if (!delivered.includes(true) && this.#forwardable.size === 0) return;
    }
    throw new Error(`the nodes are still busy after ${MAX_ROUNDS} rounds`);
  }

  /** Sets LDK's clock to `now` in Unix seconds. LDK reads the time only from block headers. */
  tick(now: number): void {
    const block = this.chain.tick(now);
    if (block) for (const name of NODE_NAMES) this.nodes[name].connect(block);
  }

  /** Mines a block with the waiting transactions, followed by empty blocks. */
  mine(count: number): void {
    for (let i = 0; i < count; i++) {
      const block = this.chain.mine(this.mempool.splice(0), unixNow());
      for (const name of NODE_NAMES) this.nodes[name].connect(block);
    }
  }

  save(): void {
    for (const name of NODE_NAMES) this.nodes[name].save();
  }

  #process(name: NodeName): void {
    const node = this.nodes[name];
    const handler = this.#handlers.get(name) as ldk.EventHandler;
    node.processEvents(handler);
    while (this.#forwardable.delete(name)) {
      node.manager.process_pending_htlc_forwards();
      node.processEvents(handler);
    }
    node.peers.process_events();
  }

  #handlerFor(node: LdkNode): ldk.EventHandler {
    return ldk.EventHandler.new_impl({
      handle_event: (event) => {
        this.#errors.run(() => {
          if (event instanceof ldk.Event_PendingHTLCsForwardable) this.#forwardable.add(node.name);
          else this.#handleEvent(node, event);
        });
        return ldk.Result_NoneReplayEventZ.constructor_ok();
      },
    });
  }
}

let lastSocket = 0n;

/** A connection between two nodes in this process, with two queues in place of sockets. */
class PeerConnection {
  readonly #ends: readonly [ConnectionEnd, ConnectionEnd];

  /** The following deliveries complete the handshake. */
  constructor(from: LdkNode, to: LdkNode, errors: CallbackErrors) {
    const queueToFrom: Uint8Array[] = [];
    const queueToTo: Uint8Array[] = [];
    const fromEnd = new ConnectionEnd(from, queueToFrom, queueToTo, errors);
    const toEnd = new ConnectionEnd(to, queueToTo, queueToFrom, errors);
    this.#ends = [fromEnd, toEnd];
    const nowhere = ldk.Option_SocketAddressZ.constructor_none();
    unwrap(to.peers.new_inbound_connection(toEnd.socket, nowhere), 'accept a connection');
    const first = from.peers.new_outbound_connection(bytesOf(to.pubkey), fromEnd.socket, nowhere);
    queueToTo.push(unwrap<Uint8Array>(first, 'open a connection'));
  }

  /** Delivers the messages that were sent since the last call. Returns whether there were any. */
  deliver(): boolean {
    // Not `||`, because both directions must be read.
    return [this.#ends[0].read(), this.#ends[1].read()].includes(true);
  }
}

class ConnectionEnd {
  readonly socket: ldk.SocketDescriptor;
  readonly #node: LdkNode;
  readonly #incoming: Uint8Array[];

  constructor(node: LdkNode, incoming: Uint8Array[], outgoing: Uint8Array[], errors: CallbackErrors) {
    this.#node = node;
    this.#incoming = incoming;
    const id = ++lastSocket;
    this.socket = ldk.SocketDescriptor.new_impl({
      send_data: (data) => {
        // Only queued, because LDK must not be called from inside its own call.
        if (data.length > 0) outgoing.push(data);
        return data.length;
      },
      disconnect_socket: () => errors.add(new Error(`${node.name} disconnected its peer`)),
      eq: (other) => other.hash() === id,
      hash: () => id,
    });
  }

  read(): boolean {
    const pending = this.#incoming.splice(0);
    for (const data of pending) unwrap(this.#node.peers.read_event(this.socket, data), 'read a message of a peer');
    return pending.length > 0;
  }
}

/** 50 BTC. Each side has half of it. */
const CHANNEL_SAT = 5_000_000_000n;
/** Channels are announced, so that other nodes can route through them, at this depth. Source: BOLT7. */
const ANNOUNCEMENT_DEPTH = 6;

/** Opens the channels hub — alice and alice — carol of a new network, in the open transaction. */
export function openChannels(network: Network): void {
  const { hub, alice, carol } = network.nodes;
  network.setEventHandler(fund);
  network.runUntilIdle();
  for (const [from, to] of [
    [hub, alice],
    [alice, carol],
  ] as const) {
    const opened = from.manager.create_channel(bytesOf(to.pubkey), CHANNEL_SAT, (CHANNEL_SAT / 2n) * 1_000n, 0n, null, null);
    unwrap<ldk.ChannelId>(opened, `open a channel from ${from.name} to ${to.name}`);
    network.runUntilIdle();
  }
  network.mine(ANNOUNCEMENT_DEPTH + 1);
  network.runUntilIdle();
  for (const name of NODE_NAMES) {
    const node = network.nodes[name];
    const usable = node.manager.list_usable_channels().length;
    if (usable !== (node === alice ? 2 : 1) || node.knownChannels() !== 2) {
      throw new Error(`${name} has ${usable} usable channels and knows ${node.knownChannels()}`);
    }
    node.saveAll();
  }
}

function fund(node: LdkNode, event: ldk.Event): void {
  if (!(event instanceof ldk.Event_FundingGenerationReady)) return;
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
