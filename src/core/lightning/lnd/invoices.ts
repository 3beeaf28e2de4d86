import { msat } from '../../kernel/money.ts';
import {
  type CancelOutcome,
  type CreatedInvoice,
  HashUsed,
  type HoldInvoiceRequest,
  type InvoiceRequest,
  type InvoiceStatus,
  type SettleOutcome,
} from '../node.ts';
import { paymentHashOf } from '../payment-hash.ts';
import { LndError, meaningOf } from './errors.ts';
import { readHeight } from './info.ts';
import type { LndTransport } from './transport.ts';
import { fromBase64, readMsat, toBase64 } from './values.ts';

/** An invoice or an incoming keysend, as LND returns it. */
export interface LndInvoice {
  /** Empty for a hold invoice that is not settled. */
  readonly r_preimage: string;
  readonly r_hash: string;
  /** Empty for a keysend. */
  readonly payment_request: string;
  readonly state: 'OPEN' | 'ACCEPTED' | 'SETTLED' | 'CANCELED';
  readonly amt_paid_msat: string;
  /** Unix seconds. */
  readonly settle_date: string;
  /** Counts the settlements of the node, from 1. 0: not settled. */
  readonly settle_index: string;
  readonly is_keysend: boolean;
  readonly htlcs: readonly {
    /** The channel, and the number of the HTLC in it. */
    readonly chan_id: string;
    readonly htlc_index: string;
    readonly state: string;
    readonly amt_msat: string;
    /** The block height at which it expires. */
    readonly expiry_height: number;
    readonly custom_records: Readonly<Record<string, string>>;
  }[];
}

/** An HTLC of an incoming payment. */
export interface LndHtlc {
  readonly channel: string;
  readonly index: string;
  readonly amountMsat: number;
}

/** Returns the settled HTLCs of an invoice as text: `<channel>:<index>:<amount in msat>`, separated by spaces. */
export function htlcsOf(invoice: LndInvoice): string {
  const settled = invoice.htlcs.filter(({ state }) => state === 'SETTLED');
  return settled.map(({ chan_id, htlc_index, amt_msat }) => `${chan_id}:${htlc_index}:${readMsat(amt_msat)}`).join(' ');
}

/** Parses what {@link htlcsOf} returned. */
export function parseHtlcs(text: string): LndHtlc[] {
  return text.split(' ').flatMap((one) => {
    const [, channel = '', index = '', amount = ''] = /^(\d{1,20}):(\d{1,20}):(\d{1,15})$/.exec(one) ?? [];
    return channel === '' ? [] : [{ channel, index, amountMsat: Number(amount) }];
  });
}

/** Returns an invoice or an incoming keysend; undefined when the node has none with this hash. */
export async function findInvoice(transport: LndTransport, paymentHash: string): Promise<LndInvoice | undefined> {
  try {
    return await transport.get<LndInvoice>(`/v1/invoice/${paymentHash}`);
  } catch (error) {
    if (meaningOf(error) === 'no_invoice') return undefined;
    throw error;
  }
}

/** Creates an invoice. The preimage makes this idempotent: LND rejects a second one with the same preimage, and the first is returned. */
export async function createInvoice(transport: LndTransport, request: InvoiceRequest, hopHints: boolean): Promise<CreatedInvoice> {
  const { preimage } = request;
  const body = { r_preimage: toBase64(preimage), ...contentsOf(request, hopHints) };
  try {
    const { payment_request } = await transport.call<{ payment_request: string }>({ method: 'POST', path: '/v1/invoices', body });
    return { paymentRequest: payment_request };
  } catch (error) {
    if (meaningOf(error) !== 'invoice_exists') throw error;
    const existing = await findInvoice(transport, paymentHashOf(preimage));
    if (!existing) throw error;
    return { paymentRequest: existing.payment_request };
  }
}

