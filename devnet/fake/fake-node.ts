import { ZERO_MSAT } from '../../src/core/kernel/money.ts';
import type {
  CancelOutcome,
  CreatedInvoice,
  FoundHoldInvoice,
  HeldPayment,
  HoldInvoiceRequest,
  IncomingGuard,
  InvoiceRequest,
  InvoiceStatus,
  KeysendOrder,
  LightningNode,
  NodeEvent,
  NodeInfo,
  PaymentOrder,
  PaymentOutcome,
  PaymentReference,
  Position,
  SentPayment,
  Settlement,
  SettlementFinality,
  SettlementReference,
  SettleOutcome,
} from '../../src/core/lightning/node.ts';
import { HistoryChanged, NodeUnavailable, NotPermitted } from '../../src/core/lightning/node.ts';
import type { ClosedChannel, NodeChannel } from '../../src/core/lightning/node-channel.ts';
import type { PaymentEvidence } from '../../src/core/lightning/payment-evidence.ts';
import type { RecordPage, RecordQuery } from '../../src/core/lightning/record-page.ts';
import type { Route, RouteQuery } from '../../src/core/lightning/route.ts';
import { channelsOf } from './channels.ts';
import type { ClaimGuards, GuardConnection } from './claim-guards.ts';
import type { EventLog } from './event-log.ts';
import type { CallFault, CallName } from './faults.ts';
import type { Incoming } from './incoming.ts';
import type { NetworkState } from './network-state.ts';
import type { Outgoing } from './outgoing.ts';
import { reported } from './profile.ts';
import { routesTo } from './routes.ts';

/** The connection broke before the response arrived. The outcome of the call is unknown. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The parts of the fake network that a connection uses. */
export interface NodeParts {
  readonly network: NetworkState;
  readonly log: EventLog;
  readonly incoming: Incoming;
  readonly outgoing: Outgoing;
  readonly guards: ClaimGuards;
  /** Returns the signal that aborts when the node goes down. Each time the node comes up, there is a new signal. */
  readonly downSignal: () => AbortSignal;
  readonly onDisconnect: (node: FakeNode) => void;
}

/** A connection of one service process to the fake node. The node keeps running when the connection ends. */
export class FakeNode implements LightningNode, GuardConnection {
  readonly #parts: NodeParts;
  readonly #closing = new AbortController();
  #guard: IncomingGuard | undefined;
  #isKilled = false;
  readonly watchPayments?: (signal: AbortSignal) => AsyncIterable<string>;

  constructor(parts: NodeParts) {
    this.#parts = parts;
    parts.guards.add(this);
    if (!parts.network.profile.reportsPayments) this.watchPayments = (signal) => this.#watchHints(signal);
  }

  get lateRequestMs(): number {
    return this.#parts.network.profile.graceMs;
  }

  get guard(): IncomingGuard | undefined {
    return this.#guard;
  }

  get isAway(): boolean {
    return this.#isKilled || this.#closing.signal.aborted || this.#parts.downSignal().aborted;
  }

