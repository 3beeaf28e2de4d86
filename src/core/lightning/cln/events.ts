import { HistoryChanged, type NodeEvent, type Position, type Settlement } from '../node.ts';
import { withHeartbeat } from '../streams.ts';
import type { ClnContext } from './context.ts';
import { receiptText } from './finality.ts';
import { indexOf, positionOf, type Subsystem } from './history.ts';
import { received } from './invoices.ts';
import type { InvoiceRecord } from './rpc.ts';

/** Records that are read at once. */
const PAGE = 500;
/** After this a heartbeat has failed. */
const HEARTBEAT_TIMEOUT_MS = 10_000;
/** The time limit of a call that waits for the next event. Afterwards it is made again. */
const WAIT_MS = 3_600_000;

/**
 * Streams settlements in the order in which lightningd has changed the invoices, until the signal aborts.
 * @throws HistoryChanged when the node was restored.
 * @throws NodeUnavailable when the connection is dead.
 */
export function watchSettlements(cln: ClnContext, position: Position | undefined, signal: AbortSignal): AsyncGenerator<NodeEvent, void> {
  const { rpc, history } = cln;
  return connected(cln, signal, async function* (until) {
    const isKnown = position === undefined ? !(await history.hasMovedBack()) : await history.knows(position);
    if (!isKnown) throw new HistoryChanged('the Core Lightning node was restored from an older backup');
    const epoch = await history.epoch();
    const invoices = changes(cln, 'invoices', indexOf(position), until, async (start) => {
      return (await rpc.call('listinvoices', { index: 'updated', start, limit: PAGE })).invoices;
    });
    for await (const invoice of invoices) if (invoice.status === 'paid') yield toSettlement(invoice, epoch);
  });
}

/** Streams the hashes of outgoing payments whose rows change from now on. @throws NodeUnavailable when the connection is dead. */
export function watchPaymentHashes(cln: ClnContext, signal: AbortSignal): AsyncGenerator<string, void> {
  const { rpc, history } = cln;
  return connected(cln, signal, async function* (until) {
    const rows = changes(cln, 'sendpays', await history.counter('sendpays', 'updated'), until, async (start) => {
      return (await rpc.call('listsendpays', { index: 'updated', start, limit: PAGE })).payments;
    });
    for await (const row of rows) yield row.payment_hash;
  });
}

/** Returns the newest settlement. Reads the invoices from the newest update backwards, to the first that is paid. */
export async function newestSettlement({ rpc, history }: ClnContext): Promise<Settlement | undefined> {
  for (let end = await history.counter('invoices', 'updated'); end > 0; end -= PAGE) {
    const { invoices } = await rpc.call('listinvoices', { index: 'updated', start: Math.max(1, end - PAGE + 1), limit: PAGE });
    const newest = invoices.findLast(({ status }) => status === 'paid');
    if (newest) return toSettlement(newest, await history.epoch());
  }
  return undefined;
}

function connected<T>(
  { rpc, timing }: ClnContext,
  signal: AbortSignal,
  stream: (until: AbortSignal) => AsyncGenerator<T>,
): AsyncGenerator<T, void> {
  const send = () => rpc.call('getinfo', {}, { timeoutMs: HEARTBEAT_TIMEOUT_MS });
  return withHeartbeat({ send, intervalMs: timing.heartbeatMs }, signal, stream);
}

/** Yields the records with an `updated_index` above `after`, in its order, until the signal aborts. */
async function* changes<T extends { readonly updated_index?: number }>(
  { rpc, history }: ClnContext,
  subsystem: Subsystem,
  after: number,
  signal: AbortSignal,
  read: (start: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  let last = after;
  /** The counter before the page was read. A record without a change up to it was deleted. */
  let reached = after;
  while (!signal.aborted) {
    const page = await read(last + 1);
    for (const record of page) {
      if (signal.aborted) return;
      last = Math.max(last, record.updated_index ?? 0);
      yield record;
    }
    if (page.length === PAGE) continue;
    last = Math.max(last, reached);
    const next = { subsystem, indexname: 'updated', nextvalue: last + 1 };
    reached = (await rpc.call('wait', next, { timeoutMs: WAIT_MS, signal })).updated ?? reached;
    history.record(subsystem, 'updated', Math.max(last, reached));
  }
}

export function toSettlement(invoice: InvoiceRecord, epoch: string): Settlement {
  if (invoice.paid_at === undefined) throw new Error('lightningd reports a paid invoice without the time of the payment');
  return {
    type: 'settlement',
    position: positionOf(invoice, epoch),
    paymentHash: invoice.payment_hash,
    ...received(invoice),
    htlcs: receiptText(invoice),
    settledAt: invoice.paid_at,
    // lightningd stores an invoice for each keysend that it has accepted, without the custom records.
    keysend: invoice.label.startsWith('keysend-'),
    customRecords: {},
  };
}
