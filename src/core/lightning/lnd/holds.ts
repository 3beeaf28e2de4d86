import { msat } from '../../kernel/money.ts';
import type { FoundHoldInvoice, HeldPayment } from '../node.ts';
import { listChannels } from './channels.ts';
import { readHeight } from './info.ts';
import { findInvoice, type LndInvoice } from './invoices.ts';
import type { LndTransport } from './transport.ts';
import { fromBase64, readMsat } from './values.ts';

const PAGE = 1000;

/** Returns the hold invoice that LND has with a payment hash. Its preimage is unknown to LND until it is settled. */
export async function findHoldInvoice(transport: LndTransport, paymentHash: string): Promise<FoundHoldInvoice | undefined> {
  const invoice = await findInvoice(transport, paymentHash);
  return invoice && { paymentRequest: invoice.payment_request, isCancelled: invoice.state === 'CANCELED' };
}

/** Returns the payments that wait, of all programs that use LND. */
export async function listHeldPayments(transport: LndTransport): Promise<HeldPayment[]> {
  const height = await readHeight(transport);
  const held: HeldPayment[] = [];
  for (let offset = '0'; ; ) {
    const { invoices, last_index_offset: last } = await transport.get<{ invoices: LndInvoice[]; last_index_offset: string }>(
      `/v1/invoices?pending_only=true&num_max_invoices=${PAGE}&index_offset=${offset}`,
    );
    for (const invoice of invoices) if (isHeld(invoice)) held.push(...heldIn(invoice, height));
    if (invoices.length < PAGE) return held;
    offset = last;
  }
}

/** LND knows the preimage of other invoices, and claims their payments by itself. */
function isHeld({ state, is_keysend: isKeysend, r_preimage: preimage }: LndInvoice): boolean {
  return state === 'ACCEPTED' && !isKeysend && !preimage;
}

function heldIn({ r_hash, payment_request: paymentRequest, htlcs }: LndInvoice, height: number): HeldPayment[] {
  const accepted = htlcs.filter(({ state }) => state === 'ACCEPTED');
  if (accepted.length === 0) return [];
  const amountMsat = msat(accepted.reduce((sum, { amt_msat }) => sum + readMsat(amt_msat), 0));
  const blocksLeft = Math.min(...accepted.map(({ expiry_height }) => expiry_height)) - height;
  return [{ paymentHash: fromBase64(r_hash), paymentRequest, amountMsat, blocksLeft }];
}

/**
 * Returns whether a channel has an incoming HTLC with a payment hash. LND lists an invoice as cancelled before its HTLC has left the channel, and
 * if the channel fails in between, the payer waits until the channel is closed.
 */
export async function hasHtlcOf(transport: LndTransport, paymentHash: string): Promise<boolean> {
  const channels = await listChannels(transport);
  return channels.some(({ pending_htlcs: htlcs }) => htlcs.some((one) => one.incoming && fromBase64(one.hash_lock) === paymentHash));
}
