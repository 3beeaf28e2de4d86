import { errorMessage } from '../../kernel/log.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { decodeUnverifiedBolt11, InvalidInvoice } from '../bolt11/bolt11.ts';
import {
  type FailureReason,
  type KeysendOrder,
  MIN_BLOCKS_BEHIND,
  NodeUnavailable,
  type PaymentOrder,
  type PaymentOutcome,
  type PaymentReference,
  type SendOrder,
} from '../node.ts';
import { paymentHashOf } from '../payment-hash.ts';
import type { LndContext } from './context.ts';
import { LndError, meaningOf } from './errors.ts';
import { readInfo } from './info.ts';
import { isHeldSince, isRecordOf, outcomeOfRecord, type PaymentRecord, payeeHeightOf, recordsOf } from './payment-record.ts';
import { toBase64, toBase64Url } from './values.ts';

/** The ids of held payments that are remembered. */
const MAX_HELD = 10_000;
const KEYSEND_PREIMAGE = '5482373484';

/** For this long a node that can send counts as able to. It takes longer to restart, and every broken connection ends it. */
const ABLE_MS = 500;

/**
 * Outgoing payments. LND identifies a payment by its hash alone: it pays a hash at most once, and replaces the record of a failed payment when
 * the hash is sent again. So a call reads the record first, and sends only if LND has none, or that of another payment that failed. Only the
 * first request of a new payment is sent without this: LND rejects it if it has a record that has not failed.
 *
 * LND stores the record before it sends anything. So if its handler returns an error and there is no record afterwards, this request sent nothing,
 * whatever the text of the error. Source: `SendPaymentV2` and `PreparePayment` in LND's `routerrpc` and `routing`.
 */
export class LndPayments {
  readonly #lnd: LndContext;
  readonly #running = new Map<string, Promise<PaymentOutcome>>();
  /** The payments whose HTLC was seen in flight when LND made no new attempts any more. */
  readonly #held = new Set<string>();
  /** The block height of a node that can send. */
  readonly #able = new TtlCache<number>({ maxAgeMs: ABLE_MS, maxSize: 1 });

  constructor(lnd: LndContext) {
    this.#lnd = lnd;
  }

  pay(order: PaymentOrder): Promise<PaymentOutcome> {
    return this.#once(order, () => invoiceBody(order));
  }

  keysend(order: KeysendOrder): Promise<PaymentOutcome> {
    return this.#once(order, () => keysendBody(order));
  }

  /** Returns the outcome of a payment; undefined when LND has no record of it, or that of another payment of the hash. */
  async lookup(reference: PaymentReference): Promise<PaymentOutcome | undefined> {
    const record = await this.findRecord(reference);
    if (record && isRecordOf(record, reference)) return this.#outcome(reference, record);
    return this.#mayStillRun(reference) ? { state: 'pending' } : undefined;
  }

  /** See {@link LightningNode.unclearSince}. */
  unclearSince({ unclearSinceMs = 0, unclearCheckedAtMs = 0 }: PaymentReference): number {
    const { openedAtMs, unresponsiveAtMs } = this.#lnd.transport;
    const unobservedMs = Math.max(0, openedAtMs - Math.max(unclearSinceMs, unclearCheckedAtMs));
    return Math.max(unclearSinceMs + unobservedMs, unresponsiveAtMs);
  }

  /** Returns whether a request to send the payment is under way, or may still be executed although its caller has stopped. */
  maySend(reference: PaymentReference): boolean {
    return this.#running.has(reference.paymentId) || this.#mayStillRun(reference);
  }

  /** Returns LND's record of a payment hash; it may be that of another payment. */
  findRecord(reference: PaymentReference): Promise<PaymentRecord | undefined> {
    return this.#track(reference, AbortSignal.timeout(this.#lnd.timing.waitMs));
  }

