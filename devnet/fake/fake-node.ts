import type {
  CancelOutcome,
  CreatedInvoice,
  IncomingGuard,
  InvoiceRequest,
  InvoiceStatus,
  KeysendOrder,
  LightningNode,
  NodeEvent,
  NodeInfo,
  PaymentOrder,
  PaymentOutcome,
  Position,
  Route,
  RouteQuery,
} from '../../src/lightning/node.ts';
import { HistoryChanged, NodeUnavailable } from '../../src/lightning/node.ts';
import type { EventLog } from './event-log.ts';
import type { CallFault, CallName } from './faults.ts';
import type { Gate, Guardian } from './gate.ts';
import type { Incoming } from './incoming.ts';
import type { Outgoing } from './outgoing.ts';
import { routesTo } from './routes.ts';
import type { World } from './world.ts';

/** The call was sent, and its answer never came: nobody knows whether the node has done it. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** What a connection needs of its network. */
export interface NodeParts {
  readonly world: World;
  readonly log: EventLog;
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly gate: Gate;
  /** Aborts when the node goes down; a new one for every time it is up. */
  readonly downSignal: () => AbortSignal;
  readonly left: (node: FakeNode) => void;
}

/** One life of a connection between a service and the fake node; the node itself lives on. */
export class FakeNode implements LightningNode, Guardian {
  readonly #parts: NodeParts;
  readonly #closing = new AbortController();
  #guard: IncomingGuard | undefined;
  #isKilled = false;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    parts.gate.add(this);
  }

  get guard(): IncomingGuard | undefined {
    return this.#guard;
  }

  get isAway(): boolean {
    return this.#isKilled || this.#closing.signal.aborted || this.#parts.downSignal().aborted;
  }

  info(): Promise<NodeInfo> {
    const { pubkeys } = this.#parts.world.identities;
    return this.#call('info', () => ({ pubkey: pubkeys.hub, alias: 'fake', network: 'regtest' }));
  }

  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice> {
    return this.#call('createInvoice', () => this.#parts.incoming.createInvoice(request));
  }

  cancelInvoice(paymentHash: string): Promise<CancelOutcome> {
    return this.#call('cancelInvoice', () => this.#parts.incoming.cancelInvoice(paymentHash));
  }

  pay(order: PaymentOrder): Promise<PaymentOutcome> {
    return this.#call('pay', () => this.#parts.outgoing.pay(order), this.#scripted(order));
  }

  keysend(order: KeysendOrder): Promise<PaymentOutcome> {
    return this.#call('keysend', () => this.#parts.outgoing.keysend(order));
  }

  lookupPayment(paymentId: string): Promise<PaymentOutcome | undefined> {
    return this.#call('lookupPayment', () => this.#parts.outgoing.lookup(paymentId));
  }

  lookupInvoice(paymentHash: string): Promise<InvoiceStatus | undefined> {
    return this.#call('lookupInvoice', () => this.#parts.incoming.lookupInvoice(paymentHash));
  }

  queryRoutes(query: RouteQuery): Promise<readonly Route[]> {
    return this.#call('queryRoutes', () => routesTo(this.#parts.world, query));
  }

  balance(): ReturnType<LightningNode['balance']> {
    const { balance } = this.#parts.world.tables;
    return this.#call('balance', () => ({ localMsat: balance.get('local') as Awaited<ReturnType<LightningNode['balance']>>['localMsat'] }));
  }

  claimForLedger(ledgerId: string, replaces: string | undefined): Promise<string> {
    const { ledger } = this.#parts.world.tables;
    return this.#call('claimForLedger', () => {
      const owner = ledger.get('id');
      if (owner === undefined || owner === replaces) ledger.put('id', ledgerId);
      return ledger.get('id') ?? ledgerId;
    });
  }

  guardIncoming(guard: IncomingGuard): void {
    this.#guard = guard;
    this.#parts.gate.askAgain(this);
  }

  knowsPosition(position: Position): Promise<boolean> {
    return this.#call('knowsPosition', () => this.#parts.log.has(position));
  }

  async *watch(position: Position | undefined, signal: AbortSignal): AsyncGenerator<NodeEvent> {
    const { log, world } = this.#parts;
    const down = this.#parts.downSignal();
    const ends = AbortSignal.any([signal, this.#closing.signal, down]);
    for (let after = position; ; ) {
      // Whoever pulls down a dead service in a test must not wait for ever.
      if (this.#isKilled) await aborted(signal);
      if (signal.aborted || this.#closing.signal.aborted) return;
      if (down.aborted) throw new ConnectionLost('the connection to the fake node broke while watching');
      if (after !== undefined && !log.has(after)) throw new HistoryChanged(`the fake node has no event at position ${after}`);
      const event = log.after(after);
      if (!event) {
        await log.news(ends);
        continue;
      }
      if (world.step(() => world.faults.happens('breakWatch'))) throw new ConnectionLost('the watch broke, as the seed would have it');
      after = event.position;
      yield event;
    }
  }

  /** The service ends in good order; the node goes on. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#leave();
  }

  /** The service dies as by kill -9: what it has called never answers, what it watches never says anything more. */
  kill(): void {
    this.#isKilled = true;
    this.#leave();
  }

  #leave(): void {
    this.#parts.gate.remove(this);
    this.#parts.left(this);
  }

  /** The fault that the invoice's script has for the first call which pays it. */
  #scripted({ paymentHash }: PaymentOrder): CallFault | undefined {
    const { tables, draws } = this.#parts.world;
    const fault = tables.outsideInvoices.get(paymentHash)?.script.call;
    return fault && draws.count(`first call ${paymentHash}`) === 0 ? fault : undefined;
  }

  async #call<T>(name: CallName, work: () => T, scripted?: CallFault): Promise<T> {
    if (this.#isKilled) await silence();
    const { world } = this.#parts;
    const fault = world.step(() => world.faults.ofCall(name, scripted));
    if (this.isAway || fault.unavailable) throw new NodeUnavailable('the fake node cannot be reached');
    if (fault.delayMs) await this.#wait(fault.delayMs);
    if (fault.lose === 'call') throw lost(name);
    const answer = world.step(work);
    if (fault.lose === 'answer') throw lost(name);
    if (fault.hang) await this.#wait(undefined);
    return 'instead' in fault ? (fault.instead as T) : answer;
  }

  /** Passes the time, or waits for ever; what breaks the connection meanwhile leaves the call in doubt. */
  async #wait(delayMs: number | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const broken = AbortSignal.any([this.#closing.signal, this.#parts.downSignal()]);
    const fail = (): void => {
      if (!this.#isKilled) reject(new ConnectionLost('the connection to the fake node broke during the call'));
    };
    broken.addEventListener('abort', fail);
    if (delayMs !== undefined) this.#parts.world.time.after(delayMs, resolve);
    await promise.finally(() => broken.removeEventListener('abort', fail));
    if (this.#isKilled) await silence();
  }
}

function lost(name: CallName): ConnectionLost {
  return new ConnectionLost(`the connection to the fake node broke before ${name} was answered`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** What a dead process hears. */
function silence(): Promise<never> {
  return new Promise(() => undefined);
}
