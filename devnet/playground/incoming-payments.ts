import type { Event_PaymentClaimable, Event_PaymentClaimed } from 'lightningdevkit';
import type { Msat } from '../../src/core/kernel/money.ts';
import type { CancelOutcome, CreatedInvoice, CustomRecords, InvoiceRequest, InvoiceStatus } from '../../src/core/lightning/node.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { requireBytes32, requireInvoiceRequest, requireWhole } from '../checks.ts';
import { unixNow } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';
import { type Arrival, claim, createInvoice, readArrival, sendBack } from './ldk-payments.ts';
import type { Outbox } from './outbox.ts';
import type { ClaimRequest } from './protocol.ts';
import type { Row, Store } from './store.ts';

/**
 * The payments that a service node receives. Each has a row in `receipts`, which is `asked` until the claim guard has decided, `claiming` until LDK
 * has claimed it, and then `settled`. A refusal deletes the row, so the payer may try again. There is one row for each payment hash, and settled
 * rows are never deleted, because LDK would accept a second payment of the same invoice.
 */
export class IncomingPayments {
  readonly #store: Store;
  readonly #node: LdkNode;
  readonly #outbox: Outbox;

  constructor(store: Store, node: LdkNode, outbox: Outbox) {
    this.#store = store;
    this.#node = node;
    this.#outbox = outbox;
  }

  /** @throws PlaygroundRefusal */
  createInvoice(request: InvoiceRequest): CreatedInvoice {
    requireInvoiceRequest(request);
    const paymentHash = paymentHashOf(request.preimage);
    const known = this.#invoice(paymentHash);
    if (known) return { paymentRequest: known.payment_request as string };
    const invoice = createInvoice(this.#node, { ...request, paymentHash });
    const paymentRequest = invoice.to_str();
    const expiresAt = Number(invoice.duration_since_epoch()) + request.expirySeconds;
    const sql = 'INSERT INTO invoices (node, payment_hash, expires_at, preimage, payment_request) VALUES (?, ?, ?, ?, ?)';
    this.#store.run(sql, this.#node.name, paymentHash, expiresAt, request.preimage, paymentRequest);
    return { paymentRequest };
  }

  /** A payment whose guard has not decided is sent back to its payer. A later decision then has no effect. */
  cancelInvoice(paymentHash: string): CancelOutcome {
    requireBytes32('paymentHash', paymentHash);
    if (!this.#invoice(paymentHash)) return 'unknown';
    const receipt = this.#receipt(paymentHash);
    if (receipt?.state === 'settled') return 'settled';
    if (receipt?.state === 'claiming') return 'accepted';
    this.#store.run('UPDATE invoices SET cancelled = 1 WHERE node = ? AND payment_hash = ?', this.#node.name, paymentHash);
    if (receipt) this.#sendBack(paymentHash);
    return 'cancelled';
  }

  /** @throws PlaygroundRefusal */
  lookupInvoice(paymentHash: string): InvoiceStatus | undefined {
    requireBytes32('paymentHash', paymentHash);
    const receipt = this.#receipt(paymentHash);
    if (receipt?.state === 'settled') {
      return { state: 'settled', amountMsat: receipt.amount_msat as Msat, preimage: receipt.preimage as string };
    }
    if (receipt?.state === 'claiming') return { state: 'accepted' };
    const invoice = this.#invoice(paymentHash);
    return invoice && { state: invoice.cancelled === 1 ? 'cancelled' : 'open' };
  }

  /** LDK holds a payment for us. It may repeat this event after a restart. */
  arrived(event: Event_PaymentClaimable): void {
    const arrival = readArrival(event);
    const receipt = this.#receipt(arrival.paymentHash);
    if (receipt?.state === 'asked') return;
    if (receipt?.state === 'claiming') claim(this.#node, receipt.preimage as string);
    else {
      const preimage = arrival.preimage ?? (this.#invoice(arrival.paymentHash)?.preimage as string | undefined);
      if (receipt || preimage === undefined || !this.#isOpen(arrival)) sendBack(this.#node, arrival.paymentHash);
      else this.#write(arrival, preimage, 'asked');
    }
  }

  decide(askId: number, decision: 'claim' | 'refuse'): void {
    requireWhole('askId', askId);
    const receipt = this.#store.get(`SELECT * FROM receipts WHERE node = ? AND ask_id = ? AND state = 'asked'`, this.#node.name, askId);
    if (!receipt) return;
    if (decision === 'refuse') {
      this.#sendBack(receipt.payment_hash as string);
    } else {
      this.#store.run(`UPDATE receipts SET state = 'claiming' WHERE ask_id = ?`, askId);
      claim(this.#node, receipt.preimage as string);
    }
  }

  /** LDK has claimed a payment. It reports this at least once, and only the first report counts. */
  claimed(event: Event_PaymentClaimed): void {
    const arrival = readArrival(event);
    const receipt = this.#receipt(arrival.paymentHash);
    if (receipt?.state === 'settled') return;
    const preimage = arrival.preimage ?? (receipt?.preimage as string | undefined);
    if (preimage === undefined) throw new Error('a node claimed a payment whose preimage it does not know');
    this.#write(arrival, preimage, 'settled');
    this.#outbox.add({ type: 'settlement', ...arrival, preimage, settledAt: unixNow() });
  }

  /** Returns the payments with an id above `askId` that wait for the claim guard. */
  claimRequestsAfter(askId: number): ClaimRequest[] {
    const sql = `SELECT * FROM receipts WHERE node = ? AND state = 'asked' AND ask_id > ? ORDER BY ask_id`;
    const rows = this.#store.all(sql, this.#node.name, askId);
    return rows.map((row) => ({
      askId: row.ask_id as number,
      incoming: {
        paymentHash: row.payment_hash as string,
        amountMsat: row.amount_msat as Msat,
        keysend: row.keysend === 1,
        customRecords: JSON.parse(row.custom_records as string) as CustomRecords,
      },
    }));
  }

  /** LDK accepts payments until two hours after the expiry, and a keysend with any hash. */
  #isOpen(arrival: Arrival): boolean {
    const invoice = this.#invoice(arrival.paymentHash);
    if (arrival.keysend) return !invoice;
    return invoice !== undefined && invoice.cancelled === 0 && (invoice.expires_at as number) > unixNow();
  }

  #sendBack(paymentHash: string): void {
    this.#store.run('DELETE FROM receipts WHERE node = ? AND payment_hash = ?', this.#node.name, paymentHash);
    sendBack(this.#node, paymentHash);
  }

  #write(arrival: Arrival, preimage: string, state: 'asked' | 'settled'): void {
    const { paymentHash, amountMsat, keysend, customRecords } = arrival;
    const sql = `INSERT INTO receipts (node, payment_hash, state, preimage, amount_msat, keysend, custom_records)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (node, payment_hash) DO UPDATE SET state = excluded.state, amount_msat = excluded.amount_msat`;
    const records = JSON.stringify(customRecords);
    this.#store.run(sql, this.#node.name, paymentHash, state, preimage, amountMsat, keysend ? 1 : 0, records);
  }

  #invoice(paymentHash: string): Row | undefined {
    return this.#store.get('SELECT * FROM invoices WHERE node = ? AND payment_hash = ?', this.#node.name, paymentHash);
  }

  #receipt(paymentHash: string): Row | undefined {
    return this.#store.get('SELECT * FROM receipts WHERE node = ? AND payment_hash = ?', this.#node.name, paymentHash);
  }
}
