import * as ldk from 'lightningdevkit';
import type { Msat } from '../../src/core/kernel/money.ts';
import type { FailureReason, KeysendOrder, PaymentOrder, PaymentOutcome, SendOrder, SentPayment } from '../../src/core/lightning/node.ts';
import type { RecordPage, RecordQuery } from '../../src/core/lightning/record-page.ts';
import { requireId, requireKeysendOrder, requirePaymentOrder } from '../checks.ts';
import { PlaygroundRefusal } from '../test-network.ts';
import { bytes32Of, hexOf, msatOf, sha256, u64Of, unixNow } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';
import { invoiceAmount, paymentFailure, readInvoice, sendFailure, sendSpontaneous, sendToInvoice } from './ldk-payments.ts';
import type { Outbox } from './outbox.ts';
import type { Row, Store } from './store.ts';

type Order = SendOrder & Pick<Partial<PaymentOrder>, 'paymentRequest'>;

const MAX_PAGE = 1_000;

/**
 * The payments that a service node sends, at most once per payment id. LDK forgets an id after a while and would then pay it again. The row in
 * `outgoing` is therefore never deleted. It is written in the transaction that makes LDK's payment durable, and its outcome in the transaction
 * in which LDK reported it.
 */
export class OutgoingPayments {
  readonly #store: Store;
  readonly #node: LdkNode;
  readonly #outbox: Outbox;
  /** LDK's ids of the payments that it is sending. A pending payment without an id in this set was not sent. */
  readonly #sending: Set<string>;

  constructor(store: Store, node: LdkNode, outbox: Outbox) {
    this.#store = store;
    this.#node = node;
    this.#outbox = outbox;
    this.#sending = new Set(node.manager.list_recent_payments().map(idOf));
  }

