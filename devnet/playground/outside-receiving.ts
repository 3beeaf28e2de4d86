import { randomBytes } from 'node:crypto';
import type { Event_PaymentClaimable, Event_PaymentClaimed } from 'lightningdevkit';
import {
  type HoldAction,
  type OutsideInvoice,
  type OutsideInvoiceRequest,
  type OutsideName,
  PlaygroundRefusal,
} from '../../src/lightning/test-network.ts';
import { requireBytes32, requireDescription, requireExpiry, requireOutside, requireWhole } from '../checks.ts';
import { bytesOf, hexOf, sha256 } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';
import type { Network } from './network.ts';
import type { OutsideLedger } from './outside-ledger.ts';
import { claim, makeInvoice, type Receipt, readReceipt, sendBack } from './receiving.ts';
import type { Row, Store } from './store.ts';

/**
 * What alice and carol receive. An invoice is `open`, then `settled`; a hold invoice, the one whose preimage is kept here instead of in LDK, waits
 * `held` in between until somebody settles or cancels it.
 */
export class OutsideReceiving {
  readonly #store: Store;
  readonly #network: Network;
  readonly #ledger: OutsideLedger;
  readonly #now: () => number;

  constructor(store: Store, network: Network, ledger: OutsideLedger, now: () => number) {
    this.#store = store;
    this.#network = network;
    this.#ledger = ledger;
    this.#now = now;
  }

  /** @throws PlaygroundRefusal */
  createInvoice(wanted: OutsideInvoiceRequest): OutsideInvoice {
    requireOutside(wanted.at);
    if (wanted.amountMsat !== undefined) requireWhole('amountMsat', wanted.amountMsat);
    requireDescription('memo', wanted.memo);
    requireExpiry(wanted.expirySeconds);
    const preimage = wanted.hold ? randomBytes(32).toString('hex') : undefined;
    const invoice = makeInvoice(this.#network.nodes[wanted.at], {
      amountMsat: wanted.amountMsat,
      description: wanted.memo,
      expirySeconds: wanted.expirySeconds,
      paymentHash: preimage && hexOf(sha256(bytesOf(preimage))),
    });
    const paymentHash = hexOf(invoice.payment_hash());
    this.#store.run(
      `INSERT INTO outside_invoices (payment_hash, node, expires_at, preimage, state) VALUES (?, ?, ?, ?, 'open')`,
      paymentHash,
      wanted.at,
      Number(invoice.duration_since_epoch()) + wanted.expirySeconds,
      preimage ?? null,
    );
    return { paymentRequest: invoice.to_str(), paymentHash };
  }

  /** Doing again what was done is fine. @throws PlaygroundRefusal */
  resolveHold(paymentHash: string, action: HoldAction): void {
    requireBytes32('paymentHash', paymentHash);
    const invoice = this.#invoice(paymentHash);
    if (typeof invoice?.preimage !== 'string') throw new PlaygroundRefusal('there is no hold invoice with this payment hash');
    const wanted = action === 'settle' ? 'settled' : 'cancelled';
    if (invoice.state === wanted) return;
    if (invoice.state === 'settled' || invoice.state === 'cancelled') throw new PlaygroundRefusal(`the hold invoice is ${invoice.state}`);
    if (action === 'settle' && invoice.state === 'open') throw new PlaygroundRefusal('nobody has paid the hold invoice yet');
    const node = this.#network.nodes[invoice.node as OutsideName];
    this.#setState(paymentHash, wanted);
    if (action === 'settle') {
      claim(node, invoice.preimage);
      return;
    }
    if (invoice.state === 'held') sendBack(node, paymentHash);
    this.#ledger.end(node.name, 'received', paymentHash, 'failed');
  }

  arrived(node: LdkNode, event: Event_PaymentClaimable): void {
    const arrival = readReceipt(event);
    const invoice = this.#invoice(arrival.paymentHash);
    if (!this.#isWanted(node, arrival, invoice)) {
      sendBack(node, arrival.paymentHash);
      return;
    }
    const { paymentHash, amountMsat } = arrival;
    this.#ledger.begin({ node: node.name as OutsideName, direction: 'received', paymentHash, amountMsat }, null);
    if (arrival.preimage !== undefined) claim(node, arrival.preimage);
    else this.#setState(paymentHash, 'held');
  }

  claimed(node: LdkNode, event: Event_PaymentClaimed): void {
    const paymentHash = hexOf(event.payment_hash);
    this.#setState(paymentHash, 'settled');
    this.#ledger.end(node.name, 'received', paymentHash, 'succeeded');
  }

  /** A second payment of a hash goes back, as every careful wallet would have it. */
  #isWanted(node: LdkNode, arrival: Receipt, invoice: Row | undefined): boolean {
    const earlier = this.#ledger.find(node.name as OutsideName, 'received', arrival.paymentHash);
    if (earlier?.state === 'succeeded') return false;
    if (arrival.keysend) return true;
    return invoice !== undefined && invoice.state === 'open' && (invoice.expires_at as number) > this.#now();
  }

  #setState(paymentHash: string, state: string): void {
    this.#store.run('UPDATE outside_invoices SET state = ? WHERE payment_hash = ?', state, paymentHash);
  }

  #invoice(paymentHash: string): Row | undefined {
    return this.#store.get('SELECT * FROM outside_invoices WHERE payment_hash = ?', paymentHash);
  }
}
