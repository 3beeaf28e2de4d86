import { setTimeout as delay } from 'node:timers/promises';
import { withTimeout } from '../../kernel/clock.ts';
import { type Bolt11, decodeBolt11, InvalidInvoice } from '../bolt11/bolt11.ts';
import { type FailureReason, NodeUnavailable, type PaymentOrder, type PaymentOutcome, type PaymentReference } from '../node.ts';
import { ownBalanceMsat } from './channels.ts';
import type { ClnContext } from './context.ts';
import { readRecord, type SendRecord, writeRecord } from './datastore.ts';
import { type ErrorMeaning, meaningOf, ResponseLost, RpcError } from './errors.ts';
import { isAny, labelOf, outcomeOf, readRows } from './rows.ts';
import { UnclearPayments } from './unclear-payments.ts';

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

/**
 * Pays invoices with `xpay`. The rows decide, never the response: lightningd returns errors while parts are in flight, and for invoices that
 * it has paid. It sends no second payment of a hash while one is in flight, or after one has succeeded, so repeating a request is safe.
 */
export class ClnPayments {
  readonly #cln: ClnContext;
  readonly #nodeId: () => Promise<string>;
  readonly #unclear: UnclearPayments;
  /** The calls of `pay` that have not ended, by payment id. Later calls for the same payment join them. */
  readonly #open = new Map<string, Promise<PaymentOutcome>>();
  /** The ids of those whose record is in the datastore, so that the payment is not lost. */
  readonly #recorded = new Set<string>();

  /** `nodeId` returns the public key of the node. */
  constructor(cln: ClnContext, nodeId: () => Promise<string>) {
    this.#cln = cln;
    this.#nodeId = nodeId;
    this.#unclear = new UnclearPayments(cln);
  }

  async pay(order: PaymentOrder): Promise<PaymentOutcome> {
    const invoice = readInvoice(order);
    if (!invoice) return { state: 'failed', reason: 'ERROR' };
    const running = this.#open.get(order.paymentId) ?? this.#begin(order, invoice);
    // The payment goes on.
    const waitEnded = new Error('lightningd did not answer in time; the outcome of the payment is unknown');
    try {
      return await withTimeout(this.#cln.timing.waitMs, running, () => waitEnded);
    } catch (error) {
      if (error === waitEnded && this.#recorded.has(order.paymentId)) return { state: 'pending' };
      throw error;
    }
  }

  async lookup(payment: PaymentReference): Promise<PaymentOutcome | undefined> {
    const { known, record, own } = await this.#read(payment);
    if (known) return known;
    if (this.#recorded.has(payment.paymentId)) return { state: 'pending' };
    if (!record && own.length === 0) return undefined;
    return await this.#unclear.observe(payment, record, 'ERROR');
  }

  #begin(order: PaymentOrder, invoice: Bolt11): Promise<PaymentOutcome> {
    const { paymentId } = order;
    const running = this.#run(order, invoice).finally(() => {
      this.#open.delete(paymentId);
      this.#recorded.delete(paymentId);
    });
    // After the wait of `pay` nothing waits for it.
    running.catch(() => undefined);
    this.#open.set(paymentId, running);
    return running;
  }

  async #run(order: PaymentOrder, invoice: Bolt11): Promise<PaymentOutcome> {
    for (;;) {
      const { known, record, others } = await this.#read(order);
      if (known) return known;
      const recorded = await writeRecord(this.#cln.datastore, order, record);
      if (!recorded) continue;
      this.#recorded.add(order.paymentId);
      // lightningd would reject the call; and it would pay an invoice of its own, without a channel.
      const isPaidByOther = isAny(others, 'complete') || isAny(others, 'pending');
      if (isPaidByOther || invoice.payee === (await this.#nodeId())) return await this.#fail(order, recorded, 'ERROR');
      return await this.#send(order, invoice, recorded);
    }
  }

  /** Reads everything that the node has about a payment. Always called before a request to pay. */
  async #read(payment: PaymentReference) {
    const [rows, record] = await Promise.all([readRows(this.#cln, payment), readRecord(this.#cln.datastore, payment)]);
    const failed: PaymentOutcome | undefined = record?.failed && { state: 'failed', reason: record.failed };
    const known = outcomeOf(rows.own) ?? failed;
    if (known) await this.#unclear.forget(payment, record, known);
    return { ...rows, record, known };
  }

  async #send(order: PaymentOrder, invoice: Bolt11, record: SendRecord): Promise<PaymentOutcome> {
    const amount = invoice.amountMsat === undefined ? { amount_msat: order.amountMsat } : {};
    const limits = { maxfee: order.feeLimitMsat, retry_for: this.#cln.attemptsSeconds };
    const parameters = { invstring: invoice.paymentRequest, ...amount, ...limits, label: labelOf(order) };
    let error: unknown;
    try {
      await this.#cln.rpc.send('xpay', parameters, { timeoutMs: XPAY_MS });
    } catch (thrown) {
      if (thrown instanceof NodeUnavailable) throw thrown;
      error = thrown;
    }
    try {
      return error === undefined ? await this.#concludeSuccess(order) : await this.#concludeError(order, record, error);
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

  async #concludeError(order: PaymentOrder, record: SendRecord, error: unknown): Promise<PaymentOutcome> {
    const { known, others } = await this.#read(order);
    if (known) return known;
    const meaning = meaningOf(error);
    const isOther = isAny(others, 'pending') || isAny(others, 'complete');
    if (meaning === 'in_flight') return isOther ? await this.#fail(order, record, 'ERROR') : { state: 'pending' };
    const reason = REASONS[meaning];
    // lightningd has ended the call, perhaps not all of its parts.
    if (!reason && error instanceof RpcError) return await this.#unclear.observe(order, record, 'ERROR');
    if (!reason) throw error;
    const isTooMuch = meaning === 'no_route' && order.amountMsat > (await ownBalanceMsat(this.#cln.rpc));
    // xpay may start one more part while it returns an error.
    const late = HAVE_SENT.includes(meaning) ? await this.#unclear.recheck(order) : undefined;
    return late ?? (await this.#fail(order, record, isTooMuch ? 'INSUFFICIENT_BALANCE' : reason));
  }

  /** Ends the payment as failed, unless an earlier request may still be executed. */
  async #fail(order: PaymentOrder, record: SendRecord, reason: FailureReason): Promise<PaymentOutcome> {
    const isFirst = record.generation === 0 && order.unclearSinceMs === undefined;
    if (!isFirst) return await this.#unclear.observe(order, record, reason);
    const isFinal = await writeRecord(this.#cln.datastore, order, record, { failed: reason });
    return isFinal ? { state: 'failed', reason } : { state: 'pending' };
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
