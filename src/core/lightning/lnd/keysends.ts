import { pause } from '../../kernel/clock.ts';
import { errorMessage } from '../../kernel/log.ts';
import { msat } from '../../kernel/money.ts';
import type { IncomingGuard } from '../node.ts';
import type { LndContext } from './context.ts';
import { customRecordsOf, subscribeInvoices } from './events.ts';
import { findInvoice, type LndInvoice } from './invoices.ts';
import { fromBase64, readMsat, toBase64 } from './values.ts';

/** LND announces a keysend before its HTLC is accepted. */
const ACCEPT_POLL_MS = 50;
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
      if (invoice?.state === 'ACCEPTED') return await decide(lnd, guard, invoice);
      if (invoice?.state !== 'OPEN') return;
    } catch (error) {
      lnd.log.warn({ paymentHash, reason: errorMessage(error) }, 'a keysend was not decided on; trying again');
    }
    await pause(ACCEPT_POLL_MS, signal);
  }
}

async function decide({ transport }: LndContext, guard: IncomingGuard, invoice: LndInvoice): Promise<void> {
  const held = invoice.htlcs.filter((htlc) => htlc.state === 'ACCEPTED').map((htlc) => readMsat(htlc.amt_msat));
  const decision = await guard({
    paymentHash: fromBase64(invoice.r_hash),
    amountMsat: msat(held.reduce((sum, amount) => sum + amount, 0)),
    keysend: true,
    customRecords: customRecordsOf(invoice),
  });
  const [path, body] =
    decision === 'claim'
      ? ['/v2/invoices/settle', { preimage: invoice.r_preimage }]
      : ['/v2/invoices/cancel', { payment_hash: toBase64(fromBase64(invoice.r_hash)) }];
  await transport.call({ method: 'POST', path, body });
}
