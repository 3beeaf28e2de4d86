import { randomBytes } from 'node:crypto';
import * as ldk from 'lightningdevkit';
import { type Msat, msat } from '../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import * as check from '../checks.ts';
import {
  type HoldAction,
  type OutsideInvoice,
  type OutsideInvoiceRequest,
  type OutsideKeysendRequest,
  type OutsideName,
  type OutsidePayment,
  type OutsidePayRequest,
  PlaygroundRefusal,
} from '../test-network.ts';
import { bytes32Of, hexOf, u64Of, unixNow } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';
import * as payments from './ldk-payments.ts';
import type { Network } from './network.ts';
import type { Row, Store } from './store.ts';

type Direction = OutsidePayment['direction'];

/**
 * The payments and invoices of alice and carol.
 *
 * `outside_payments` has one row per node, direction and payment hash, written from the node's own LDK events. An invoice is `open` and then
 * `settled`. A hold invoice, whose preimage is stored here and not in LDK, is `held` after its payment has arrived, until it is settled or
 * cancelled.
 */
export class OutsideNodes {
  readonly #store: Store;
  readonly #network: Network;

  constructor(store: Store, network: Network) {
    this.#store = store;
    this.#network = network;
  }

  /** Starts to pay an invoice. Returns the payment's id. @throws PlaygroundRefusal */
  pay({ from, paymentRequest, amountMsat }: OutsidePayRequest): number {
    check.requireOutside(from);
    check.requireInvoiceText(paymentRequest);
    const invoice = payments.readInvoice(paymentRequest);
    if (!invoice) throw new PlaygroundRefusal('the payment request is not an invoice');
    if (invoice.would_expire(BigInt(unixNow()))) throw new PlaygroundRefusal('the invoice has expired');
    const amount = amountOf(invoice, amountMsat);
    const paymentHash = hexOf(invoice.payment_hash());
    const earlier = this.#find(from, 'sent', paymentHash);
    if (earlier && earlier.state !== 'failed') throw new PlaygroundRefusal(`${from} has paid this invoice, or is paying it`);
    return this.#send(from, paymentHash, amount, (node, sending) => payments.sendToInvoice(node, invoice, sending));
  }