  /** Sends a payment unless its id is known. {@link lookup} returns its outcome. @throws PlaygroundRefusal */
  pay(order: PaymentOrder): void {
    requirePaymentOrder(order);
    const invoice = readInvoice(order.paymentRequest);
    if (invoice) requireMatch(invoice, order);
    this.#start(order, (ldkId) => {
      // LDK is stricter than BOLT11: it requires a payment secret and known features. Nothing was sent.
      if (!invoice) return 'ERROR';
      // LDK has no clock and would pay an expired invoice.
      if (invoice.would_expire(BigInt(unixNow()))) return 'TIMEOUT';
      return this.#obstacle(order) ?? reasonOf(sendToInvoice(this.#node, invoice, { ...order, ldkId }));
    });
  }

  keysend(order: KeysendOrder): void {
    requireKeysendOrder(order);
    this.#start(order, (ldkId) => this.#obstacle(order) ?? reasonOf(sendSpontaneous(this.#node, { ...order, ldkId })));
  }

  lookup(paymentId: string): PaymentOutcome | undefined {
    requireId('paymentId', paymentId);
    const row = this.#row(paymentId);
    return row && outcomeOf(row);
  }

  /** Reads a page in the order of creation. The cursor is the time and the id of the last payment before it. */
  readSent({ sinceSeconds, cursor, limit = MAX_PAGE }: RecordQuery): RecordPage<SentPayment> {
    const [seconds = '', paymentId = ''] = cursor?.split(' ') ?? [String(sinceSeconds)];
    const sql = 'SELECT * FROM outgoing WHERE node = ? AND (created_at, payment_id) > (?, ?) ORDER BY created_at, payment_id LIMIT ?';
    const rows = this.#store.all(sql, this.#node.name, Number(seconds), paymentId, Math.min(limit, MAX_PAGE));
    const last = rows.at(-1);
    return { records: rows.map(toSentPayment), ...(last && { next: `${last.created_at} ${last.payment_id}` }) };
  }

  sent(event: ldk.Event_PaymentSent): void {
    const ldkId = bytes32Of(event.payment_id);
    if (!ldkId) throw new Error('a node sent a payment without an id');
    const feeMsat = msatOf(u64Of(event.fee_paid_msat) ?? 0n);
    this.#conclude(hexOf(ldkId), { state: 'succeeded', preimage: hexOf(event.payment_preimage), feeMsat });
  }

  failed(event: ldk.Event_PaymentFailed): void {
    this.#conclude(hexOf(event.payment_id), { state: 'failed', reason: paymentFailure(event.reason) });
  }

  #start(order: Order, send: (ldkId: string) => FailureReason | undefined): void {
    const ldkId = hexOf(sha256(order.paymentId));
    const known = this.#row(order.paymentId);
    if (known && known.payment_hash !== order.paymentHash) throw new PlaygroundRefusal('paymentId belongs to another payment hash');
    if (known && (known.state !== 'pending' || this.#sending.has(ldkId))) return;
    const { paymentId, paymentHash, amountMsat, marker, paymentRequest = null } = order;
    const sql = `INSERT INTO outgoing (node, payment_id, ldk_id, payment_hash, amount_msat, state, marker, payment_request, created_at)
      VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?) ON CONFLICT DO NOTHING`;
    this.#store.run(sql, this.#node.name, paymentId, ldkId, paymentHash, amountMsat, marker, paymentRequest, unixNow());
    const reason = send(ldkId);
    if (reason) this.#conclude(ldkId, { state: 'failed', reason });
    else this.#sending.add(ldkId);
  }

  /** Returns the failure reason of a payment that must not be passed to LDK. */
  #obstacle(order: Order): FailureReason | undefined {
    const sql = 'SELECT 1 FROM outgoing WHERE node = ? AND payment_hash = ? AND state = ? AND payment_id <> ?';
    if (this.#store.get(sql, this.#node.name, order.paymentHash, 'succeeded', order.paymentId)) return 'INCORRECT_PAYMENT_DETAILS';
    if (this.#store.get(sql, this.#node.name, order.paymentHash, 'pending', order.paymentId)) return 'ERROR';
    // LDK would report that there is no route.
    const sendable = this.#node.manager.list_usable_channels().map((channel) => channel.get_next_outbound_htlc_limit_msat());
    return sendable.reduce((sum, limit) => sum + limit, 0n) < BigInt(order.amountMsat) ? 'INSUFFICIENT_BALANCE' : undefined;
  }

  #conclude(ldkId: string, outcome: Exclude<PaymentOutcome, { state: 'pending' }>): void {
    const pending = `SELECT payment_id FROM outgoing WHERE node = ? AND ldk_id = ? AND state = 'pending'`;
    const row = this.#store.get(pending, this.#node.name, ldkId);
    // LDK repeats events after a restart.
    if (!row) return;
    const paid = outcome.state === 'succeeded' ? outcome : undefined;
    const reason = outcome.state === 'failed' ? outcome.reason : null;
    const sql = 'UPDATE outgoing SET state = ?, preimage = ?, fee_msat = ?, reason = ?, ended_at = ? WHERE node = ? AND ldk_id = ?';
    this.#store.run(sql, outcome.state, paid?.preimage ?? null, paid?.feeMsat ?? null, reason, unixNow(), this.#node.name, ldkId);
    this.#sending.delete(ldkId);
    this.#outbox.add({ type: 'payment', paymentId: row.payment_id as string, outcome });
  }

  #row(paymentId: string): Row | undefined {
    return this.#store.get('SELECT * FROM outgoing WHERE node = ? AND payment_id = ?', this.#node.name, paymentId);
  }
}

function requireMatch(invoice: ldk.Bolt11Invoice, order: PaymentOrder): void {
  if (hexOf(invoice.payment_hash()) !== order.paymentHash) throw new PlaygroundRefusal('the invoice has another payment hash');
  if ((invoiceAmount(invoice) ?? order.amountMsat) !== order.amountMsat) throw new PlaygroundRefusal('the invoice states another amount');
}

function reasonOf(error: ldk.RetryableSendFailure | undefined): FailureReason | undefined {
  return error === undefined ? undefined : sendFailure(error);
}

function outcomeOf(row: Row): PaymentOutcome {
  if (row.state === 'failed') return { state: 'failed', reason: row.reason as FailureReason };
  if (row.state === 'pending') return { state: 'pending' };
  return { state: 'succeeded', preimage: row.preimage as string, feeMsat: row.fee_msat as Msat };
}

function toSentPayment(row: Row): SentPayment {
  return {
    marker: (row.marker ?? undefined) as string | undefined,
    paymentHash: row.payment_hash as string,
    paymentRequest: (row.payment_request ?? undefined) as string | undefined,
    amountMsat: row.amount_msat as Msat,
    outcome: outcomeOf(row),
    createdAt: row.created_at as number,
    endedAt: (row.ended_at ?? undefined) as number | undefined,
  };
}

function idOf(details: ldk.RecentPaymentDetails): string {
  if (details instanceof ldk.RecentPaymentDetails_AwaitingInvoice)
    throw new Error('the node has a BOLT12 payment, which the playground never sends');
  return hexOf((details as unknown as { payment_id: Uint8Array }).payment_id);
}
