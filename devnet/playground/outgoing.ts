import type { RecentPaymentDetails, RetryableSendFailure } from 'lightningdevkit';
import {
  type Bolt11Invoice,
  type Event_PaymentFailed,
  type Event_PaymentSent,
  RecentPaymentDetails_AwaitingInvoice,
} from 'lightningdevkit';
import type { Msat } from '../../src/kernel/money.ts';
import type { FailureReason, KeysendOrder, PaymentOrder, PaymentOutcome } from '../../src/lightning/node.ts';
import { PlaygroundRefusal } from '../../src/lightning/test-network.ts';
import { requireBytes32, requireId, requireInvoiceText, requirePoint, requireRecords, requireWhole } from '../checks.ts';
import { bytes32Of, bytesOf, hexOf, msatOf, sha256, u64Of } from './bindings.ts';
import { paymentFailure, sendFailure } from './failures.ts';
import type { LdkNode } from './ldk-node.ts';
import type { Outbox } from './outbox.ts';
import { invoiceAmount, readInvoice, sendSpontaneous, sendToInvoice } from './sending.ts';
import type { Row, Store } from './store.ts';

type Order = Pick<PaymentOrder, 'paymentId' | 'paymentHash' | 'amountMsat' | 'feeLimitMsat'>;

/**
 * What the hub pays, once per payment id, for ever. LDK forgets an id after a while and would then pay it again, so the row decides: it is
 * written in the transaction that makes LDK's sending durable, and its outcome in the one in which LDK learnt it.
 */
export class Outgoing {
  readonly #store: Store;
  readonly #hub: LdkNode;
  readonly #outbox: Outbox;
  readonly #now: () => number;
  /** LDK's ids of what it has taken over: what is pending but not here was never sent. */
  readonly #taken: Set<string>;

  constructor(store: Store, hub: LdkNode, outbox: Outbox, now: () => number) {
    this.#store = store;
    this.#hub = hub;
    this.#outbox = outbox;
    this.#now = now;
    this.#taken = new Set(hub.manager.list_recent_payments().map(idOf));
  }

