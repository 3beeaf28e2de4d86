import type { Event_PaymentClaimable, Event_PaymentClaimed } from 'lightningdevkit';
import type { Msat } from '../../src/kernel/money.ts';
import type { CancelOutcome, CreatedInvoice, CustomRecords, InvoiceRequest, InvoiceStatus } from '../../src/lightning/node.ts';
import { requireBytes32, requireDescription, requireExpiry, requireWhole } from '../checks.ts';
import { hexOf, unwrap } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';
import type { Outbox } from './outbox.ts';
import type { ClaimRequest } from './protocol.ts';
import { claim, makeInvoice, type Receipt, readReceipt, sendBack } from './receiving.ts';
import type { Row, Store } from './store.ts';

/**
 * What the hub receives. A payment at the door becomes a receipt: `asked` until the guard has decided, `claiming` once LDK was told to
 * take it, `settled` when it is ours. Refusing deletes the receipt, so its payer may try again. One receipt per payment hash, and a settled one
 * stays for ever: LDK would take a second payment of the same invoice.
 */
export class Incoming {
  readonly #store: Store;
  readonly #hub: LdkNode;
  readonly #outbox: Outbox;
  readonly #now: () => number;

  constructor(store: Store, hub: LdkNode, outbox: Outbox, now: () => number) {
    this.#store = store;
    this.#hub = hub;
    this.#outbox = outbox;
    this.#now = now;
  }

  /** @throws PlaygroundRefusal */
  createInvoice(wanted: InvoiceRequest): CreatedInvoice {
    if (wanted.amountMsat !== undefined) requireWhole('amountMsat', wanted.amountMsat);
    if (wanted.descriptionHash === undefined) requireDescription('description', wanted.description);
    else requireBytes32('descriptionHash', wanted.descriptionHash);
    requireExpiry(wanted.expirySeconds);
    const invoice = makeInvoice(this.#hub, wanted);
    const hash = invoice.payment_hash();
    const preimage = this.#hub.manager.get_payment_preimage(hash, invoice.payment_secret());
    const expiresAt = Number(invoice.duration_since_epoch()) + wanted.expirySeconds;
    this.#store.run('INSERT INTO invoices (payment_hash, expires_at) VALUES (?, ?)', hexOf(hash), expiresAt);
    return {
      paymentRequest: invoice.to_str(),
      paymentHash: hexOf(hash),
      preimage: hexOf(unwrap<Uint8Array>(preimage, 'tell the preimage of its invoice')),
    };
  }

  /** A payment whose guard has not decided goes back to its payer; the guard's late answer then finds nothing. */
  cancelInvoice(paymentHash: string): CancelOutcome {
    requireBytes32('paymentHash', paymentHash);
    if (!this.#invoice(paymentHash)) return 'unknown';
    const receipt = this.#receipt(paymentHash);
    if (receipt?.state === 'settled') return 'settled';
    if (receipt?.state === 'claiming') return 'accepted';
    this.#store.run('UPDATE invoices SET cancelled = 1 WHERE payment_hash = ?', paymentHash);
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

  /** LDK holds a payment for us. It may say so again after a restart. */
  arrived(event: Event_PaymentClaimable): void {
    const arrival = readReceipt(event);
    const receipt = this.#receipt(arrival.paymentHash);
    if (receipt?.state === 'asked') return;
    if (receipt?.state === 'claiming') claim(this.#hub, receipt.preimage as string);
    else if (receipt || arrival.preimage === undefined || !this.#isOpen(arrival)) sendBack(this.#hub, arrival.paymentHash);
    else this.#write(arrival, arrival.preimage, 'asked');
  }

  decide(askId: number, decision: 'claim' | 'refuse'): void {
    requireWhole('askId', askId);
    const receipt = this.#store.get(`SELECT * FROM receipts WHERE ask_id = ? AND state = 'asked'`, askId);
    if (!receipt) return;
    if (decision === 'refuse') {
      this.#sendBack(receipt.payment_hash as string);
      return;
    }
    this.#store.run(`UPDATE receipts SET state = 'claiming' WHERE ask_id = ?`, askId);
    claim(this.#hub, receipt.preimage as string);
  }

  /** The money is ours. LDK says so at least once; the first time counts. */
  claimed(event: Event_PaymentClaimed): void {
    const { preimage, ...arrival } = readReceipt(event);
    if (preimage === undefined) throw new Error('the hub claimed a payment whose preimage it does not know');
    if (this.#receipt(arrival.paymentHash)?.state === 'settled') return;
    this.#write({ ...arrival, preimage }, preimage, 'settled');
    this.#outbox.add({ type: 'settlement', ...arrival, preimage, settledAt: this.#now() });
  }

  /** Returns the payments with an id above `askId` that wait for the claim guard. */
  claimRequestsAfter(askId: number): ClaimRequest[] {
    const rows = this.#store.all(`SELECT * FROM receipts WHERE state = 'asked' AND ask_id > ? ORDER BY ask_id`, askId);
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

  /** LDK itself takes payments until two hours after the expiry, and a keysend with any hash. */
  #isOpen(arrival: Receipt): boolean {
    const invoice = this.#invoice(arrival.paymentHash);
    if (arrival.keysend) return !invoice;
    return invoice !== undefined && invoice.cancelled === 0 && (invoice.expires_at as number) > this.#now();
  }

  #sendBack(paymentHash: string): void {
    this.#store.run('DELETE FROM receipts WHERE payment_hash = ?', paymentHash);
    sendBack(this.#hub, paymentHash);
  }

  #write(arrival: Receipt, preimage: string, state: 'asked' | 'settled'): void {
    this.#store.run(
      `INSERT INTO receipts (payment_hash, state, preimage, amount_msat, keysend, custom_records) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (payment_hash) DO UPDATE SET state = excluded.state, amount_msat = excluded.amount_msat`,
      arrival.paymentHash,
      state,
      preimage,
      arrival.amountMsat,
      arrival.keysend ? 1 : 0,
      JSON.stringify(arrival.customRecords),
    );
  }

  #invoice(paymentHash: string): Row | undefined {
    return this.#store.get('SELECT * FROM invoices WHERE payment_hash = ?', paymentHash);
  }

  #receipt(paymentHash: string): Row | undefined {
    return this.#store.get('SELECT * FROM receipts WHERE payment_hash = ?', paymentHash);
  }
}
