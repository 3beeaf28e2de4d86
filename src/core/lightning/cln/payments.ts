import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '../../kernel/clock.ts';
import { type Bolt11, decodeBolt11, InvalidInvoice } from '../bolt11/bolt11.ts';
import { type FailureReason, NodeUnavailable, type PaymentOrder, type PaymentOutcome, type PaymentReference } from '../node.ts';
import { ownBalanceMsat } from './channels.ts';
import type { Datastore } from './datastore.ts';
import { type ErrorMeaning, meaningOf, ResponseLost } from './errors.ts';
import type { NodeHistory } from './history.ts';
import { isAny, outcomeOf, readRows } from './rows.ts';
import type { ClnRpc } from './rpc.ts';
import { type SendRecord, SendRecords } from './send-records.ts';
import { UnclearPayments } from './unclear-payments.ts';

export interface ClnPaymentsOptions {
  readonly rpc: ClnRpc;
  readonly datastore: Datastore;
  readonly history: NodeHistory;
  /** Returns the public key of the node. */
  readonly nodeId: () => Promise<string>;
  readonly timing?: PaymentTiming | undefined;
}

export interface PaymentTiming {
  /** How long a call of `pay` waits for the end of the payment. */
  readonly waitMs: number;
  /** See {@link UnclearPayments}. */
  readonly quietMs: number;
}

/** `xpay` starts no new part after this time. A part that is in flight then may take longer. */
const RETRY_SECONDS = 40;
/** `waitMs` is less than the limit of a call in the service. `quietMs` covers the retries and a slow response. */
const TIMING: PaymentTiming = { waitMs: 50_000, quietMs: (RETRY_SECONDS + 30) * 1000 };
/** lightningd responds when the payment has ended, which takes as long as a receiver holds it. Afterwards only the rows are read. */
const XPAY_MS = 600_000;
/** After `xpay` has returned success, other parts need this long in most cases. */
const OTHER_PARTS_MS = [50, 200, 750];

/** What a failed call means when nothing is in flight. Other errors prove nothing. */
const REASONS: Partial<Record<ErrorMeaning, FailureReason>> = {
  invalid_request: 'ERROR',
  expired: 'TIMEOUT',
  no_route: 'NO_ROUTE',
  fee_limit: 'NO_ROUTE',
  rejected: 'INCORRECT_PAYMENT_DETAILS',
  gave_up: 'NO_ROUTE',
  timed_out: 'TIMEOUT',
  already_paid: 'ERROR',
};

/** The errors after which parts were sent. */
const HAVE_SENT: readonly ErrorMeaning[] = ['rejected', 'gave_up', 'timed_out'];

/** A call of `pay` that has not ended. Later calls for the same payment join it. */
interface OpenCall {
  readonly ended: Promise<PaymentOutcome>;
  /** Whether the datastore has the record, so that the payment is not lost. */
  isRecorded: boolean;
}

/**
 * Pays invoices with `xpay`. The rows decide, never the response: lightningd returns errors while parts are in flight, and for invoices that
 * it has paid. It sends no second payment of a hash while one is in flight, or after one has succeeded, so repeating a request is safe.
 */
export class ClnPayments {
  readonly #options: ClnPaymentsOptions;
  readonly #timing: PaymentTiming;
  readonly #records: SendRecords;
  readonly #unclear: UnclearPayments;
  /** By payment id. */
  readonly #open = new Map<string, OpenCall>();

  constructor(options: ClnPaymentsOptions) {
    this.#options = options;
    this.#timing = options.timing ?? TIMING;
    this.#records = new SendRecords(options.datastore);
    const { rpc, history } = options;
    const rows = (payment: PaymentReference) => readRows(rpc, history, payment);
    this.#unclear = new UnclearPayments({ rpc, records: this.#records, rows, quietMs: this.#timing.quietMs });
  }