  /** Returns the record as it is now, or as it is when the payment has ended or the signal aborts. */
  async #track({ paymentHash }: PaymentReference, signal: AbortSignal, until?: 'ended'): Promise<PaymentRecord | undefined> {
    const path = `/v2/router/track/${toBase64Url(paymentHash)}`;
    let latest: PaymentRecord | undefined;
    try {
      for await (const record of this.#lnd.transport.stream<PaymentRecord>({ method: 'GET', path }, signal)) {
        latest = record;
        if (!until || hasEnded(record)) return record;
      }
    } catch (error) {
      if (meaningOf(error) === 'no_payment') return undefined;
      // The payment goes on without us.
      if (latest) return latest;
      throw error;
    }
    if (!latest) throw new Error('LND did not send the state of a payment');
    return latest;
  }

  /** Two requests at the same time would both find no record, and the second could repeat the first after it failed. */
  #once(order: SendOrder, body: () => object): Promise<PaymentOutcome> {
    const { paymentId } = order;
    const running = this.#running.get(paymentId);
    if (running) return running;
    const run = this.#attempt(order, body).finally(() => this.#running.delete(paymentId));
    this.#running.set(paymentId, run);
    return run;
  }

  async #attempt(order: SendOrder, body: () => object): Promise<PaymentOutcome> {
    const ownHeight = await this.#requireAbleToSend();
    const deadline = AbortSignal.timeout(this.#lnd.timing.waitMs);
    const known = this.#isRecentFirst(order) ? undefined : await this.#knownOutcome(order, deadline, ownHeight);
    if (known) return known;
    const checked = this.#checked(order, body);
    if ('state' in checked) return checked;
    const sent = await this.#send(order, checked, ownHeight, deadline);
    return sent ?? (await this.#knownOutcome(order, deadline, ownHeight)) ?? contradiction();
  }

  /** Returns the outcome of a payment that LND refused to send. @throws when the outcome is unknown. */
  async #refused(order: PaymentReference, refusal: LndError, deadline: AbortSignal): Promise<PaymentOutcome> {
    // LND also returns an error when it shuts down, and then the record decides: without an answer about it, the outcome is unknown.
    const known = await this.#knownOutcome(order, deadline).catch(() => {
      throw refusal;
    });
    return known ?? this.#failure(order, meaningOf(refusal) === 'expired' ? 'TIMEOUT' : 'ERROR');
  }

  /** Returns the node's block height. @throws NodeUnavailable when the node cannot send payments. */
  async #requireAbleToSend(): Promise<number | undefined> {
    const { transport } = this.#lnd;
    return this.#able.get(String(transport.unresponsiveAtMs), async () => {
      const { info, cannotSend } = await readInfo(transport).catch((error) => ({ info: undefined, cannotSend: errorMessage(error) }));
      if (cannotSend !== undefined) throw new NodeUnavailable(cannotSend);
      return info?.block_height;
    });
  }

  /** Returns whether this is the first request, and so recent that no other instance can have ended the payment. */
  #isRecentFirst({ firstRequestAtMs, unclearSinceMs }: PaymentReference): boolean {
    if (firstRequestAtMs === undefined || unclearSinceMs !== undefined) return false;
    // The clock also counts the time during which the process was frozen. If it was set back, the age is unknown.
    const ageMs = Date.now() - firstRequestAtMs;
    return ageMs >= 0 && ageMs < this.#lnd.timing.firstRequestMs;
  }

  /** Returns the outcome that follows from LND's record; undefined when the payment may be sent. */
  async #knownOutcome(order: PaymentReference, deadline: AbortSignal, ownHeight?: number): Promise<PaymentOutcome | undefined> {
    const first = await this.#track(order, deadline);
    if (!first) return undefined;
    if (isRecordOf(first, order)) {
      const record = (hasEnded(first) ? undefined : await this.#track(order, deadline, 'ended')) ?? first;
      return withPayeeHeight(this.#outcome(order, record), payeeHeightOf(record), ownHeight);
    }
    // Another payment has paid the hash or is paying it, so this one was not sent.
    return first.status === 'FAILED' ? undefined : this.#failure(order, 'ERROR');
  }

  /** Returns the request, or a failure if the order cannot be paid. */
  #checked(order: SendOrder, body: () => object): object | PaymentOutcome {
    try {
      return {
        ...body(),
        // Without a limit, LND pays only routes without a fee, as with 0.
        fee_limit_msat: String(order.feeLimitMsat),
        first_hop_custom_records: recordsOf(order),
        timeout_seconds: this.#lnd.timing.attemptsSeconds,
      };
    } catch (error) {
      if (error instanceof InvalidInvoice) return this.#failure(order, 'ERROR');
      throw error;
    }
  }

  /**
   * Sends the payment and waits for its end. Returns undefined when LND already has a record of the hash.
   * @throws when the outcome is unknown: only the first message proves that LND has recorded the payment.
   */
  async #send(
    order: PaymentReference,
    body: object,
    ownHeight: number | undefined,
    deadline: AbortSignal,
  ): Promise<PaymentOutcome | undefined> {
    let latest: PaymentRecord | undefined;
    try {
      const request = { method: 'POST', path: '/v2/router/send', body } as const;
      for await (const record of this.#lnd.transport.stream<PaymentRecord>(request, deadline)) {
        latest = record;
        if (hasEnded(record)) break;
      }
    } catch (error) {
      if (latest) return { state: 'pending' };
      if (meaningOf(error) === 'payment_exists') return undefined;
      if (error instanceof LndError && error.isOfHandler) return await this.#refused(order, error, deadline);
      throw error;
    }
    if (!latest) throw new Error('LND did not confirm that it has the payment');
    return withPayeeHeight(this.#outcome(order, latest), payeeHeightOf(latest), ownHeight);
  }

  #outcome(order: PaymentReference, record: PaymentRecord): PaymentOutcome {
    const outcome = this.#withReason(order, record);
    return outcome.state === 'failed' && this.#mayStillRun(order) ? { state: 'pending' } : outcome;
  }

  /**
   * LND's reason for a payment whose HTLC came back late, also on the chain, is that of its next try: it lacks a channel with enough balance, or a
   * route. It deletes failed attempts, so what was seen before decides.
   */
  #withReason({ paymentId }: PaymentReference, record: PaymentRecord): PaymentOutcome {
    if (this.#held.size < MAX_HELD && isHeldSince(record, Date.now() - this.#lnd.timing.attemptsSeconds * 1000)) this.#held.add(paymentId);
    const outcome = outcomeOfRecord(record);
    const isReturned = outcome.state !== 'pending' && this.#held.delete(paymentId);
    const isOfPayee = outcome.state === 'failed' && outcome.reason === 'INCORRECT_PAYMENT_DETAILS';
    return isReturned && outcome.state === 'failed' && !isOfPayee ? { ...outcome, reason: 'RETURNED' } : outcome;
  }

  /** Returns a failure of a payment that LND has no record of. @throws NodeUnavailable while an earlier request may still be executed. */
  #failure(order: PaymentReference, reason: FailureReason): PaymentOutcome {
    if (!this.#mayStillRun(order)) return { state: 'failed', reason };
    throw new NodeUnavailable('an earlier request to send this payment may still be executed; the next try decides');
  }

  /** LND may execute a request long after its client has closed the connection. */
  #mayStillRun(reference: PaymentReference): boolean {
    return reference.unclearSinceMs !== undefined && Date.now() < this.unclearSince(reference) + this.#lnd.timing.graceMs;
  }
}

