import * as ldk from 'lightningdevkit';
import type { Log } from '../../src/kernel/log.ts';
import { NODE_NAMES } from '../../src/lightning/test-network.ts';
import { unixNow } from './bindings.ts';
import { type Handlers, handlersOf } from './commands.ts';
import { IncomingPayments } from './incoming-payments.ts';
import type { LdkNode } from './ldk-node.ts';
import { Network, openChannels } from './network.ts';
import { OutgoingPayments } from './outgoing-payments.ts';
import { OutsideNodes } from './outside.ts';
import { Outbox, type Store } from './store.ts';

/** LDK removes ended payments from its state only when its timer ticks. Until then it writes them with every commit. */
const PAYMENTS_PER_TIMER_TICK = 200;

/** The nodes and the records of their payments. Each {@link run} is one transaction. */
export class Engine {
  readonly store: Store;
  readonly network: Network;
  readonly incoming: IncomingPayments;
  readonly outgoing: OutgoingPayments;
  readonly outbox: Outbox;
  readonly outside: OutsideNodes;
  readonly waits = new Waits();
  readonly handlers: Handlers;
  readonly #log: Log;
  #endedPayments = 0;

  /** Restores the playground from the file, or creates it. It is created in one transaction. */
  constructor(store: Store, log: Log) {
    this.store = store;
    this.#log = log;
    store.begin();
    this.network = new Network(store, log);
    const { hub } = this.network.nodes;
    this.outbox = new Outbox(store);
    this.incoming = new IncomingPayments(store, hub, this.outbox);
    this.outgoing = new OutgoingPayments(store, hub, this.outbox);
    this.outside = new OutsideNodes(store, this.network);
    this.handlers = handlersOf(this);
    if (!this.network.chain.tip) openChannels(this.network);
    this.network.setEventHandler((node, event) => this.#handleEvent(node, event));
    this.#runNetwork();
    store.commit();
  }

  /**
   * Starts commands, runs the network until it is idle, and commits. No result may leave the worker before it returns.
   * @throws when the worker must restart from its last commit.
   */
  run(startCommands: () => void): void {
    this.store.begin();
    // Invoices are dated with the tip's time.
    this.network.tick(unixNow());
    startCommands();
    if (this.#endedPayments >= PAYMENTS_PER_TIMER_TICK) this.timerTick();
    this.#runNetwork();
    this.store.commit();
    this.waits.check();
  }

  /** Must be called at least once a minute. */
  timerTick(): void {
    this.#endedPayments = 0;
    for (const name of NODE_NAMES) this.network.nodes[name].manager.timer_tick_occurred();
  }

  #runNetwork(): void {
    this.network.runUntilIdle();
    this.network.save();
  }

  #handleEvent(node: LdkNode, event: ldk.Event): void {
    const ours = node.name === 'hub';
    if (event instanceof ldk.Event_PaymentClaimable) {
      if (ours) this.incoming.arrived(event);
      else this.outside.arrived(node, event);
    } else if (event instanceof ldk.Event_PaymentClaimed) {
      if (ours) this.incoming.claimed(event);
      else this.outside.claimed(node, event);
    } else if (event instanceof ldk.Event_PaymentSent) {
      this.#endedPayments++;
      if (ours) this.outgoing.sent(event);
      else this.outside.sent(node, event);
    } else if (event instanceof ldk.Event_PaymentFailed) {
      this.#endedPayments++;
      if (ours) this.outgoing.failed(event);
      else this.outside.failed(node, event);
    } else if (event instanceof ldk.Event_ChannelClosed) {
      this.#log.error({ node: node.name, reason: event.reason.to_str() }, 'a channel of the playground was closed');
    }
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
