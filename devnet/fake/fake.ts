import type { Msat } from '../../src/kernel/money.ts';
import type { PlaygroundControl } from '../../src/lightning/test-network.ts';
import { EventLog } from './event-log.ts';
import { FakeNode } from './fake-node.ts';
import type { CallFault, CallName, EventFault, FaultRates } from './faults.ts';
import { Gate } from './gate.ts';
import { Incoming } from './incoming.ts';
import { Outgoing, routeFee } from './outgoing.ts';
import { fakeControl, Outside } from './outside.ts';
import { OutsideRecords } from './outside-records.ts';
import type { PaymentScript } from './script.ts';
import { copyOf, type Deed, type FakeState, fill, type NewEvent, NODE_TABLES, TABLE_NAMES } from './tables.ts';
import { noWaiting, type Time } from './time.ts';
import { type Change, World } from './world.ts';

/*
 * A Lightning network that does what a test tells it. Nothing in it is real but the form: invoices are signed BOLT11, preimages fit their hashes.
 *
 *   const net = new FakeNetwork({ seed: 'any text' });     // no waiting; or { time: new SteppedTime() }, then net.time.advance(ms)
 *   const node = net.connect();                            // one life of a LightningNode; several may be connected at once
 *   ground.openNode = async () => ({ node: net.connect(), playground: net.control });
 *
 *   const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000, script: { hold: true } });
 *   net.outside.resolveHold(paymentHash, 'settle');        // or 'cancel'
 *   await net.outside.pay({ paymentRequest: ours });       // an outside node pays us; keysend() likewise
 *   net.outside.payments();                                // what the outside nodes say: the truth to compare with
 *
 *   net.next('pay', { lose: 'answer' });                   // the next call: done, but nobody hears of it; also lose: 'call', unavailable, hang …
 *   net.always('createInvoice', { unavailable: true });    // every call; undefined ends it
 *   net.nextPayment({ lateSuccessMs: 1_000 });             // the next payment to begin, whatever its invoice says
 *   net.nextEvent('overtaken'); net.tell(event);           // the next event comes late; an event out of thin air (a stale failure, a repetition)
 *   net.rates = { ...net.rates, loseAnswer: 0.1 };         // by chance, from the seed
 *
 *   net.addFunds(-900_000);                                // money comes or goes without a payment
 *
 *   node.kill();                                           // kill -9 of the service; the next life is net.connect()
 *   net.restart(); net.down(); net.up();                   // the node's own troubles
 *   const backup = net.backup(); net.restore(backup);      // the node forgets what came after; the outside does not
 *   const copy = new FakeNetwork({ seed, state: net.state() });
 */

export interface FakeNetworkOptions {
  /** Decides keys, preimages and all chance. */
  readonly seed?: string | number;
  /** Without it every delay is over at once. */
  readonly time?: Time;
  /** How often what goes wrong by chance; 0 where nothing is said. */
  readonly rates?: Partial<FaultRates>;
  /** What an earlier network was, from {@link FakeNetwork.state}. */
  readonly state?: Partial<FakeState>;
  /** Is given every change before anybody hears of it, to keep it. */
  readonly keep?: (changes: readonly Change[]) => void;
}

/** What a node remembers, at one moment. */
export type Backup = Pick<FakeState, (typeof NODE_TABLES)[number]>;

/** 50 BTC. */
const FIRST_BALANCE_MSAT = 5_000_000_000_000;

/** A node of ours, and the outside around it. It survives the services that connect to it. See the top of this file. */
export class FakeNetwork {
  /** Alice and carol, who pay and are paid. */
  readonly outside: Outside;
  /** The same, for the routes under /playground. */
  readonly control: PlaygroundControl;
  readonly #world: World;
  readonly #log: EventLog;
  readonly #records: OutsideRecords;
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  readonly #gate: Gate;
  #down = new AbortController();

