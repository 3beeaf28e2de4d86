import { type Msat, msat } from '../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import type {
  FailureReason,
  KeysendOrder,
  PaymentOrder,
  PaymentOutcome,
  PaymentReference,
  SendOrder,
  SentPayment,
} from '../../src/core/lightning/node.ts';
import type { PaymentEvidence } from '../../src/core/lightning/payment-evidence.ts';
import type { RecordPage, RecordQuery } from '../../src/core/lightning/record-page.ts';
import { requireId, requireKeysendOrder, requirePaymentOrder } from '../checks.ts';
import { type OutsideName, PlaygroundRefusal } from '../test-network.ts';
import type { EventLog } from './event-log.ts';
import { MAX_PAYMENT_DELAY_MS } from './faults.ts';
import type { NetworkState } from './network-state.ts';
import type { OutsideRecords } from './outside-records.ts';
import type { PaymentScript } from './script.ts';
import type { Arrival, OutsideInvoiceRow } from './tables.ts';

type Order = SendOrder & Pick<Partial<PaymentOrder>, 'paymentRequest'>;

/** The target of a payment: a node that has the preimage, or the reason why there is none. */
type Target = { readonly at: OutsideName; readonly preimage: string; readonly script: PaymentScript } | { readonly nowhere: FailureReason };

const LATE_MS = 5_000;
const MAX_PAGE = 1_000;

/** The payments that our node sends, at most one per payment id. */
export class Outgoing {
  readonly #network: NetworkState;
  readonly #log: EventLog;
  readonly #records: OutsideRecords;
  readonly #scripts: PaymentScript[] = [];
  /** Payment ids by payment hash. */
  #attempts = new Map<string, string[]>();

  constructor(network: NetworkState, log: EventLog, records: OutsideRecords) {
    this.#network = network;
    this.#log = log;
    this.#records = records;
    this.reload();
  }