  async pay(order: PaymentOrder): Promise<PaymentOutcome> {
    const invoice = readInvoice(order);
    if (!invoice) return { state: 'failed', reason: 'ERROR' };
    const call = this.#open.get(order.paymentId) ?? this.#begin(order, invoice);
    const onTimeout = () => new WaitEnded();
    try {
      return await withTimeout(this.#timing.waitMs, call.ended, onTimeout);
    } catch (error) {
      if (error instanceof WaitEnded && call.isRecorded) return { state: 'pending' };
      throw error;
    }
  }

  async lookup(payment: PaymentReference): Promise<PaymentOutcome | undefined> {
    const { known, record, own } = await this.#read(payment);
    if (known) return known;
    if (this.#open.get(payment.paymentId)?.isRecorded) return { state: 'pending' };
    if (!record && own.length === 0) return undefined;
    return await this.#unclear.observe(payment, record, 'ERROR');
  }

  #begin(order: PaymentOrder, invoice: Bolt11): OpenCall {
    const { promise, resolve, reject } = Promise.withResolvers<PaymentOutcome>();
    const call: OpenCall = { ended: promise, isRecorded: false };
    this.#open.set(order.paymentId, call);
    promise.catch(() => undefined);
    void this.#run(order, invoice, call)
      .finally(() => this.#open.delete(order.paymentId))
      .then(resolve, reject);
    return call;
  }

  async #run(order: PaymentOrder, invoice: Bolt11, call: OpenCall): Promise<PaymentOutcome> {
    for (;;) {
      const { known, record, others } = await this.#read(order);
      if (known) return known;
      const recorded = await this.#records.recordRequest(order, record);
      if (!recorded) continue;
      call.isRecorded = true;
      const isFirst = recorded.generation === 0 && order.unclearSinceMs === undefined;
      // lightningd would reject the call; and it would pay an invoice of its own, without a channel.
      const isPaidByOther = isAny(others, 'complete') || isAny(others, 'pending');
      if (isPaidByOther || invoice.payee === (await this.#options.nodeId())) return await this.#fail(order, recorded, isFirst, 'ERROR');
      return await this.#send(order, invoice, recorded, isFirst);
    }
  }

  /** Reads everything that the node has about a payment. Always called before a request to pay. */
  async #read(payment: PaymentReference) {
    const { rpc, history } = this.#options;
    const [rows, record] = await Promise.all([readRows(rpc, history, payment), this.#records.read(payment)]);
    const failed: PaymentOutcome | undefined = record?.failed && { state: 'failed', reason: record.failed };
    const known = outcomeOf(rows.own) ?? failed;
    if (known) this.#unclear.forget(payment.paymentId);
    return { ...rows, record, known };
  }

  async #send(order: PaymentOrder, invoice: Bolt11, record: SendRecord, isFirst: boolean): Promise<PaymentOutcome> {
    const { rpc } = this.#options;
    const amount = invoice.amountMsat === undefined ? { amount_msat: order.amountMsat } : {};
    const limits = { maxfee: order.feeLimitMsat, retry_for: RETRY_SECONDS };
    const parameters = { invstring: invoice.paymentRequest, ...amount, ...limits, label: order.paymentId };
    let error: unknown;
    try {
      await rpc.send('xpay', parameters, { timeoutMs: XPAY_MS });
    } catch (thrown) {
      if (thrown instanceof NodeUnavailable) throw thrown;
      error = thrown;
    }
    try {
      return error === undefined ? await this.#concludeSuccess(order) : await this.#concludeError(order, record, isFirst, error);
    } catch (thrown) {
      // The node became unavailable after the request, so `NodeUnavailable` would wrongly report that nothing was sent.
      throw thrown instanceof NodeUnavailable ? new ResponseLost(thrown.message) : thrown;
    }
  }

  async #concludeSuccess(order: PaymentOrder): Promise<PaymentOutcome> {
    let { known } = await this.#read(order);
    for (const ms of OTHER_PARTS_MS) {
      if (known?.state !== 'pending') break;
      await delay(ms);
      ({ known } = await this.#read(order));
    }
    if (!known) throw new Error('lightningd reports a success without a record of the payment; the outcome is unknown');
    return known;
  }

  async #concludeError(order: PaymentOrder, record: SendRecord, isFirst: boolean, error: unknown): Promise<PaymentOutcome> {
    const { known, others } = await this.#read(order);
    if (known) return known;
    const meaning = meaningOf(error);
    const isOther = isAny(others, 'pending') || isAny(others, 'complete');
    if (meaning === 'in_flight') return isOther ? await this.#fail(order, record, isFirst, 'ERROR') : { state: 'pending' };
    const reason = REASONS[meaning];
    if (!reason) throw error;
    const isTooMuch = meaning === 'no_route' && order.amountMsat > (await ownBalanceMsat(this.#options.rpc));
    // xpay may start one more part while it returns an error.
    const late = HAVE_SENT.includes(meaning) ? await this.#unclear.recheck(order) : undefined;
    return late ?? (await this.#fail(order, record, isFirst, isTooMuch ? 'INSUFFICIENT_BALANCE' : reason));
  }

  /** Ends the payment as failed, unless an earlier request may still be executed. */
  async #fail(order: PaymentOrder, record: SendRecord, isFirst: boolean, reason: FailureReason): Promise<PaymentOutcome> {
    if (!isFirst) return await this.#unclear.observe(order, record, reason);
    return (await this.#records.recordFailure(order, record, reason)) ? { state: 'failed', reason } : { state: 'pending' };
  }
}

/** The time to wait has passed. The payment goes on. */
class WaitEnded extends Error {
  override readonly name = 'WaitEnded';

  constructor() {
    super('lightningd did not answer in time; the outcome of the payment is unknown');
  }
}

/** Returns undefined for text that is no invoice: no node can pay it. @throws Error when the order contradicts the invoice. */
function readInvoice(order: PaymentOrder): Bolt11 | undefined {
  let invoice: Bolt11;
  try {
    invoice = decodeBolt11(order.paymentRequest);
  } catch (error) {
    if (error instanceof InvalidInvoice) return undefined;
    throw error;
  }
  if (invoice.paymentHash !== order.paymentHash) throw new Error('the invoice has another payment hash than the order');
  if (invoice.amountMsat !== undefined && invoice.amountMsat !== order.amountMsat) {
    throw new Error('the invoice has another amount than the order');
  }
  return invoice;
}
