import {
  type Event,
  Event_ChannelClosed,
  Event_PaymentClaimable,
  Event_PaymentClaimed,
  Event_PaymentFailed,
  Event_PaymentSent,
} from 'lightningdevkit';
import type { Log } from '../../src/kernel/log.ts';
import { NODE_NAMES } from '../../src/lightning/test-network.ts';
import { openChannels } from './channels.ts';
import { type Handlers, handlersOf } from './handlers.ts';
import { Incoming } from './incoming.ts';
import type { LdkNode } from './ldk-node.ts';
import { Network } from './network.ts';
import { Outbox } from './outbox.ts';
import { Outgoing } from './outgoing.ts';
import { OutsideLedger } from './outside-ledger.ts';
import { OutsideReceiving } from './outside-receiving.ts';
import { OutsideSending } from './outside-sending.ts';
import type { Store } from './store.ts';
import { Waits } from './waits.ts';

/** LDK forgets ended payments only when its timer ticks, and writes down what it has not forgotten with every commit. */
const PAYMENTS_PER_TIMER_TICK = 200;

function unixNow(): number {
  return Math.floor(Date.now() / 1000);
}

/** The nodes and everything that is known about their payments. Each {@link slice} is one transaction. */
export class Engine {
  readonly store: Store;
  readonly network: Network;
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly outbox: Outbox;
  readonly ledger: OutsideLedger;
  readonly outsideSending: OutsideSending;
  readonly outsideReceiving: OutsideReceiving;
  readonly waits = new Waits();
  readonly handlers: Handlers;
  readonly #log: Log;
  #endedPayments = 0;

  /** Restores the playground from the file, or makes it. All of it is one transaction, so a crash leaves none of it. */
  constructor(store: Store, log: Log) {
    this.store = store;
    this.#log = log;
    store.begin();
    this.network = new Network(store, log);
    const { hub } = this.network.nodes;
    this.outbox = new Outbox(store);
    this.incoming = new Incoming(store, hub, this.outbox, unixNow);
    this.outgoing = new Outgoing(store, hub, this.outbox, unixNow);
    this.ledger = new OutsideLedger(store);
    this.outsideSending = new OutsideSending(this.network, this.ledger, unixNow);
    this.outsideReceiving = new OutsideReceiving(store, this.network, this.ledger, unixNow);
    this.handlers = handlersOf(this);
    if (!this.network.chain.tip) openChannels(this.network);
    this.network.deliverEventsTo((node, event) => this.#take(node, event));
    this.#rest();
    store.commit();
  }

  /**
   * Runs commands, then the network until it is idle, then makes everything durable at once. Nothing may leave the worker before it returns.
   * @throws when the worker must start again from its last commit.
   */
  slice(run: () => void): void {
    this.store.begin();
    // An invoice is dated by the clock, and the clock is the tip's time.
    this.network.tick(unixNow());
    run();
    if (this.#endedPayments >= PAYMENTS_PER_TIMER_TICK) this.timerTick();
    this.#rest();
    this.store.commit();
    this.waits.check();
  }

  /** Due at least once a minute. */
  timerTick(): void {
    this.#endedPayments = 0;
    for (const name of NODE_NAMES) this.network.nodes[name].manager.timer_tick_occurred();
  }

  #rest(): void {
    this.network.pump();
    this.network.save();
  }

  #take(node: LdkNode, event: Event): void {
    const ours = node.name === 'hub';
    if (event instanceof Event_PaymentClaimable) {
      if (ours) this.incoming.arrived(event);
      else this.outsideReceiving.arrived(node, event);
    } else if (event instanceof Event_PaymentClaimed) {
      if (ours) this.incoming.claimed(event);
      else this.outsideReceiving.claimed(node, event);
    } else if (event instanceof Event_PaymentSent) {
      this.#endedPayments++;
      if (ours) this.outgoing.sent(event);
      else this.outsideSending.sent(node, event);
    } else if (event instanceof Event_PaymentFailed) {
      this.#endedPayments++;
      if (ours) this.outgoing.failed(event);
      else this.outsideSending.failed(node, event);
    } else if (event instanceof Event_ChannelClosed) {
      this.#log.error({ node: node.name, reason: event.reason.to_str() }, 'a channel of the playground was closed');
    }
  }
}
