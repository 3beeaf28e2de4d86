import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage, type Log } from '../../kernel/log.ts';
import { msat } from '../../kernel/money.ts';
import type { IncomingGuard } from '../node.ts';
import { customRecordsOf, type LndWatchDependencies, subscribeInvoices } from './events.ts';
import { findInvoice, type LndInvoice } from './invoices.ts';
import { fromBase64, readMsat, toBase64 } from './values.ts';

/** LND announces a keysend before its HTLC is accepted. */
const ACCEPT_POLL_MS = 50;
/** LND cancels a held keysend itself after `keysend-hold-time`. */
const HELD_MS = 30_000;
const RETRY_MS = 1000;

export interface KeysendGuardDependencies extends LndWatchDependencies {
  readonly log: Log;
}

/**
 * Lets a guard decide on the keysends that LND holds, until the signal aborts. Those without a decision go back to their payers.
 */
export async function guardKeysends(deps: KeysendGuardDependencies, guard: IncomingGuard, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await Promise.all([guardNew(deps, guard, signal), guardWaiting(deps, guard, signal)]);
    } catch (error) {
      if (signal.aborted) return;
      deps.log.warn({ reason: errorMessage(error) }, 'keysends go back to their payers while LND does not answer');
    }
    await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function guardNew(deps: KeysendGuardDependencies, guard: IncomingGuard, signal: AbortSignal): Promise<void> {
  for await (const invoice of subscribeInvoices(deps, 0, signal)) {
    if (invoice.is_keysend && invoice.state === 'OPEN') void guardOne(deps, guard, invoice, signal);
  }
}

/** Those that arrived before the stream began. */
async function guardWaiting(deps: KeysendGuardDependencies, guard: IncomingGuard, signal: AbortSignal): Promise<void> {
  const path = '/v1/invoices?pending_only=true&reversed=true&num_max_invoices=1000';
  const { invoices } = await deps.transport.call<{ invoices: LndInvoice[] }>({ method: 'GET', path });
  for (const invoice of invoices) if (invoice.is_keysend) void guardOne(deps, guard, invoice, signal);
}

/** A failed decision is repeated as long as LND holds the keysend. */
async function guardOne(deps: KeysendGuardDependencies, guard: IncomingGuard, announced: LndInvoice, signal: AbortSignal): Promise<void> {
  const paymentHash = fromBase64(announced.r_hash);
  const endMs = performance.now() + HELD_MS;
  while (!signal.aborted && performance.now() < endMs) {
    try {
      const invoice = await findInvoice(deps.transport, paymentHash);
      if (invoice?.state === 'ACCEPTED') return await decide(deps, guard, invoice);
      if (invoice?.state !== 'OPEN') return;
    } catch (error) {
      deps.log.warn({ paymentHash, reason: errorMessage(error) }, 'a keysend was not decided on; trying again');
    }
    await delay(ACCEPT_POLL_MS, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function decide({ transport }: KeysendGuardDependencies, guard: IncomingGuard, invoice: LndInvoice): Promise<void> {
  const held = invoice.htlcs.filter((htlc) => htlc.state === 'ACCEPTED').map((htlc) => readMsat(htlc.amt_msat));
  const decision = await guard({
    paymentHash: fromBase64(invoice.r_hash),
    amountMsat: msat(held.reduce((sum, amount) => sum + amount, 0)),
    keysend: true,
    customRecords: customRecordsOf(invoice),
  });
  if (decision === 'claim') {
    await transport.call({ method: 'POST', path: '/v2/invoices/settle', body: { preimage: invoice.r_preimage } });
  } else {
    await transport.call({ method: 'POST', path: '/v2/invoices/cancel', body: { payment_hash: toBase64(fromBase64(invoice.r_hash)) } });
  }
}
