import type { Msat } from '../../src/core/kernel/money.ts';
import type { PlaygroundControl } from '../test-network.ts';
import { ClaimGuards } from './claim-guards.ts';
import { EventLog } from './event-log.ts';
import { FakeNode } from './fake-node.ts';
import type { CallFault, CallName, EventFault, FaultRates } from './faults.ts';
import type { NodeHealth } from './health.ts';
import { Incoming } from './incoming.ts';
import { type Change, NetworkState } from './network-state.ts';
import { Outgoing, routeFee } from './outgoing.ts';
import { fakeControl, Outside } from './outside.ts';
import { OutsideRecords } from './outside-records.ts';
import type { ProfileName } from './profile.ts';
import type { PaymentScript } from './script.ts';
import { type AfterReport, copyOf, type FakeState, fill, type NewEvent, NODE_TABLES, TABLE_NAMES, type TimerAction } from './tables.ts';
import { noWaiting, type Time } from './time.ts';

/*
 * A simulated Lightning network that tests control. It has no channels and no real money. Its invoices are signed BOLT 11 invoices, and its
 * preimages match their payment hashes.
 *
 *   const net = new FakeNetwork({ seed: 'any text' });     // no waiting; or { time: new SteppedTime() }, then net.time.advance(ms)
 *   const node = net.connect();                            // a connection; several may be open at once
 *   startSatchel(config, { openDatabase, openNode: async () => ({ node: net.connect(), playground: net.control }) });
 *
 *   const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000, script: { hold: true } });
 *   net.outside.resolveHold(paymentHash, 'settle');        // or 'cancel'
 *   await net.outside.pay({ paymentRequest: ours });       // an outside node pays us; keysend() likewise
 *   net.outside.payments();                                // the outside nodes' own records, to compare ours with
 *
 *   net.next('pay', { lose: 'answer' });                   // the next call: executed, response lost; also lose: 'call', unavailable, hang,
 *                                                          // executeAfterMs: response lost, executed later
 *   net.always('createInvoice', { unavailable: true });    // every call, until it is set to undefined
 *   net.nextPayment({ lateSuccessMs: 1_000 });             // the next payment; overrides its invoice's script
 *   net.nextEvent('overtaken'); net.tell(event);           // the next event comes late; writes an arbitrary event (a stale failure, a duplicate)
 *   net.nextSettlement({ end: 'lost', afterMs: 0 });       // the next settlement is reported, and never arrives; see AfterReport
 *   net.endSettlement(paymentHash, 'final');               // ends one that was reported and is not final
 *   net.rates = { ...net.rates, loseAnswer: 0.1 };         // random faults, drawn from the seed
 *
 *   new FakeNetwork({ behaves: 'lnd' });                   // payments are hinted at, not reported; the guard decides on keysends only; …
 *   net.health.cannotSend = 'it has no active channel';    // also: the chain, an inactive channel, channels that are being closed
 *   net.addFunds(-900_000);                                // changes the balance without a payment
 *
 *   node.kill();                                           // kill -9 of the service; then net.connect() again
 *   net.restart(); net.down(); net.up();                   // outages of the node
 *   const backup = net.backup(); net.restore(backup);      // the node loses later data; the outside nodes do not
 *   const copy = new FakeNetwork({ seed, state: net.state() });
 */

export interface FakeNetworkOptions {
  /** Determines keys, preimages and random faults. */
  readonly seed?: string | number;
  /** Delays take no time by default. */
  readonly time?: Time;
  /** The rates of random faults; 0 by default. */
  readonly rates?: Partial<FaultRates>;
  /** The program that our node behaves like; `ideal` by default. */
  readonly behaves?: ProfileName;
  /** The state of an earlier network, from {@link FakeNetwork.state}. */
  readonly state?: Partial<FakeState>;
  /** Persists the changes of each step. It runs before any response or event of the step leaves the network. */
  readonly keep?: (changes: readonly Change[]) => void;
}

/** A snapshot of our node's data. */
export type Backup = Pick<FakeState, (typeof NODE_TABLES)[number]>;

/** 50 BTC. */
const FIRST_BALANCE_MSAT = 5_000_000_000_000;

/** Our node and the outside nodes. The network outlives the services that connect to it. For usage, see the top of this file. */
export class FakeNetwork {
  /** The outside nodes alice and carol, which send and receive payments. */
  readonly outside: Outside;
  /** Controls the outside nodes through the routes under /playground. */
  readonly control: PlaygroundControl;
  readonly #network: NetworkState;
  readonly #log: EventLog;
  readonly #records: OutsideRecords;
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;
  readonly #guards: ClaimGuards;
  #down = new AbortController();