/** LND computes the expiry of an HTLC from its own height. A payee that is ahead rejects it, as if it did not know the invoice. */
function withPayeeHeight(outcome: PaymentOutcome, payeeHeight: number | undefined, ownHeight: number | undefined): PaymentOutcome {
  if (outcome.state !== 'failed' || payeeHeight === undefined || ownHeight === undefined) return outcome;
  return payeeHeight < ownHeight + MIN_BLOCKS_BEHIND ? outcome : { ...outcome, reason: 'NODE_BEHIND', payeeHeight };
}

function contradiction(): never {
  throw new Error('LND contradicts itself: it has a record of the payment, and it has none');
}

function hasEnded({ status }: PaymentRecord): boolean {
  return status === 'SUCCEEDED' || status === 'FAILED';
}

/** @throws InvalidInvoice, or RangeError when the order is not for this invoice. */
function invoiceBody({ paymentRequest, paymentHash, amountMsat }: PaymentOrder): object {
  const invoice = decodeUnverifiedBolt11(paymentRequest);
  if (invoice.paymentHash !== paymentHash) throw new RangeError('the order has another payment hash than its invoice');
  if ((invoice.amountMsat ?? amountMsat) !== amountMsat) throw new RangeError('the order has another amount than its invoice');
  return {
    payment_request: invoice.paymentRequest,
    ...(invoice.amountMsat === undefined && { amt_msat: String(amountMsat) }),
  };
}

/** @throws RangeError when the preimage is not that of the payment hash. LND does not check it. */
function keysendBody({ destination, amountMsat, preimage, paymentHash, customRecords }: KeysendOrder): object {
  if (paymentHashOf(preimage) !== paymentHash) throw new RangeError('the order has a preimage that is not that of its payment hash');
  const records = Object.entries({ ...customRecords, [KEYSEND_PREIMAGE]: preimage });
  return {
    dest: toBase64(destination),
    amt_msat: String(amountMsat),
    payment_hash: toBase64(paymentHash),
    dest_custom_records: Object.fromEntries(records.map(([type, value]) => [type, toBase64(value)])),
  };
}