  /** Starts a keysend payment to a node. Returns the payment's id. @throws PlaygroundRefusal */
  keysend(destination: string, { from, amountMsat, customRecords }: OutsideKeysendRequest): number {
    check.requireOutside(from);
    check.requireWhole('amountMsat', amountMsat, 1);
    check.requireRecords(customRecords);
    const preimage = randomBytes(32).toString('hex');
    const keysend = { destination, preimage, customRecords };
    return this.#send(from, paymentHashOf(preimage), amountMsat, (node, sending) =>
      payments.sendSpontaneous(node, { ...sending, ...keysend }),
    );
  }

  /** @throws PlaygroundRefusal */
  createInvoice({ at, amountMsat, memo, descriptionHash, expirySeconds, hold }: OutsideInvoiceRequest): OutsideInvoice {
    check.requireOutside(at);
    if (amountMsat !== undefined) check.requireWhole('amountMsat', amountMsat);
    check.requireDescription('memo', memo);
    if (descriptionHash !== undefined) check.requireBytes32('descriptionHash', descriptionHash);
    check.requireExpiry(expirySeconds);
    const preimage = hold ? randomBytes(32).toString('hex') : undefined;
    const invoice = payments.createInvoice(this.#network.node(at), {
      amountMsat,
      description: memo,
      descriptionHash,
      expirySeconds,
      paymentHash: preimage && paymentHashOf(preimage),
    });
    const paymentHash = hexOf(invoice.payment_hash());
    const expiresAt = Number(invoice.duration_since_epoch()) + expirySeconds;
    const sql = `INSERT INTO outside_invoices (payment_hash, node, expires_at, preimage, state) VALUES (?, ?, ?, ?, 'open')`;
    this.#store.run(sql, paymentHash, at, expiresAt, preimage ?? null);
    return { paymentRequest: invoice.to_str(), paymentHash };
  }

  /** Idempotent. @throws PlaygroundRefusal */
  resolveHold(paymentHash: string, action: HoldAction): void {
    check.requireBytes32('paymentHash', paymentHash);
    const invoice = this.#invoice(paymentHash);
    if (typeof invoice?.preimage !== 'string') throw new PlaygroundRefusal('there is no hold invoice with this payment hash');
    const wanted = action === 'settle' ? 'settled' : 'cancelled';
    if (invoice.state === wanted) return;
    if (invoice.state === 'settled' || invoice.state === 'cancelled') throw new PlaygroundRefusal(`the hold invoice is ${invoice.state}`);
    if (action === 'settle' && invoice.state === 'open') throw new PlaygroundRefusal('the hold invoice has not been paid yet');
    const node = this.#network.node(invoice.node as string);
    this.#setInvoiceState(paymentHash, wanted);
    if (action === 'settle') {
      payments.claim(node, invoice.preimage);
    } else {
      if (invoice.state === 'held') payments.sendBack(node, paymentHash);
      this.#end(node.name, 'received', paymentHash, 'failed');
    }
  }

  payment(id: number): OutsidePayment {
    return asPayment(this.#store.get('SELECT * FROM outside_payments WHERE id = ?', id) as Row);
  }

  paymentsAfter(id: number, limit: number): OutsidePayment[] {
    return this.#store.all('SELECT * FROM outside_payments WHERE id > ? ORDER BY id LIMIT ?', id, limit).map(asPayment);
  }

  handleEvent(node: LdkNode, event: ldk.Event): void {
    if (event instanceof ldk.Event_PaymentClaimable) this.#arrived(node, event);
    else if (event instanceof ldk.Event_PaymentClaimed) this.#claimed(node, event);
    else if (event instanceof ldk.Event_PaymentSent) this.#sent(node, event);
    else if (event instanceof ldk.Event_PaymentFailed) this.#failed(node, event);
  }

  #arrived(node: LdkNode, event: ldk.Event_PaymentClaimable): void {
    const arrival = payments.readArrival(event);
    const { paymentHash, amountMsat } = arrival;
    if (!this.#isAccepted(node, arrival)) {
      payments.sendBack(node, paymentHash);
      return;
    }
    this.#start({ node: node.name as OutsideName, direction: 'received', paymentHash, amountMsat }, null);
    if (arrival.preimage !== undefined) payments.claim(node, arrival.preimage);
    else this.#setInvoiceState(paymentHash, 'held');
  }

  #claimed(node: LdkNode, event: ldk.Event_PaymentClaimed): void {
    const paymentHash = hexOf(event.payment_hash);
    this.#setInvoiceState(paymentHash, 'settled');
    this.#end(node.name, 'received', paymentHash, 'succeeded');
  }

  #sent(node: LdkNode, event: ldk.Event_PaymentSent): void {
    this.#end(node.name, 'sent', hexOf(event.payment_hash), 'succeeded', Number(u64Of(event.fee_paid_msat) ?? 0n));
  }

  #failed(node: LdkNode, event: ldk.Event_PaymentFailed): void {
    const hash = bytes32Of(event.payment_hash);
    const row = hash ? undefined : this.#store.get('SELECT payment_hash FROM outside_payments WHERE ldk_id = ?', hexOf(event.payment_id));
    const paymentHash = hash ? hexOf(hash) : (row?.payment_hash as string | undefined);
    if (paymentHash) this.#end(node.name, 'sent', paymentHash, 'failed');
  }

  #send(
    from: OutsideName,
    paymentHash: string,
    amountMsat: Msat,
    send: (node: LdkNode, sending: payments.Sending) => ldk.RetryableSendFailure | undefined,
  ): number {
    const ldkId = randomBytes(32).toString('hex');
    const id = this.#start({ node: from, direction: 'sent', paymentHash, amountMsat }, ldkId);
    const error = send(this.#network.node(from), { ldkId, amountMsat });
    if (error !== undefined && payments.sendFailure(error)) this.#end(from, 'sent', paymentHash, 'failed');
    return id;
  }

  /** Adds a payment, or restarts a failed one with the same hash. Returns its id. */
  #start(payment: Pick<OutsidePayment, 'node' | 'direction' | 'paymentHash' | 'amountMsat'>, ldkId: string | null): number {
    const { node, direction, paymentHash, amountMsat } = payment;
    const sql = `INSERT INTO outside_payments (node, direction, payment_hash, ldk_id, amount_msat, state) VALUES (?, ?, ?, ?, ?, 'pending')
      ON CONFLICT (node, direction, payment_hash) DO UPDATE SET state = 'pending', ldk_id = excluded.ldk_id, amount_msat = excluded.amount_msat
      RETURNING id`;
    return this.#store.get(sql, node, direction, paymentHash, ldkId, amountMsat)?.id as number;
  }

  /** Stores the outcome of a pending payment. LDK may repeat it. */
  #end(node: string, direction: Direction, paymentHash: string, state: 'succeeded' | 'failed', feeMsat = 0): void {
    const sql = `UPDATE outside_payments SET state = ?, fee_msat = ?
      WHERE node = ? AND direction = ? AND payment_hash = ? AND state = 'pending'`;
    this.#store.run(sql, state, feeMsat, node, direction, paymentHash);
  }

  /** A second payment of a hash is sent back. */
  #isAccepted(node: LdkNode, { paymentHash, keysend }: payments.Arrival): boolean {
    if (this.#find(node.name as OutsideName, 'received', paymentHash)?.state === 'succeeded') return false;
    const invoice = this.#invoice(paymentHash);
    return keysend || (invoice?.state === 'open' && (invoice.expires_at as number) > unixNow());
  }

  #find(node: OutsideName, direction: Direction, paymentHash: string): OutsidePayment | undefined {
    const sql = 'SELECT * FROM outside_payments WHERE node = ? AND direction = ? AND payment_hash = ?';
    const row = this.#store.get(sql, node, direction, paymentHash);
    return row && asPayment(row);
  }

  #setInvoiceState(paymentHash: string, state: string): void {
    this.#store.run('UPDATE outside_invoices SET state = ? WHERE payment_hash = ?', state, paymentHash);
  }

  #invoice(paymentHash: string): Row | undefined {
    return this.#store.get('SELECT * FROM outside_invoices WHERE payment_hash = ?', paymentHash);
  }
}

function amountOf(invoice: ldk.Bolt11Invoice, given: Msat | undefined): Msat {
  const stated = payments.invoiceAmount(invoice);
  if (given !== undefined) check.requireWhole('amountMsat', given, 1);
  if (stated === undefined && given === undefined) throw new PlaygroundRefusal('the invoice has no amount; state one');
  if (stated !== undefined && given !== undefined && stated !== given) throw new PlaygroundRefusal('the invoice states another amount');
  return msat(stated ?? (given as number));
}

function asPayment(row: Row): OutsidePayment {
  return {
    id: row.id as number,
    node: row.node as OutsideName,
    direction: row.direction as Direction,
    paymentHash: row.payment_hash as string,
    amountMsat: row.amount_msat as Msat,
    feeMsat: row.fee_msat as Msat,
    state: row.state as OutsidePayment['state'],
  };
}
