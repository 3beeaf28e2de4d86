import { hash } from 'node:crypto';
import { msat } from '../../kernel/money.ts';
import type { CancelOutcome, CreatedInvoice, InvoiceRequest, InvoiceStatus } from '../node.ts';
import { paymentHashOf } from '../payment-hash.ts';
import type { Datastore } from './datastore.ts';
import { meaningOf } from './errors.ts';
import { withoutEscapes } from './json.ts';
import type { ClnRpc, InvoiceRecord } from './rpc.ts';

/** The text of a tombstone whose invoice was paid before lightningd could delete it. */
const PAID = 'paid';

/**
 * Creates, cancels and reads invoices. lightningd deletes a cancelled invoice, after which it looks like one that never existed. Therefore
 * the adapter first stores a *tombstone*, a key of the datastore with the payment hash.
 */
export class ClnInvoices {
  readonly #rpc: ClnRpc;
  readonly #datastore: Datastore;

  constructor(rpc: ClnRpc, datastore: Datastore) {
    this.#rpc = rpc;
    this.#datastore = datastore;
  }

  async create(request: InvoiceRequest): Promise<CreatedInvoice> {
    const paymentHash = paymentHashOf(request.preimage);
    // lightningd would create the invoice again, and accept payments of it.
    if (await this.#isCancelled(paymentHash)) throw new Error('the invoice with this preimage was cancelled');
    try {
      const { bolt11 } = await this.#rpc.call('invoice', {
        amount_msat: request.amountMsat ?? 'any',
        label: labelOf(paymentHash),
        preimage: request.preimage,
        expiry: request.expirySeconds,
        ...descriptionOf(request),
      });
      return { paymentRequest: bolt11 };
    } catch (error) {
      if (meaningOf(error) !== 'invoice_exists') throw error;
      const bolt11 = (await this.#find(paymentHash))?.bolt11;
      if (bolt11 === undefined) throw error;
      return { paymentRequest: bolt11 };
    }
  }

  async cancel(paymentHash: string): Promise<CancelOutcome> {
    const invoice = await this.#find(paymentHash);
    if (!invoice) return (await this.#isCancelled(paymentHash)) ? 'cancelled' : 'unknown';
    if (invoice.status === 'paid') return 'settled';
    await this.#datastore.create(tombstone(paymentHash), String(Math.floor(Date.now() / 1000)));
    return await this.#delete(invoice, invoice.status);
  }

  async lookup(paymentHash: string): Promise<InvoiceStatus | undefined> {
    const invoice = await this.#find(paymentHash);
    if (!invoice) return (await this.#isCancelled(paymentHash)) ? { state: 'cancelled' } : undefined;
    if (invoice.status !== 'paid') return { state: 'open' };
    return { state: 'settled', ...received(invoice) };
  }

  /** Deletes the invoice. lightningd does this only if the status is the expected one, so an invoice is never both paid and deleted. */
  async #delete({ label, payment_hash }: InvoiceRecord, status: 'unpaid' | 'expired'): Promise<CancelOutcome> {
    try {
      await this.#rpc.call('delinvoice', { label, status });
      return 'cancelled';
    } catch (error) {
      const meaning = meaningOf(error);
      if (meaning !== 'invoice_missing' && meaning !== 'invoice_not_unpaid') throw error;
    }
    // It was deleted by another request, or it was paid or expired meanwhile.
    const invoice = await this.#find(payment_hash);
    if (!invoice) return 'cancelled';
    if (invoice.status !== 'paid') return await this.#delete(invoice, invoice.status);
    const stored = await this.#datastore.read(tombstone(payment_hash));
    if (stored) await this.#datastore.replace(tombstone(payment_hash), PAID, stored.generation);
    return 'settled';
  }

  async #find(paymentHash: string): Promise<InvoiceRecord | undefined> {
    const { invoices } = await this.#rpc.call('listinvoices', { payment_hash: paymentHash });
    return invoices[0];
  }

  async #isCancelled(paymentHash: string): Promise<boolean> {
    const stored = await this.#datastore.read(tombstone(paymentHash));
    return stored !== undefined && stored.text !== PAID;
  }
}

/** Returns what arrived for a paid invoice. It may exceed the invoice's amount. */
export function received(invoice: InvoiceRecord) {
  const { amount_received_msat: amount, payment_preimage: preimage } = invoice;
  if (amount === undefined || preimage === undefined) throw new Error('lightningd reports a paid invoice without amount or preimage');
  return { amountMsat: msat(amount), preimage };
}

function labelOf(paymentHash: string): string {
  return `satchel-${paymentHash}`;
}

function tombstone(paymentHash: string): string[] {
  return ['cancelled', paymentHash];
}

/** lightningd computes the hash of a long description itself, from its text. */
function descriptionOf({ description, descriptionHash }: InvoiceRequest) {
  const text = withoutEscapes(description);
  if (descriptionHash === undefined) return { description: text };
  if (hash('sha256', text, 'hex') !== descriptionHash)
    throw new Error('Core Lightning creates an invoice with a description hash only from the text of the description');
  return { description: text, deschashonly: true };
}
