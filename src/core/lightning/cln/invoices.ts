import { hash } from 'node:crypto';
import { msat } from '../../kernel/money.ts';
import type { CancelOutcome, CreatedInvoice, InvoiceRequest, InvoiceStatus } from '../node.ts';
import { paymentHashOf } from '../payment-hash.ts';
import type { ClnContext } from './context.ts';
import { meaningOf } from './errors.ts';
import type { InvoiceRecord } from './rpc.ts';

/*
 * lightningd deletes a cancelled invoice, after which it looks like one that never existed. Therefore the adapter first stores a *tombstone*,
 * a key of the datastore with the payment hash.
 */

/** The text of a tombstone whose invoice was paid before lightningd could delete it. */
const PAID = 'paid';

export async function createInvoice(cln: ClnContext, request: InvoiceRequest): Promise<CreatedInvoice> {
  const paymentHash = paymentHashOf(request.preimage);
  // lightningd would create the invoice again, and accept payments of it.
  if (await isCancelled(cln, paymentHash)) throw new Error('the invoice with this preimage was cancelled');
  try {
    const { bolt11 } = await cln.rpc.call('invoice', {
      amount_msat: request.amountMsat ?? 'any',
      label: `satchel-${paymentHash}`,
      preimage: request.preimage,
      expiry: request.expirySeconds,
      ...descriptionOf(request),
    });
    return { paymentRequest: bolt11 };
  } catch (error) {
    if (meaningOf(error) !== 'invoice_exists') throw error;
    const bolt11 = (await find(cln, paymentHash))?.bolt11;
    if (bolt11 === undefined) throw error;
    return { paymentRequest: bolt11 };
  }
}

export async function cancelInvoice(cln: ClnContext, paymentHash: string): Promise<CancelOutcome> {
  const invoice = await find(cln, paymentHash);
  if (!invoice) return (await isCancelled(cln, paymentHash)) ? 'cancelled' : 'unknown';
  if (invoice.status === 'paid') return 'settled';
  await cln.datastore.write(tombstone(paymentHash), String(Math.floor(Date.now() / 1000)));
  return deleteInvoice(cln, invoice, invoice.status);
}

export async function lookupInvoice(cln: ClnContext, paymentHash: string): Promise<InvoiceStatus | undefined> {
  const invoice = await find(cln, paymentHash);
  if (!invoice) return (await isCancelled(cln, paymentHash)) ? { state: 'cancelled' } : undefined;
  return invoice.status === 'paid' ? { state: 'settled', ...received(invoice) } : { state: 'open' };
}

/** Deletes the invoice. lightningd does this only if the status is the expected one, so an invoice is never both paid and deleted. */
async function deleteInvoice(cln: ClnContext, invoice: InvoiceRecord, status: 'unpaid' | 'expired'): Promise<CancelOutcome> {
  const { label, payment_hash: paymentHash } = invoice;
  try {
    await cln.rpc.call('delinvoice', { label, status });
    return 'cancelled';
  } catch (error) {
    const meaning = meaningOf(error);
    if (meaning !== 'invoice_missing' && meaning !== 'invoice_not_unpaid') throw error;
  }
  // It was deleted by another request, or it was paid or expired meanwhile.
  const now = await find(cln, paymentHash);
  if (!now) return 'cancelled';
  if (now.status !== 'paid') return deleteInvoice(cln, now, now.status);
  const stored = await cln.datastore.read(tombstone(paymentHash));
  if (stored) await cln.datastore.write(tombstone(paymentHash), PAID, stored.generation);
  return 'settled';
}

async function find({ rpc }: ClnContext, paymentHash: string): Promise<InvoiceRecord | undefined> {
  const { invoices } = await rpc.call('listinvoices', { payment_hash: paymentHash });
  return invoices[0];
}

async function isCancelled({ datastore }: ClnContext, paymentHash: string): Promise<boolean> {
  const stored = await datastore.read(tombstone(paymentHash));
  return stored !== undefined && stored.text !== PAID;
}

/** Returns what arrived for a paid invoice. It may exceed the invoice's amount. */
export function received(invoice: InvoiceRecord) {
  const { amount_received_msat: amount, payment_preimage: preimage } = invoice;
  if (amount === undefined || preimage === undefined) throw new Error('lightningd reports a paid invoice without amount or preimage');
  return { amountMsat: msat(amount), preimage };
}

function tombstone(paymentHash: string): string[] {
  return ['cancelled', paymentHash];
}

/** lightningd computes the hash of a long description itself, from its text. */
function descriptionOf({ description, descriptionHash }: InvoiceRequest) {
  // lightningd rejects characters that JSON writes as `\u…`: control characters become spaces, halves of surrogate pairs become U+FFFD. The text
  // keeps its length in bytes.
  const text = description.toWellFormed().replace(CONTROL, ' ');
  if (descriptionHash === undefined) return { description: text };
  if (hash('sha256', text, 'hex') !== descriptionHash)
    throw new Error('Core Lightning creates an invoice with a description hash only from the text of the description');
  return { description: text, deschashonly: true };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to replace
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
