import * as ldk from 'lightningdevkit';
import type { Log } from '../../src/core/kernel/log.ts';
import { CallbackErrors, unixNow } from './bindings.ts';
import { Chain } from './chain.ts';
import { fund, openChannels } from './channels.ts';
import { type LdkNode, openNode } from './ldk-node.ts';
import type { Environment } from './ldk-parts.ts';
import { DEFAULT_NODE, OUTSIDE_NODES } from './node-name.ts';
import { PeerConnection } from './peer-connection.ts';
import type { Store } from './store.ts';

/** Handles an event of a node in the open transaction. LDK may repeat an event. */
export type NodeEventHandler = (node: LdkNode, event: ldk.Event) => void;

/** A payment over two hops takes about twenty rounds. */
const MAX_ROUNDS = 100_000;

/**
 * The nodes on their chain. `alice` has a channel with each of the others: with `carol`, and with the service nodes `hub` and those that were
 * added. Messages and events are processed only by {@link runUntilIdle}.
 */
export class Network {
  readonly chain: Chain;
  /** Transactions for the next block. */
  readonly mempool: Uint8Array[] = [];
  readonly #env: Environment;
  readonly #errors = new CallbackErrors();
  readonly #nodes = new Map<string, LdkNode>();
  readonly #handlers = new Map<string, ldk.EventHandler>();
  readonly #connections: PeerConnection[] = [];
  readonly #forwardable = new Set<string>();
  #handleEvent: NodeEventHandler = () => {};

  /** Creates or restores the nodes. The first {@link runUntilIdle} completes the handshakes between them. */
  constructor(store: Store, log: Log) {
    this.chain = new Chain(store);
    this.#env = { store, log, errors: this.#errors, broadcast: (txs: Uint8Array[]) => void this.mempool.push(...txs) };
    for (const name of new Set([DEFAULT_NODE, ...OUTSIDE_NODES, ...storedNames(store)])) this.#open(name);
    for (const name of this.#nodes.keys()) if (name !== 'alice') this.#connect(name);
  }

  get nodes(): ReadonlyMap<string, LdkNode> {
    return this.#nodes;
  }

  node(name: string): LdkNode {
    const node = this.#nodes.get(name);
    if (!node) throw new Error(`there is no node ${name}`);
    return node;
  }

  setEventHandler(handler: NodeEventHandler): void {
    this.#handleEvent = handler;
  }

  /** Opens the first channels, in the open transaction. */
  openFirstChannels(): void {
    const [hub, alice, carol] = [DEFAULT_NODE, 'alice', 'carol'].map((name) => this.node(name)) as [LdkNode, LdkNode, LdkNode];
    openChannels(this, [
      [hub, alice],
      [alice, carol],
    ]);
  }

  /** Adds a node with a channel to alice, in the open transaction. */
  addNode(name: string): LdkNode {
    const node = this.#open(name);
    this.#connect(name);
    openChannels(this, [[node, this.node('alice')]]);
    return node;
  }

  /**
   * Processes messages and events until there are none. A payment over one hop takes about ten rounds, 15 ms.
   * @throws the error of a callback, or a WebAssembly error. After either, the worker must restart from its last commit.
   */
  runUntilIdle(): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const node of this.#nodes.values()) this.#process(node);
      const delivered = this.#connections.map((connection) => connection.deliver());
      this.#errors.check();
      if (!delivered.includes(true) && this.#forwardable.size === 0) return;
    }
    throw new Error(`the nodes are still busy after ${MAX_ROUNDS} rounds`);
  }

  /** Sets LDK's clock to `now` in Unix seconds. LDK reads the time only from block headers. */
  tick(now: number): void {
    const block = this.chain.tick(now);
    if (block) for (const node of this.#nodes.values()) node.connect(block);
  }

  /** Mines a block with the waiting transactions, followed by empty blocks. */
  mine(count: number): void {
    for (let i = 0; i < count; i++) {
      const block = this.chain.mine(this.mempool.splice(0), unixNow());
      for (const node of this.#nodes.values()) node.connect(block);
    }
  }

  save(): void {
    for (const node of this.#nodes.values()) node.save();
  }

  #open(name: string): LdkNode {
    const node = openNode(name, this.#env, this.chain.blocksAfter(0));
    this.#nodes.set(name, node);
    this.#handlers.set(name, this.#handlerFor(node));
    return node;
  }

  #connect(name: string): void {
    this.#connections.push(new PeerConnection(this.node(name), this.node('alice'), this.#errors));
  }

  #process(node: LdkNode): void {
    const handler = this.#handlers.get(node.name) as ldk.EventHandler;
    node.processEvents(handler);
    while (this.#forwardable.delete(node.name)) {
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
          else if (event instanceof ldk.Event_FundingGenerationReady) fund(node, event);
          else this.#handleEvent(node, event);
        });
        return ldk.Result_NoneReplayEventZ.constructor_ok();
      },
    });
  }
}

/** Returns the names of the stored nodes in the order in which they were created. */
function storedNames(store: Store): string[] {
  const rows = store.all(`SELECT node FROM ldk WHERE space = '' AND key = 'seed' ORDER BY rowid`);
  return rows.map(({ node }) => node as string);
}