  info(): Promise<NodeInfo> {
    const { profile, health } = this.#parts.network;
    const { pubkeys } = this.#parts.network.identities;
    return this.#call('info', () => ({
      pubkey: pubkeys.hub,
      alias: 'fake',
      network: 'regtest',
      software: profile.software,
      capabilities: profile.capabilities,
      chain: health.chain,
      ...(health.cannotSend !== undefined && { cannotSend: health.cannotSend }),
    }));
  }

  createInvoice(request: InvoiceRequest): Promise<CreatedInvoice> {
    return this.#call('createInvoice', () => this.#parts.incoming.createInvoice(request));
  }

  createHoldInvoice(request: HoldInvoiceRequest): Promise<CreatedInvoice> {
    return this.#call('createHoldInvoice', () => this.#parts.incoming.createHoldInvoice(request));
  }

  settleHoldInvoice(preimage: string): Promise<SettleOutcome> {
    return this.#call('settleHoldInvoice', () => this.#parts.incoming.settleHoldInvoice(preimage));
  }

  findHoldInvoice(paymentHash: string): Promise<FoundHoldInvoice | undefined> {
    return this.#call('findHoldInvoice', () => this.#parts.incoming.findHoldInvoice(paymentHash));
  }

  listHeldPayments(): Promise<readonly HeldPayment[]> {
    return this.#call('listHeldPayments', () => this.#parts.incoming.listHeldPayments());
  }

  cancelInvoice(paymentHash: string): Promise<CancelOutcome> {
    return this.#call('cancelInvoice', () => this.#parts.incoming.cancelInvoice(paymentHash));
  }

  pay(order: PaymentOrder): Promise<PaymentOutcome> {
    return this.#call('pay', () => this.#reported(this.#parts.outgoing.pay(order), order), this.#scripted(order));
  }

  keysend(order: KeysendOrder): Promise<PaymentOutcome> {
    return this.#call('keysend', () => this.#reported(this.#parts.outgoing.keysend(order), order));
  }

  lookupPayment(payment: PaymentReference): Promise<PaymentOutcome | undefined> {
    return this.#call('lookupPayment', () => {
      const outcome = this.#parts.outgoing.lookup(payment);
      return outcome && this.#reported(outcome, payment);
    });
  }

  lookupInvoice(paymentHash: string): Promise<InvoiceStatus | undefined> {
    return this.#call('lookupInvoice', () => this.#parts.incoming.lookupInvoice(paymentHash));
  }

  /** Never waits, so that tests decide when a settlement is final. */
  settlementFinality({ paymentHash }: SettlementReference): Promise<SettlementFinality> {
    return this.#call('settlementFinality', () => this.#parts.incoming.settlementFinality(paymentHash));
  }

  readSentPayments(query: RecordQuery): Promise<RecordPage<SentPayment>> {
    return this.#call('readSentPayments', () => this.#parts.outgoing.readSent(query));
  }

  readSettlements(query: RecordQuery): Promise<RecordPage<Settlement>> {
    return this.#call('readSettlements', () => this.#parts.log.readSettlements(query));
  }

  collectEvidence({ paymentHash }: PaymentReference): Promise<PaymentEvidence> {
    return this.#call('collectEvidence', () => this.#parts.outgoing.evidence(paymentHash));
  }

  queryRoutes(query: RouteQuery): Promise<readonly Route[]> {
    return this.#call('queryRoutes', () => routesTo(this.#parts.network, query));
  }

  listChannels(): Promise<readonly NodeChannel[]> {
    return this.#call('listChannels', () => channelsOf(this.#parts.network));
  }

  balance(): ReturnType<LightningNode['balance']> {
    const { tables, health, identities } = this.#parts.network;
    return this.#call('balance', () => ({
      localMsat: tables.balance.get('local') ?? ZERO_MSAT,
      openChannels: [identities.secret('channel to alice')],
      closing: health.closing,
    }));
  }

  closedChannels(ids: readonly string[]): Promise<readonly ClosedChannel[]> {
    const { health } = this.#parts.network;
    return this.#call('closedChannels', () => health.closed.filter(({ id }) => ids.includes(id)));
  }

  claimForLedger(ledgerId: string, replaces: string | undefined): Promise<string> {
    const { ledger } = this.#parts.network.tables;
    return this.#call('claimForLedger', () => {
      const owner = ledger.get('id');
      if (owner === undefined || owner === replaces) ledger.put('id', ledgerId);
      return ledger.get('id') ?? ledgerId;
    });
  }

  guardIncoming(guard: IncomingGuard): void {
    this.#guard = guard;
    this.#parts.guards.requestWaiting(this);
  }

  knowsPosition(position: Position): Promise<boolean> {
    return this.#call('knowsPosition', () => this.#parts.log.has(position));
  }

  async *watch(position: Position | undefined, signal: AbortSignal): AsyncGenerator<NodeEvent> {
    const { log, network } = this.#parts;
    const down = this.#parts.downSignal();
    const ended = AbortSignal.any([signal, this.#closing.signal, down]);
    for (let after = position; ; ) {
      // The watch of a killed service yields nothing more, but it still ends when the caller aborts, so that a test can shut it down.
      if (this.#isKilled) await aborted(signal);
      if (signal.aborted || this.#closing.signal.aborted) return;
      if (down.aborted) throw new ConnectionLost('the connection to the fake node broke while watching');
      if (after !== undefined && !log.has(after)) throw new HistoryChanged(`the fake node has no event at position ${after}`);
      const event = log.after(after);
      if (!event) {
        await log.waitForChange(ended);
        continue;
      }
      if (network.step(() => network.faults.happens('breakWatch')))
        throw new ConnectionLost('the watch broke: a fault drawn from the seed');
      after = event.position;
      yield event;
    }
  }

  /** Disconnects a service that shuts down. The node keeps running. */
  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#disconnect();
  }

  /** Simulates kill -9 of the service: its pending calls never resolve, and its watches yield nothing more. */
  kill(): void {
    this.#isKilled = true;
    this.#disconnect();
  }

  #disconnect(): void {
    this.#parts.guards.remove(this);
    this.#parts.onDisconnect(this);
  }

  #reported(outcome: PaymentOutcome, payment: PaymentReference): PaymentOutcome {
    const { time, profile } = this.#parts.network;
    return reported(outcome, payment, time.nowMs(), profile);
  }

  async *#watchHints(signal: AbortSignal): AsyncGenerator<string> {
    const hashes: string[] = [];
    const ended = AbortSignal.any([signal, this.#closing.signal, this.#parts.downSignal()]);
    let wake = (): void => undefined;
    this.#parts.log.onHint((paymentHash) => {
      hashes.push(paymentHash);
      wake();
    }, ended);
    ended.addEventListener('abort', () => wake(), { once: true });
    while (!ended.aborted && !this.#isKilled) {
      const next = hashes.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  /** Returns the fault that the invoice's script defines for the first `pay` call. */
  #scripted({ paymentHash }: PaymentOrder): CallFault | undefined {
    const { tables, draws } = this.#parts.network;
    const fault = tables.outsideInvoices.get(paymentHash)?.script.call;
    return fault && draws.count(`first call ${paymentHash}`) === 0 ? fault : undefined;
  }

  async #call<T>(name: CallName, work: () => T, scripted?: CallFault): Promise<T> {
    if (this.#isKilled) await never();
    const { network } = this.#parts;
    const fault = network.step(() => network.faults.ofCall(name, scripted));
    if (this.isAway || fault.unavailable) throw new NodeUnavailable('the fake node cannot be reached');
    if (fault.notPermitted) throw new NotPermitted('the fake node does not permit this call');
    if (fault.delayMs) await this.#wait(fault.delayMs);
    if (fault.executeAfterMs !== undefined) {
      network.time.after(fault.executeAfterMs, () => network.step(work));
      throw lost(name);
    }
    if (fault.lose === 'call') throw lost(name);
    const result = network.step(work);
    if (fault.lose === 'answer') throw lost(name);
    if (fault.hang) await this.#wait(undefined);
    return 'instead' in fault ? (fault.instead as T) : result;
  }

  /** Waits for the delay, or without limit. Rejects with {@link ConnectionLost} when the connection breaks meanwhile. */
  async #wait(delayMs: number | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const broken = AbortSignal.any([this.#closing.signal, this.#parts.downSignal()]);
    const fail = (): void => {
      if (!this.#isKilled) reject(new ConnectionLost('the connection to the fake node broke during the call'));
    };
    broken.addEventListener('abort', fail);
    if (delayMs !== undefined) this.#parts.network.time.after(delayMs, resolve);
    await promise.finally(() => broken.removeEventListener('abort', fail));
    if (this.#isKilled) await never();
  }
}

function lost(name: CallName): ConnectionLost {
  return new ConnectionLost(`the connection to the fake node broke before the response to ${name}`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

/** Returns a promise that never resolves, as a call of a killed process. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
