import { type Event, Event_PendingHTLCsForwardable, EventHandler, Result_NoneReplayEventZ } from 'lightningdevkit';
import type { Log } from '../../src/kernel/log.ts';
import { NODE_NAMES, type NodeName } from '../../src/lightning/test-network.ts';
import { Chain } from './chain.ts';
import { Fault } from './fault.ts';
import { type LdkNode, openNode } from './ldk-node.ts';
import type { Store } from './store.ts';
import { Wire } from './wire.ts';

/** Takes the events of the nodes while the pump runs. It writes into the open transaction, and must stand being told things twice. */
export type EventSink = (node: LdkNode, event: Event) => void;

/** A pump that is still busy after this many rounds will never be idle: a payment of two hops needs about twenty. */
const MAX_ROUNDS = 100_000;

/** The three nodes on their chain: `hub` — `alice` — `carol`. Nothing moves by itself; {@link pump} moves everything. */
export class Network {
  readonly chain: Chain;
  readonly nodes: Readonly<Record<NodeName, LdkNode>>;
  /** Transactions that wait for a block. */
  readonly mempool: Uint8Array[] = [];
  readonly #fault = new Fault();
  readonly #wires: readonly Wire[];
  readonly #handlers: ReadonlyMap<NodeName, EventHandler>;
  readonly #forwardable = new Set<NodeName>();
  #sink: EventSink = () => {};

  /** Makes or restores the nodes; their peers are connected by the first pump. */
  constructor(store: Store, log: Log) {
    this.chain = new Chain(store);
    const around = { store, log, fault: this.#fault, broadcast: (txs: Uint8Array[]) => void this.mempool.push(...txs) };
    const blocks = this.chain.blocksAfter(0);
    const open = (name: NodeName) => openNode(name, around, blocks);
    this.nodes = { hub: open('hub'), alice: open('alice'), carol: open('carol') };
    this.#handlers = new Map(NODE_NAMES.map((name) => [name, this.#handlerFor(this.nodes[name])]));
    const { hub, alice, carol } = this.nodes;
    this.#wires = [new Wire(hub, alice, this.#fault), new Wire(alice, carol, this.#fault)];
  }

  deliverEventsTo(sink: EventSink): void {
    this.#sink = sink;
  }

  /**
   * Runs messages and events until nobody has anything to say. A payment over one hop is through in about ten rounds, 15 ms.
   * @throws what went wrong in a callback, or a WebAssembly error; both mean that the worker must start again from its last commit.
   */
  pump(): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      for (const name of NODE_NAMES) this.#turn(name);
      const delivered = this.#wires.map((wire) => wire.deliver());
      this.#fault.check();
      if (!delivered.includes(true) && this.#forwardable.size === 0) return;
    }
    throw new Error('the nodes do not come to rest');
  }

  /** Sets LDK's clock, which knows the time only from block headers, to `now` in Unix seconds. */
  tick(now: number): void {
    const block = this.chain.tick(now);
    if (block) for (const name of NODE_NAMES) this.nodes[name].connect(block);
  }

  /** Puts what waits into a block, and empty blocks after it. */
  mine(count: number): void {
    for (let i = 0; i < count; i++) {
      const block = this.chain.mine(this.mempool.splice(0), Math.floor(Date.now() / 1000));
      for (const name of NODE_NAMES) this.nodes[name].connect(block);
    }
  }

  save(): void {
    for (const name of NODE_NAMES) this.nodes[name].save();
  }

  #turn(name: NodeName): void {
    const node = this.nodes[name];
    const handler = this.#handlers.get(name) as EventHandler;
    node.processEvents(handler);
    while (this.#forwardable.delete(name)) {
      node.manager.process_pending_htlc_forwards();
      node.processEvents(handler);
    }
    node.peers.process_events();
  }

  #handlerFor(node: LdkNode): EventHandler {
    return EventHandler.new_impl({
      handle_event: (event) => {
        this.#fault.guard(
          () => {
            if (event instanceof Event_PendingHTLCsForwardable) this.#forwardable.add(node.name);
            else this.#sink(node, event);
          },
          () => undefined,
        );
        return Result_NoneReplayEventZ.constructor_ok();
      },
    });
  }
}