function contentsOf(request: Omit<InvoiceRequest, 'preimage'>, hopHints: boolean) {
  const { amountMsat, description, descriptionHash, expirySeconds } = request;
  // LND would take 0 as 24 hours.
  if (expirySeconds < 1) throw new RangeError('an invoice expires after at least one second');
  return {
    ...(amountMsat !== undefined && { value_msat: String(amountMsat) }),
    ...(descriptionHash === undefined ? { memo: description } : { description_hash: toBase64(descriptionHash) }),
    expiry: String(expirySeconds),
    private: hopHints,
  };
}

/** Creates a hold invoice. @throws HashUsed if LND has an invoice with the payment hash */
export async function createHoldInvoice(transport: LndTransport, request: HoldInvoiceRequest, hopHints: boolean): Promise<CreatedInvoice> {
  const { paymentHash, minFinalCltvBlocks: blocks } = request;
  const cltv = blocks === undefined ? {} : { cltv_expiry: String(blocks) };
  const body = { hash: toBase64(paymentHash), ...contentsOf(request, hopHints), ...cltv };
  try {
    const { payment_request } = await transport.call<{ payment_request: string }>({ method: 'POST', path: '/v2/invoices/hodl', body });
    return { paymentRequest: payment_request };
  } catch (error) {
    throw meaningOf(error) === 'invoice_exists' ? new HashUsed('LND has an invoice with this payment hash') : error;
  }
}

/** Settles a hold invoice. The state of the invoice decides what an error means, as for {@link cancelInvoice}. */
export async function settleHoldInvoice(transport: LndTransport, preimage: string): Promise<SettleOutcome> {
  try {
    await transport.call({ method: 'POST', path: '/v2/invoices/settle', body: { preimage: toBase64(preimage) } });
    return 'settled';
  } catch (error) {
    if (!(error instanceof LndError)) throw error;
    const invoice = await findInvoice(transport, paymentHashOf(preimage));
    if (!invoice) return 'unknown';
    if (invoice.state === 'ACCEPTED') throw error;
    return ({ OPEN: 'open', SETTLED: 'settled', CANCELED: 'cancelled' } as const)[invoice.state];
  }
}

/** Cancels an invoice. LND has one error code for all reasons, so the invoice's state decides. */
export async function cancelInvoice(transport: LndTransport, paymentHash: string): Promise<CancelOutcome> {
  try {
    await transport.call({ method: 'POST', path: '/v2/invoices/cancel', body: { payment_hash: toBase64(paymentHash) } });
    return 'cancelled';
  } catch (error) {
    if (!(error instanceof LndError)) throw error;
    const invoice = await findInvoice(transport, paymentHash);
    if (!invoice) return 'unknown';
    if (invoice.state === 'OPEN') throw error;
    return OUTCOMES[invoice.state];
  }
}

const OUTCOMES = { ACCEPTED: 'accepted', SETTLED: 'settled', CANCELED: 'cancelled' } as const;

export async function lookupInvoice(transport: LndTransport, paymentHash: string): Promise<InvoiceStatus | undefined> {
  const invoice = await findInvoice(transport, paymentHash);
  if (!invoice) return undefined;
  if (invoice.state === 'SETTLED') {
    return { state: 'settled', amountMsat: readMsat(invoice.amt_paid_msat), preimage: fromBase64(invoice.r_preimage) };
  }
  if (invoice.state === 'ACCEPTED' && !invoice.r_preimage) return heldStatus(transport, invoice);
  return { state: invoice.state === 'OPEN' ? 'open' : OUTCOMES[invoice.state] };
}

/** LND knows no preimage of a hold invoice until it is settled. */
async function heldStatus(transport: LndTransport, { htlcs }: LndInvoice): Promise<InvoiceStatus> {
  const held = htlcs.filter(({ state }) => state === 'ACCEPTED');
  if (held.length === 0) throw new Error('LND lists a held invoice without HTLCs');
  const height = await readHeight(transport);
  return {
    state: 'held',
    amountMsat: msat(held.reduce((sum, { amt_msat }) => sum + readMsat(amt_msat), 0)),
    blocksLeft: Math.min(...held.map(({ expiry_height }) => expiry_height)) - height,
  };
}
