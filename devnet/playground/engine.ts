import * as ldk from 'lightningdevkit';
import type { Log } from '../../src/core/kernel/log.ts';
import { PlaygroundRefusal } from '../test-network.ts';
import { unixNow } from './bindings.ts';
import { type Handlers, handlersOf } from './commands.ts';
import type { LdkNode } from './ldk-node.ts';
import { Network } from './network.ts';
import { MAX_SERVICE_NODES, OUTSIDE_NODES, requireNodeName } from './node-name.ts';
import { OutsideNodes } from './outside.ts';
import { ServiceNode } from './service-node.ts';
import type { Store } from './store.ts';

/** LDK removes ended payments from its state only when its timer ticks. Until then it writes them with every commit. */
const PAYMENTS_PER_TIMER_TICK = 200;

/** The nodes and the records of their payments. Each {@link run} is one transaction. */
export class Engine {
  readonly network: Network;
  readonly outside: OutsideNodes;
  readonly waits = new Waits();
  readonly #store: Store;
  readonly #log: Log;
  readonly #services = new Map<string, ServiceNode>();
  readonly #handlers = new Map<string, Handlers>();
  #endedPayments = 0;

  /** Restores the playground from the file, or creates it. It is created in one transaction. */
  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
    store.begin();
    this.network = new Network(store, log);
    this.outside = new OutsideNodes(store, this.network);
    for (const node of this.network.nodes.values()) if (!OUTSIDE_NODES.includes(node.name)) this.#addService(node);
    this.network.setEventHandler((node, event) => this.#handleEvent(node, event));
    if (!this.network.chain.tip) this.network.openFirstChannels();
    this.#runNetwork();
    store.commit();
  }

  /**
   * Returns the handlers of the commands to a service node. A node is created when it is first used, inside a batch.
   * @throws PlaygroundRefusal for an invalid name, or when there are too many nodes.
   */
  handlersOf(name: string): Handlers {
    requireNodeName(name);
    if (!this.#handlers.has(name)) this.#createService(name);
    return this.#handlers.get(name) as Handlers;
  }

  #createService(name: string): void {
    if (this.#services.size >= MAX_SERVICE_NODES) {
      const names = [...this.#services.keys()].join(', ');
      throw new PlaygroundRefusal(`a playground has at most ${MAX_SERVICE_NODES} nodes for services; use one of ${names}`);
    }
    const node = this.network.addNode(name);
    this.#addService(node);
    this.#log.info({ node: name, pubkey: node.pubkey }, 'the playground has a new node');
  }

  #addService(node: LdkNode): void {
    const service = new ServiceNode(this.#store, node);
    this.#services.set(node.name, service);
    this.#handlers.set(node.name, handlersOf(this, service));
  }

  /**
   * Starts commands, runs the network until it is idle, and commits. No result may leave the worker before it returns.
   * @throws when the worker must restart from its last commit.
   */
  run(startCommands: () => void): void {
    this.#store.begin();
    // Invoices are dated with the tip's time.
    this.network.tick(unixNow());
    startCommands();
    if (this.#endedPayments >= PAYMENTS_PER_TIMER_TICK) this.timerTick();
    this.#runNetwork();
    this.#store.commit();
    this.waits.check();
  }

  /** Must be called at least once a minute. */
  timerTick(): void {
    this.#endedPayments = 0;
    for (const node of this.network.nodes.values()) node.manager.timer_tick_occurred();
  }

  #runNetwork(): void {
    this.network.runUntilIdle();
    this.network.save();
  }

  #handleEvent(node: LdkNode, event: ldk.Event): void {
    if (event instanceof ldk.Event_PaymentSent || event instanceof ldk.Event_PaymentFailed) this.#endedPayments++;
    if (event instanceof ldk.Event_ChannelClosed)
      this.#log.error({ node: node.name, reason: event.reason.to_str() }, 'a channel of the playground was closed');
    const service = this.#services.get(node.name);
    if (service) service.handleEvent(event);
    else this.outside.handleEvent(node, event);
  }
}

/** Reads that are repeated after each commit until they have a result. */
export class Waits {
  readonly #checks = new Set<() => void>();

  /** Returns the value of `read` once `isDone` accepts it, or its value after `waitMs`. */
  until<T>(read: () => T, isDone: (value: T) => boolean, waitMs: number): T | Promise<T> {
    const now = read();
    if (isDone(now) || waitMs === 0) return now;
    return new Promise((resolve) => {
      const end = (value: T): void => {
        clearTimeout(timer);
        this.#checks.delete(check);
        resolve(value);
      };
      const check = (): void => {
        const value = read();
        if (isDone(value)) end(value);
      };
      const timer = setTimeout(() => end(read()), waitMs);
      this.#checks.add(check);
    });
  }

  /** Must be called after each commit. */
  check(): void {
    for (const check of [...this.#checks]) check();
  }
}
