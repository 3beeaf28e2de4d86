import { pause } from '../../kernel/clock.ts';
import { errorMessage } from '../../kernel/log.ts';
import { msat } from '../../kernel/money.ts';
import type { IncomingGuard } from '../node.ts';
import { listChannels } from './channels.ts';
import type { LndContext } from './context.ts';
import { customRecordsOf, subscribeInvoices } from './events.ts';
import { findInvoice, type LndInvoice } from './invoices.ts';
import type { LndTransport } from './transport.ts';
import { fromBase64, readMsat, toBase64 } from './values.ts';

/** LND announces a keysend before its HTLC is accepted. */
const ACCEPT_POLL_MS = 50;
/** A channel that is not active yet needs seconds. */
const CHANNEL_POLL_MS = 250;
/** LND cancels a held keysend itself after `keysend-hold-time`. */
const HELD_MS = 30_000;
const RETRY_MS = 1000;

/** Lets a guard decide on the keysends that LND holds, until the signal aborts. Those without a decision go back to their payers. */
export async function guardKeysends(lnd: LndContext, guard: IncomingGuard, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await Promise.all([guardNew(lnd, guard, signal), guardWaiting(lnd, guard, signal)]);
    } catch (error) {
      if (signal.aborted) return;
      lnd.log.warn({ reason: errorMessage(error) }, 'keysends go back to their payers while LND does not answer');
    }
    await pause(RETRY_MS, signal);
  }
}

async function guardNew(lnd: LndContext, guard: IncomingGuard, signal: AbortSignal): Promise<void> {
  for await (const invoice of subscribeInvoices(lnd, 0, signal)) {
    if (invoice.is_keysend && invoice.state === 'OPEN') void guardOne(lnd, guard, invoice, signal);
  }
}

/** Those that arrived before the stream began. */
async function guardWaiting(lnd: LndContext, guard: IncomingGuard, signal: AbortSignal): Promise<void> {
  const path = '/v1/invoices?pending_only=true&reversed=true&num_max_invoices=1000';
  const { invoices } = await lnd.transport.get<{ invoices: LndInvoice[] }>(path);
  for (const invoice of invoices) if (invoice.is_keysend) void guardOne(lnd, guard, invoice, signal);
}

/** A failed decision is repeated as long as LND holds the keysend. */
async function guardOne(lnd: LndContext, guard: IncomingGuard, announced: LndInvoice, signal: AbortSignal): Promise<void> {
  const paymentHash = fromBase64(announced.r_hash);
  const endMs = performance.now() + HELD_MS;
  while (!signal.aborted && performance.now() < endMs) {
    try {
      const invoice = await findInvoice(lnd.transport, paymentHash);
      if (invoice?.state === 'ACCEPTED') {
        if (await decide(lnd, guard, invoice)) return;
        await pause(CHANNEL_POLL_MS, signal);
      } else if (invoice?.state !== 'OPEN') return;
    } catch (error) {
      lnd.log.warn({ paymentHash, reason: errorMessage(error) }, 'a keysend was not decided on; trying again');
    }
    await pause(ACCEPT_POLL_MS, signal);
  }
}

/** @returns whether the keysend was claimed or refused. Otherwise it is not safe to claim yet. */
async function decide({ transport }: LndContext, guard: IncomingGuard, invoice: LndInvoice): Promise<boolean> {
  const held = invoice.htlcs.filter((htlc) => htlc.state === 'ACCEPTED');
  const decision = await guard({
    paymentHash: fromBase64(invoice.r_hash),
    amountMsat: msat(held.reduce((sum, { amt_msat }) => sum + readMsat(amt_msat), 0)),
    keysend: true,
    customRecords: customRecordsOf(invoice),
  });
  if (decision === 'claim' && !(await areInActiveChannels(transport, invoice, held))) return false;
  const [path, body] =
    decision === 'claim'
      ? ['/v2/invoices/settle', { preimage: invoice.r_preimage }]
      : ['/v2/invoices/cancel', { payment_hash: toBase64(fromBase64(invoice.r_hash)) }];
  await transport.call({ method: 'POST', path, body });
  return true;
}

/**
 * After a restart, LND lists the keysend as accepted and may fail its HTLC back as soon as the channel is active. Claimed before, it would be
 * settled although nothing arrives.
 */
async function areInActiveChannels(transport: LndTransport, { r_hash: hash }: LndInvoice, held: LndInvoice['htlcs']): Promise<boolean> {
  const channels = (await listChannels(transport)).filter(({ active }) => active);
  const pending = channels.flatMap((channel) => channel.pending_htlcs).filter((htlc) => htlc.incoming && htlc.hash_lock === hash);
  return held.length > 0 && held.every(({ htlc_index }) => pending.some((htlc) => htlc.htlc_index === htlc_index));
}