  /** Rebuilds the index after the node's data was replaced. */
  reload(): void {
    this.#attempts = new Map();
    for (const [paymentId, { paymentHash }] of this.#network.tables.outgoing.entries()) this.#index(paymentId, paymentHash);
  }

  /** Sets the script of the next payment that starts. It overrides the invoice's script. */
  script(script: PaymentScript): void {
    this.#scripts.push(script);
  }

  pay(order: PaymentOrder): PaymentOutcome {
    requirePaymentOrder(order);
    const invoice = this.#invoice(order);
    return this.#once(order, () => this.#targetOf(order, invoice));
  }

  keysend(order: KeysendOrder): PaymentOutcome {
    requireKeysendOrder(order);
    const at = this.#nameOf(order.destination);
    return this.#once(order, () => (at ? { at, preimage: order.preimage, script: {} } : { nowhere: 'NO_ROUTE' }));
  }

  lookup({ paymentId, paymentHash, isForeign }: PaymentReference): PaymentOutcome | undefined {
    requireId('paymentId', paymentId);
    const { outgoing } = this.#network.tables;
    if (isForeign) return outgoing.get(this.#attempts.get(paymentHash)?.at(-1) ?? '')?.outcome;
    const payment = outgoing.get(paymentId);
    const newest = payment && this.#attempts.get(payment.paymentHash)?.at(-1);
    if (this.#network.profile.replacesRecords && newest !== paymentId) return undefined;
    return payment?.outcome;
  }

  /** A node that replaces records lists only the newest payment of a hash. */
  readSent({ sinceSeconds, cursor = '0', limit = MAX_PAGE }: RecordQuery): RecordPage<SentPayment> {
    const start = Number(cursor);
    const end = start + Math.min(limit, MAX_PAGE);
    const page = [...this.#network.tables.outgoing.entries()].slice(start, end);
    const isListed = ([paymentId, { paymentHash, createdAt }]: (typeof page)[number]) =>
      createdAt >= sinceSeconds && (!this.#network.profile.replacesRecords || this.#attempts.get(paymentHash)?.at(-1) === paymentId);
    const records = page.filter(isListed).map(([, payment]) => payment);
    return { records, ...(page.length > 0 && { next: String(start + page.length) }) };
  }

  /** Returns what the node's records show about a payment: whether its money is on the way. */
  evidence(paymentHash: string): PaymentEvidence {
    const { held, timers } = this.#network.tables;
    const isUnderway = [...timers.values()].some(({ deed }) => deed.type === 'arrive' && deed.arrival.paymentHash === paymentHash);
    const holds = held.get(paymentHash) === undefined && !isUnderway;
    return {
      items: [{ fact: 'No channel has an HTLC with this payment hash.', holds, detail: holds ? '0 HTLCs' : '1 HTLC' }],
      provesFailure: holds,
      isWithoutHtlc: holds,
    };
  }

  /** Completes a payment at the receiver. Our balance falls even if our node lost the payment or reported it as failed. */
  arrive({ paymentId, paymentHash, preimage, amountMsat, feeMsat, outsideId }: Arrival): void {
    const { balance, outsideInvoices, outgoing } = this.#network.tables;
    if (this.#records.get(outsideId).state !== 'pending') {
      // Another payment with this hash came first. A receiver takes a hash once.
      if (outgoing.get(paymentId)?.outcome.state === 'pending') this.fail(paymentId, 'INCORRECT_PAYMENT_DETAILS');
      return;
    }
    this.#records.end(outsideId, 'succeeded');
    balance.put('local', msat((balance.get('local') ?? 0) - amountMsat - feeMsat));
    const invoice = outsideInvoices.get(paymentHash);
    if (invoice) outsideInvoices.put(paymentHash, { ...invoice, state: 'settled' });
    this.#conclude(paymentId, { state: 'succeeded', preimage, feeMsat });
  }

  /** Marks a payment as failed. */
  fail(paymentId: string, reason: FailureReason): void {
    this.#conclude(paymentId, { state: 'failed', reason });
  }

  #once(order: Order, target: () => Target): PaymentOutcome {
    const { outgoing } = this.#network.tables;
    const known = outgoing.get(order.paymentId);
    if (known && known.paymentHash !== order.paymentHash) throw new PlaygroundRefusal('paymentId belongs to another payment hash');
    if (!known) this.#start(order, target());
    return outgoing.get(order.paymentId)?.outcome ?? { state: 'pending' };
  }

  #start(order: Order, target: Target): void {
    const { paymentId, paymentHash, amountMsat, marker, paymentRequest } = order;
    const obstacle = 'nowhere' in target ? target.nowhere : this.#obstacle(order);
    if (this.#network.faults.happens('stale')) this.repeatFailures(paymentHash);
    this.#network.tables.outgoing.put(paymentId, {
      paymentHash,
      amountMsat,
      marker,
      paymentRequest,
      createdAt: this.#network.nowSeconds(),
      outcome: { state: 'pending' },
    });
    this.#index(paymentId, paymentHash);
    if (obstacle || 'nowhere' in target) this.fail(paymentId, obstacle ?? 'NO_ROUTE');
    else this.#send(order, target);
  }

  #send(order: Order, target: Extract<Target, { at: OutsideName }>): void {
    const { paymentId, paymentHash, amountMsat, feeLimitMsat } = order;
    const script = this.#scripts.shift() ?? this.#drawn(target.script);
    const feeMsat = feeOf(script, target.at, order);
    if (feeMsat > feeLimitMsat && !script.ignoresFeeLimit) this.fail(paymentId, 'NO_ROUTE');
    else if (script.fail) this.#failLater(paymentId, script.fail, script.delayMs);
    else if (script.stuck) return;
    else {
      const outsideId = this.#records.begin({ node: target.at, direction: 'received', paymentHash, amountMsat });
      this.#travel({ paymentId, paymentHash, preimage: target.preimage, amountMsat, feeMsat, outsideId }, script);
    }
  }

  #travel(arrival: Arrival, script: PaymentScript): void {
    const { held, outsideInvoices } = this.#network.tables;
    if (script.lateSuccessMs !== undefined && this.#network.profile.misreports) this.fail(arrival.paymentId, 'TIMEOUT');
    const delayMs = script.lateSuccessMs ?? script.delayMs;
    if (script.hold) {
      held.put(arrival.paymentHash, arrival);
      const invoice = outsideInvoices.get(arrival.paymentHash);
      if (invoice) outsideInvoices.put(arrival.paymentHash, { ...invoice, hold: true, state: 'held' });
    } else if (delayMs !== undefined) this.#network.schedule(delayMs, { type: 'arrive', arrival });
    else this.arrive(arrival);
  }

  /** Reports the failures of earlier payments of this hash again. */
  repeatFailures(paymentHash: string): void {
    for (const paymentId of this.#attempts.get(paymentHash) ?? []) {
      const outcome = this.#network.tables.outgoing.get(paymentId)?.outcome;
      if (outcome?.state === 'failed' && this.#network.profile.reportsPayments) this.#log.append({ type: 'payment', paymentId, outcome });
    }
  }

  /** Adds random faults to a payment without a script. */
  #drawn(script: PaymentScript): PaymentScript {
    const { faults, draws } = this.#network;
    if (Object.keys(script).length > 0) return script;
    const slow = faults.happens('slow') ? { delayMs: draws.below('slowMs', MAX_PAYMENT_DELAY_MS) } : {};
    if (faults.happens('fail')) return { ...slow, fail: 'NO_ROUTE' };
    return faults.happens('lateSuccess') ? { lateSuccessMs: LATE_MS } : slow;
  }

  /** Returns the reason for which the node cannot send the payment, if any. */
  #obstacle(order: Order): FailureReason | undefined {
    const { outgoing, balance } = this.#network.tables;
    const others = (this.#attempts.get(order.paymentHash) ?? []).map((paymentId) => outgoing.get(paymentId)?.outcome.state);
    if (others.includes('succeeded')) return 'INCORRECT_PAYMENT_DETAILS';
    if (others.includes('pending')) return 'ERROR';
    return (balance.get('local') ?? 0) < order.amountMsat ? 'INSUFFICIENT_BALANCE' : undefined;
  }

  #failLater(paymentId: string, reason: FailureReason, delayMs: number | undefined): void {
    if (delayMs === undefined) this.fail(paymentId, reason);
    else this.#network.schedule(delayMs, { type: 'fail', paymentId, reason });
  }