  /** Sends, unless the id is known; {@link lookup} then tells what became of it. */
  pay(order: PaymentOrder): void {
    requireOrder(order);
    requireInvoiceText(order.paymentRequest);
    const invoice = readInvoice(order.paymentRequest);
    if (invoice) requireMatch(invoice, order);
    this.#start(order, (ldkId) => {
      // LDK demands more than BOLT 11 (a payment secret, known features). Nothing was sent, and never will be.
      if (!invoice) return 'ERROR';
      // LDK has no clock here and would pay an expired invoice.
      if (invoice.would_expire(BigInt(this.#now()))) return 'TIMEOUT';
      return this.#obstacle(order) ?? reasonOf(sendToInvoice(this.#hub, invoice, { ...order, ldkId }));
    });
  }

  keysend(order: KeysendOrder): void {
    requireOrder(order);
    requirePoint('destination', order.destination);
    requireBytes32('preimage', order.preimage);
    requireRecords(order.customRecords);
    if (hexOf(sha256(bytesOf(order.preimage))) !== order.paymentHash)
      throw new PlaygroundRefusal('the preimage is not that of paymentHash');
    this.#start(order, (ldkId) => this.#obstacle(order) ?? reasonOf(sendSpontaneous(this.#hub, { ...order, ldkId })));
  }

  lookup(paymentId: string): PaymentOutcome | undefined {
    requireId('paymentId', paymentId);
    const row = this.#row(paymentId);
    return row && outcomeOf(row);
  }

  sent(event: Event_PaymentSent): void {
    const ldkId = bytes32Of(event.payment_id);
    if (!ldkId) throw new Error('the hub paid something without an id');
    const feeMsat = msatOf(u64Of(event.fee_paid_msat) ?? 0n);
    this.#conclude(hexOf(ldkId), { state: 'succeeded', preimage: hexOf(event.payment_preimage), feeMsat });
  }

  failed(event: Event_PaymentFailed): void {
    this.#conclude(hexOf(event.payment_id), { state: 'failed', reason: paymentFailure(event.reason) });
  }

  #start(order: Order, send: (ldkId: string) => FailureReason | undefined): void {
    const ldkId = hexOf(sha256(order.paymentId));
    const known = this.#row(order.paymentId);
    if (known && known.payment_hash !== order.paymentHash) throw new PlaygroundRefusal('paymentId belongs to another payment hash');
    if (known && (known.state !== 'pending' || this.#taken.has(ldkId))) return;
    this.#store.run(
      `INSERT INTO outgoing (payment_id, ldk_id, payment_hash, amount_msat, state) VALUES (?, ?, ?, ?, 'pending') ON CONFLICT DO NOTHING`,
      order.paymentId,
      ldkId,
      order.paymentHash,
      order.amountMsat,
    );
    const reason = send(ldkId);
    if (reason) this.#conclude(ldkId, { state: 'failed', reason });
    else this.#taken.add(ldkId);
  }

  /** What keeps LDK from being asked at all. */
  #obstacle(order: Order): FailureReason | undefined {
    const sql = 'SELECT 1 FROM outgoing WHERE payment_hash = ? AND state = ? AND payment_id <> ?';
    if (this.#store.get(sql, order.paymentHash, 'succeeded', order.paymentId)) return 'INCORRECT_PAYMENT_DETAILS';
    if (this.#store.get(sql, order.paymentHash, 'pending', order.paymentId)) return 'ERROR';
    // LDK would say that there is no route.
    const sendable = this.#hub.manager.list_usable_channels().map((channel) => channel.get_next_outbound_htlc_limit_msat());
    return sendable.reduce((sum, limit) => sum + limit, 0n) < BigInt(order.amountMsat) ? 'INSUFFICIENT_BALANCE' : undefined;
  }

  #conclude(ldkId: string, outcome: Exclude<PaymentOutcome, { state: 'pending' }>): void {
    const row = this.#store.get(`SELECT payment_id FROM outgoing WHERE ldk_id = ? AND state = 'pending'`, ldkId);
    // LDK repeats itself after a restart.
    if (!row) return;
    const paid = outcome.state === 'succeeded' ? outcome : undefined;
    this.#store.run(
      'UPDATE outgoing SET state = ?, preimage = ?, fee_msat = ?, reason = ? WHERE ldk_id = ?',
      outcome.state,
      paid?.preimage ?? null,
      paid?.feeMsat ?? null,
      outcome.state === 'failed' ? outcome.reason : null,
      ldkId,
    );
    this.#taken.delete(ldkId);
    this.#outbox.add({ type: 'payment', paymentId: row.payment_id as string, outcome });
  }

  #row(paymentId: string): Row | undefined {
    return this.#store.get('SELECT * FROM outgoing WHERE payment_id = ?', paymentId);
  }
}

function requireOrder(order: Order): void {
  requireId('paymentId', order.paymentId);
  requireBytes32('paymentHash', order.paymentHash);
  requireWhole('amountMsat', order.amountMsat, 1);
  requireWhole('feeLimitMsat', order.feeLimitMsat);
}

function requireMatch(invoice: Bolt11Invoice, order: PaymentOrder): void {
  if (hexOf(invoice.payment_hash()) !== order.paymentHash) throw new PlaygroundRefusal('the invoice has another payment hash');
  if ((invoiceAmount(invoice) ?? order.amountMsat) !== order.amountMsat) throw new PlaygroundRefusal('the invoice states another amount');
}

function reasonOf(error: RetryableSendFailure | undefined): FailureReason | undefined {
  return error === undefined ? undefined : sendFailure(error);
}

function outcomeOf(row: Row): PaymentOutcome {
  switch (row.state) {
    case 'succeeded':
      return { state: 'succeeded', preimage: row.preimage as string, feeMsat: row.fee_msat as Msat };
    case 'failed':
      return { state: 'failed', reason: row.reason as FailureReason };
    default:
      return { state: 'pending' };
  }
}

function idOf(details: RecentPaymentDetails): string {
  if (details instanceof RecentPaymentDetails_AwaitingInvoice) throw new Error('a BOLT 12 payment, which the playground never makes');
  return hexOf((details as unknown as { payment_id: Uint8Array }).payment_id);
}
