import { errorMessage } from '../../kernel/log.ts';
import { msat } from '../../kernel/money.ts';
import type { SettlementFinality, SettlementReference } from '../node.ts';
import type { LndContext } from './context.ts';
import { meaningOf } from './errors.ts';
import type { HtlcEvents } from './htlc-events.ts';
import { findInvoice, htlcsOf, type LndHtlc, parseHtlcs } from './invoices.ts';

/*
 * LND stores an invoice as settled, and reports it, before its HTLCs are resolved. If it is killed in between, it may fail the HTLCs back at the
 * next start: the payer keeps the money, and the invoice stays settled. So each HTLC is looked up:
 * - LND reports resolutions in a stream while they happen, and stores nothing by default.
 * - With `store-final-htlc-resolutions=true` it also stores them, so that they can be looked up at any time.
 * A resolution is one of the HTLC that both sides have removed from their commitments, or of a transaction on the chain. It does not change.
 */

/** The times of the lookups while the stream has not reported a resolution, in milliseconds since the first. */
const LOOKUPS_MS = [250, 1000];

/** Returns whether all HTLCs of a settlement are resolved as settled. Anything else that LND reports about one of them is unknown. */
export async function settlementFinality(
  lnd: LndContext,
  events: HtlcEvents,
  settlement: SettlementReference,
  waitMs: number,
): Promise<SettlementFinality> {
  const htlcs = parseHtlcs(settlement.htlcs ?? (await readHtlcs(lnd, settlement.paymentHash)));
  if (htlcs.length === 0) return { state: 'unknown', reason: 'LND lists no settled HTLC of the payment' };
  const startMs = performance.now();
  const resolutions = new Map<LndHtlc, boolean>();
  let reason: string | undefined;
  const isReported = waitMs > 0 && events.isConnected;
  for (const lookUpAtMs of new Set([...(isReported ? [] : [0]), ...LOOKUPS_MS.filter((ms) => ms < waitMs), waitMs])) {
    await Promise.all(htlcs.map((htlc) => events.waitFor(htlc, lookUpAtMs - (performance.now() - startMs))));
    for (const htlc of htlcs) {
      const resolution = resolutions.get(htlc) ?? events.resolutionOf(htlc) ?? (await lookUp(lnd, htlc));
      if (typeof resolution === 'boolean') resolutions.set(htlc, resolution);
      else reason = resolution;
    }
    if (resolutions.size === htlcs.length) return finalityOf(resolutions);
  }
  return { state: 'unknown', reason };
}

/** A payment in several parts of which some were failed back is worth the others. */
function finalityOf(resolutions: ReadonlyMap<LndHtlc, boolean>): SettlementFinality {
  const arrived = [...resolutions].flatMap(([{ amountMsat }, isSettled]) => (isSettled ? amountMsat : []));
  if (arrived.length === 0) return { state: 'failed' };
  if (arrived.length === resolutions.size) return { state: 'final' };
  return { state: 'final', amountMsat: msat(arrived.reduce((sum, amount) => sum + amount, 0)) };
}

async function readHtlcs({ transport }: LndContext, paymentHash: string): Promise<string> {
  const invoice = await findInvoice(transport, paymentHash);
  return invoice?.state === 'SETTLED' ? htlcsOf(invoice) : '';
}

/** Returns whether LND has stored that the HTLC was settled; a text: why that is unknown. */
async function lookUp({ transport }: LndContext, { channel, index }: LndHtlc): Promise<boolean | string> {
  try {
    const resolution = await transport.get<{ settled?: unknown }>(`/v1/htlc-resolution/${channel}/${index}`);
    return typeof resolution.settled === 'boolean' ? resolution.settled : 'the response of LND is not understood';
  } catch (error) {
    const meaning = meaningOf(error);
    if (meaning === 'htlc_unresolved') return 'LND has stored no resolution of its HTLC';
    if (meaning === 'resolutions_not_stored') return 'LND stores no resolutions: set store-final-htlc-resolutions=true';
    return errorMessage(error);
  }
}
