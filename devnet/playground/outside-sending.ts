import { randomBytes } from 'node:crypto';
import type { Bolt11Invoice, Event_PaymentFailed, Event_PaymentSent, RetryableSendFailure } from 'lightningdevkit';
import { type Msat, msat } from '../../src/kernel/money.ts';
import {
  type OutsideKeysendRequest,
  type OutsideName,
  type OutsidePayRequest,
  PlaygroundRefusal,
} from '../../src/lightning/test-network.ts';
import { requireInvoiceText, requireOutside, requireRecords, requireWhole } from '../checks.ts';
import { bytes32Of, hexOf, sha256, u64Of } from './bindings.ts';
import { sendFailure } from './failures.ts';
import type { LdkNode } from './ldk-node.ts';
import type { Network } from './network.ts';
import type { OutsideLedger } from './outside-ledger.ts';
import { invoiceAmount, readInvoice, type Sending, sendSpontaneous, sendToInvoice } from './sending.ts';

/** What alice and carol pay, as any wallet in the world would. */
export class OutsideSending {
  readonly #network: Network;
  readonly #ledger: OutsideLedger;
  readonly #now: () => number;

  constructor(network: Network, ledger: OutsideLedger, now: () => number) {
    this.#network = network;
    this.#ledger = ledger;
    this.#now = now;
  }

  /** Begins to pay an invoice; returns the payment's id. @throws PlaygroundRefusal */
  pay(request: OutsidePayRequest): number {
    requireOutside(request.from);
    requireInvoiceText(request.paymentRequest);
    const invoice = readInvoice(request.paymentRequest);
    if (!invoice) throw new PlaygroundRefusal('the payment request is not an invoice');
    if (invoice.would_expire(BigInt(this.#now()))) throw new PlaygroundRefusal('the invoice has expired');
    const amountMsat = amountOf(invoice, request.amountMsat);
    const paymentHash = hexOf(invoice.payment_hash());
    const earlier = this.#ledger.find(request.from, 'sent', paymentHash);
    if (earlier && earlier.state !== 'failed') throw new PlaygroundRefusal(`${request.from} has paid this invoice, or is paying it`);
    return this.#begin(request.from, paymentHash, amountMsat, (node, sending) => sendToInvoice(node, invoice, sending));
  }

  /** Begins a keysend to the hub; returns the payment's id. @throws PlaygroundRefusal */
  keysend(request: OutsideKeysendRequest): number {
    requireOutside(request.from);
    requireWhole('amountMsat', request.amountMsat, 1);
    requireRecords(request.customRecords);
    const preimage = randomBytes(32);
    const destination = this.#network.nodes.hub.pubkey;
    return this.#begin(request.from, hexOf(sha256(preimage)), request.amountMsat, (node, sending) =>
      sendSpontaneous(node, { ...sending, destination, preimage: hexOf(preimage), customRecords: request.customRecords }),
    );
  }

  sent(node: LdkNode, event: Event_PaymentSent): void {
    this.#ledger.end(node.name, 'sent', hexOf(event.payment_hash), 'succeeded', Number(u64Of(event.fee_paid_msat) ?? 0n));
  }

  failed(node: LdkNode, event: Event_PaymentFailed): void {
    const hash = bytes32Of(event.payment_hash);
    const paymentHash = hash ? hexOf(hash) : this.#ledger.hashOf(hexOf(event.payment_id));
    if (paymentHash) this.#ledger.end(node.name, 'sent', paymentHash, 'failed');
  }

  #begin(
    from: OutsideName,
    paymentHash: string,
    amountMsat: Msat,
    send: (node: LdkNode, sending: Sending) => RetryableSendFailure | undefined,
  ): number {
    const ldkId = randomBytes(32).toString('hex');
    const id = this.#ledger.begin({ node: from, direction: 'sent', paymentHash, amountMsat }, ldkId);
    const error = send(this.#network.nodes[from], { ldkId, amountMsat });
    if (error !== undefined && sendFailure(error)) this.#ledger.end(from, 'sent', paymentHash, 'failed');
    return id;
  }
}

function amountOf(invoice: Bolt11Invoice, given: Msat | undefined): Msat {
  const stated = invoiceAmount(invoice);
  if (given !== undefined) requireWhole('amountMsat', given, 1);
  if (stated === undefined && given === undefined) throw new PlaygroundRefusal('the invoice leaves the amount open: say how much');
  if (stated !== undefined && given !== undefined && stated !== given) throw new PlaygroundRefusal('the invoice states another amount');
  return msat(stated ?? (given as number));
}