  #conclude(paymentId: string, outcome: PaymentOutcome): void {
    const payment = this.#network.tables.outgoing.get(paymentId);
    // A node that was restored from an older backup has no record of the payment.
    if (!payment) return;
    this.#network.tables.outgoing.put(paymentId, { ...payment, outcome, endedAt: this.#network.nowSeconds() });
    if (this.#network.profile.reportsPayments) this.#log.append({ type: 'payment', paymentId, outcome });
    else this.#log.hint(payment.paymentHash);
  }

  /** Returns the invoice's row at its receiver; undefined for an invoice of no node here. */
  #invoice({ paymentHash, paymentRequest, amountMsat }: PaymentOrder): OutsideInvoiceRow | undefined {
    const made = this.#network.tables.outsideInvoices.get(paymentHash);
    // Decoding verifies a signature, which is slow. An invoice that this network created needs no decoding.
    const invoice = made?.paymentRequest === paymentRequest ? { ...made, paymentHash } : tryDecode(paymentRequest);
    if (!invoice) return undefined;
    if (invoice.paymentHash !== paymentHash) throw new PlaygroundRefusal('the invoice has another payment hash');
    if ((invoice.amountMsat ?? amountMsat) !== amountMsat) throw new PlaygroundRefusal('the invoice states another amount');
    return made?.paymentRequest === paymentRequest ? made : undefined;
  }

  #targetOf({ paymentRequest }: PaymentOrder, invoice: OutsideInvoiceRow | undefined): Target {
    const expiresAt = invoice?.expiresAt ?? tryDecode(paymentRequest)?.expiresAt;
    if (expiresAt === undefined) return { nowhere: 'ERROR' };
    if (expiresAt < this.#network.nowSeconds()) return { nowhere: 'TIMEOUT' };
    if (!invoice) return { nowhere: 'NO_ROUTE' };
    // The receiver rejects a second payment of a hash.
    if (invoice.state !== 'open') return { nowhere: 'INCORRECT_PAYMENT_DETAILS' };
    const script = invoice.hold ? { ...invoice.script, hold: true } : invoice.script;
    return { at: invoice.at, preimage: invoice.preimage, script };
  }

  #nameOf(pubkey: string): OutsideName | undefined {
    const { alice, carol } = this.#network.identities.pubkeys;
    return pubkey === alice ? 'alice' : pubkey === carol ? 'carol' : undefined;
  }

  #index(paymentId: string, paymentHash: string): void {
    this.#attempts.set(paymentHash, [...(this.#attempts.get(paymentHash) ?? []), paymentId]);
  }
}

function tryDecode(paymentRequest: string) {
  try {
    return decodeBolt11(paymentRequest);
  } catch {
    return undefined;
  }
}

/** Returns the routing fee in msat: 1 sat plus 0.01 % to carol, who is reached through alice; 0 to alice, our direct peer. */
export function routeFee(node: OutsideName, amountMsat: Msat): Msat {
  return msat(node === 'alice' ? 0 : 1_000 + Math.floor(amountMsat / 10_000));
}

function feeOf(script: PaymentScript, at: OutsideName, order: Order): Msat {
  if (script.fee === 'limit') return order.feeLimitMsat;
  if (script.fee === 'double') return order.amountMsat;
  return script.fee === undefined ? routeFee(at, order.amountMsat) : msat(script.fee);
}