  constructor({ seed = '1', time = noWaiting(), rates = {}, behaves = 'ideal', state, keep }: FakeNetworkOptions = {}) {
    const network = new NetworkState({ seed: String(seed), time, rates, behaves, state, keep });
    this.#network = network;
    this.#log = new EventLog(network);
    this.#records = new OutsideRecords(network);
    this.#outgoing = new Outgoing(network, this.#log, this.#records);
    this.#incoming = new Incoming(network, this.#log, this.#records, (id) => {
      const { node, amountMsat } = this.#records.get(id);
      return routeFee(node, amountMsat);
    });
    this.#guards = new ClaimGuards(network, this.#incoming);
    this.outside = new Outside({
      network,
      records: this.#records,
      incoming: this.#incoming,
      outgoing: this.#outgoing,
      guards: this.#guards,
    });
    this.control = fakeControl(this.outside, network);
    network.perform = (action) => this.#perform(action);
    if (network.tables.balance.get('local') === undefined) {
      network.step(() => network.tables.balance.put('local', FIRST_BALANCE_MSAT as never));
    }
    network.resume();
  }

  /** What our node reports about the blockchain and its channels. Tests change it. */
  get health(): NodeHealth {
    return this.#network.health;
  }

  get time(): Time {
    return this.#network.time;
  }

  get rates(): FaultRates {
    return this.#network.faults.rates;
  }

  set rates(rates: Partial<FaultRates>) {
    this.#network.faults.rates = { ...this.#network.faults.rates, ...rates };
  }

  /** Connects a service. The connection ends with `close()`, or with `kill()` as after kill -9; then `closed` is called. */
  connect({ closed }: { readonly closed?: () => void } = {}): FakeNode {
    return new FakeNode({
      network: this.#network,
      log: this.#log,
      incoming: this.#incoming,
      outgoing: this.#outgoing,
      guards: this.#guards,
      downSignal: () => this.#down.signal,
      onDisconnect: () => {
        // Without a guard no decision follows, so the waiting outside payments return their current state.
        if (!this.#guards.isGuarded) this.#records.resolveWaiters();
        closed?.();
      },
    });
  }

  /** Returns how many calls with this name have reached our node or a fault. */
  calls(name: CallName): number {
    return this.#network.faults.calls(name);
  }

  /** Adds a fault for the next call with this name. Several faults apply to successive calls. */
  next(name: CallName, fault: CallFault): void {
    this.#network.faults.next(name, fault);
  }

  /** Sets the fault of every call with this name. `undefined` removes it. */
  always(name: CallName, fault: CallFault | undefined): void {
    this.#network.faults.always(name, fault);
  }

  /** Removes all faults of calls and events. Payments keep their scripts. */
  calm(): void {
    this.#network.faults.calm();
  }

  /** Sets the script of the next payment that our node starts. It overrides the invoice's script. */
  nextPayment(script: Omit<PaymentScript, 'call'>): void {
    this.#outgoing.script(script);
  }

  /** Sets what happens after our node has reported its next settlement. By default, it is final at once. */
  nextSettlement(after: AfterReport): void {
    this.#incoming.plan(after);
  }

  /** Ends a settlement that was reported and is not final: the money is our node's for good, or goes back to the payer. */
  endSettlement(paymentHash: string, end: 'final' | 'lost'): void {
    this.#network.step(() => this.#incoming.endSettlement(paymentHash, end));
  }

  /** Sets the fault of the next event: written twice, or written after the next event (at the latest a second later). */
  nextEvent(fault: Exclude<EventFault, undefined>): void {
    this.#network.faults.nextEvent(fault);
  }

  /** Writes an event of our node, true or false: a duplicate, a stale failure, an unexpected success. */
  tell(event: NewEvent): void {
    this.#network.step(() => this.#log.write(event));
  }

  /** Makes our node unreachable: new calls throw NodeUnavailable, calls in flight throw ConnectionLost, and watches break. */
  down(): void {
    this.#down.abort();
    this.#records.resolveWaiters();
  }

  up(): void {
    if (!this.#down.signal.aborted) return;
    this.#down = new AbortController();
    this.#guards.requestAllWaiting();
  }

  restart(): void {
    this.down();
    this.up();
  }

  /** Changes our node's balance without a payment, as its operator or a thief could. A negative amount lowers it. */
  addFunds(amountMsat: number): void {
    const { balance } = this.#network.tables;
    this.#network.step(() => balance.put('local', ((balance.get('local') ?? 0) + amountMsat) as Msat));
  }

  /** Returns a snapshot of our node's data. */
  backup(): Backup {
    return copyOf(this.#network.tables, NODE_TABLES);
  }

  /** Restarts our node from a backup. It loses later data, and its event numbers go back. The outside nodes keep their data. */
  restore(backup: Backup): void {
    this.down();
    this.#network.step(() => fill(this.#network.tables, backup));
    this.#outgoing.reload();
    this.up();
  }

  /** Returns the whole state as plain data, for a network that continues from it. */
  state(): FakeState {
    return copyOf(this.#network.tables, TABLE_NAMES);
  }

  #perform(action: TimerAction): void {
    switch (action.type) {
      case 'arrive':
        this.#outgoing.arrive(action.arrival);
        break;
      case 'fail':
        this.#outgoing.fail(action.paymentId, action.reason);
        break;
      case 'claim':
        this.#incoming.claim(action.paymentHash);
        break;
      case 'end-settlement':
        this.#incoming.endSettlement(action.paymentHash);
        break;
      case 'give-up':
        this.#records.end(action.outsideId, 'failed');
        break;
      case 'release':
        this.#log.release();
    }
  }
}