  constructor({ seed = '1', time = noWaiting(), rates = {}, state, keep }: FakeNetworkOptions = {}) {
    const world = new World({ seed: String(seed), time, rates, state, keep });
    this.#world = world;
    this.#log = new EventLog(world);
    this.#records = new OutsideRecords(world);
    this.#outgoing = new Outgoing(world, this.#log, this.#records);
    this.#incoming = new Incoming(world, this.#log, this.#records, (id) => {
      const { node, amountMsat } = this.#records.get(id);
      return routeFee(node, amountMsat);
    });
    this.#gate = new Gate(world, this.#incoming);
    this.outside = new Outside({ world, records: this.#records, incoming: this.#incoming, outgoing: this.#outgoing, gate: this.#gate });
    this.control = fakeControl(this.outside, world);
    world.perform = (deed) => this.#perform(deed);
    if (world.tables.balance.get('local') === undefined) {
      world.step(() => world.tables.balance.put('local', FIRST_BALANCE_MSAT as never));
    }
    world.resume();
  }

  get time(): Time {
    return this.#world.time;
  }

  get rates(): FaultRates {
    return this.#world.faults.rates;
  }

  set rates(rates: Partial<FaultRates>) {
    this.#world.faults.rates = { ...this.#world.faults.rates, ...rates };
  }

  /** A service connects: one life of the port. It ends with `close()`, or with `kill()` as by kill -9; `closed` hears of it. */
  connect({ closed }: { readonly closed?: () => void } = {}): FakeNode {
    return new FakeNode({
      world: this.#world,
      log: this.#log,
      incoming: this.#incoming,
      outgoing: this.#outgoing,
      gate: this.#gate,
      downSignal: () => this.#down.signal,
      left: () => {
        // Whoever waits for a decision that nobody is left to make.
        if (!this.#gate.isGuarded) this.#records.answer();
        closed?.();
      },
    });
  }

  /** What goes wrong with the next call of this name; several wait in line. */
  next(name: CallName, fault: CallFault): void {
    this.#world.faults.next(name, fault);
  }

  /** What goes wrong with every call of this name, until it is given undefined. */
  always(name: CallName, fault: CallFault | undefined): void {
    this.#world.faults.always(name, fault);
  }

  /** Ends all trouble: nothing goes wrong with calls or events from here on. Payments keep their scripts. */
  calm(): void {
    this.#world.faults.calm();
  }

  /** What becomes of the next payment that our node begins, in place of its invoice's script. */
  nextPayment(script: Omit<PaymentScript, 'call'>): void {
    this.#outgoing.script(script);
  }

  /** What happens to the next event: written twice, or only after the one that follows (or a second later). */
  nextEvent(fault: Exclude<EventFault, undefined>): void {
    this.#world.faults.nextEvent(fault);
  }

  /** Our node tells this, true or not: a repetition, a stale failure, a success nobody expects. */
  tell(event: NewEvent): void {
    this.#world.step(() => this.#log.write(event));
  }

  /** Our node cannot be reached: calls throw NodeUnavailable, those under way end in doubt, watches break. */
  down(): void {
    this.#down.abort();
    this.#records.answer();
  }

  up(): void {
    if (!this.#down.signal.aborted) return;
    this.#down = new AbortController();
    this.#gate.askAllAgain();
  }

  restart(): void {
    this.down();
    this.up();
  }

  /** Changes our node's balance by other means than a payment, as its owner or a thief does; negative takes away. */
  addFunds(amountMsat: number): void {
    const { balance } = this.#world.tables;
    this.#world.step(() => balance.put('local', ((balance.get('local') ?? 0) + amountMsat) as Msat));
  }

  /** What our node remembers now. */
  backup(): Backup {
    return copyOf(this.#world.tables, NODE_TABLES);
  }

  /** Our node starts again from a backup: it has forgotten what came after, and its positions go back. The outside forgets nothing. */
  restore(backup: Backup): void {
    this.down();
    this.#world.step(() => fill(this.#world.tables, backup));
    this.#outgoing.reload();
    this.up();
  }

  /** Everything, as plain data: for a network that begins where this one is. */
  state(): FakeState {
    return copyOf(this.#world.tables, TABLE_NAMES);
  }

  #perform(deed: Deed): void {
    switch (deed.type) {
      case 'arrive':
        this.#outgoing.arrive(deed.arrival);
        break;
      case 'fail':
        this.#outgoing.fail(deed.paymentId, deed.reason);
        break;
      case 'claim':
        this.#incoming.claim(deed.paymentHash);
        break;
      case 'give-up':
        this.#records.end(deed.outsideId, 'failed');
        break;
      case 'release':
        this.#log.release();
    }
  }
}
