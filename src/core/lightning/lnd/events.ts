import { type CustomRecords, HistoryChanged, type Position, type Settlement } from '../node.ts';
import { withHeartbeat } from '../streams.ts';
import type { LndContext } from './context.ts';
import { findInvoice, htlcsOf, type LndInvoice } from './invoices.ts';
import type { LndTransport } from './transport.ts';
import { fromBase64, readMsat, readWhole } from './values.ts';

/**
 * `<settle index>:<payment hash>`. LND numbers the settlements of a node from 1, without gaps. The hash proves that the number is still that of
 * the same settlement.
 */
const POSITION = /^([1-9]\d{0,14}):([0-9a-f]{64})$/;

export const INVOICES_PER_PAGE = 1000;
/** Records that LND adds to an HTLC: the preimage of a keysend, and a signal between peers. */
const OWN_RECORDS = ['5482373484', '106823'];

/** Returns whether the node has this settlement at this position. */
export async function knowsPosition(transport: LndTransport, position: Position): Promise<boolean> {
  const paymentHash = POSITION.exec(position)?.[2];
  const invoice = paymentHash === undefined ? undefined : await findInvoice(transport, paymentHash);
  return invoice?.state === 'SETTLED' && readWhole(invoice.settle_index) === indexOf(position);
}

/** Returns the newest settlement. LND orders invoices by their creation, so all of them are read. */
export async function newestSettlement(transport: LndTransport): Promise<Settlement | undefined> {
  let newest: LndInvoice | undefined;
  for await (const invoice of listSettled(transport)) {
    if (!newest || readWhole(invoice.settle_index) > readWhole(newest.settle_index)) newest = invoice;
  }
  return newest && toSettlement(newest);
}

/**
 * Streams the settlements after a position. LND reports neither that a stream is dead nor that it has been restored, and sends nothing before
 * the first event. So the stream begins one settlement earlier than needed: the first message must be the settlement of the position.
 * `prepare` is called before it.
 * @throws HistoryChanged when the node does not have it.
 * @throws when the connection breaks or LND ends the stream.
 */
export async function* watchSettlements(
  lnd: LndContext,
  position: Position | undefined,
  signal: AbortSignal,
  prepare: () => Promise<void>,
): AsyncGenerator<Settlement, void> {
  if (position !== undefined && !(await knowsPosition(lnd.transport, position))) throw historyChanged(position);
  await prepare();
  let last = position;
  // LND sends no backlog for 0, so the stream cannot repeat the first settlement.
  while (last === undefined || indexOf(last) < 2) {
    const listed = await listedAfter(lnd.transport, indexOf(last));
    yield* listed;
    last = listed.at(-1)?.position ?? last;
    if (indexOf(last) < 2 && !(await waitForSettlement(lnd, signal))) return;
  }
  yield* streamAfter(lnd, last, signal);
}

async function* streamAfter(lnd: LndContext, start: Position, signal: AbortSignal): AsyncGenerator<Settlement, void> {
  const proof = new AbortController();
  const timer = setTimeout(() => proof.abort(new Error('LND did not repeat the settlement at the known position')), lnd.timing.answerMs);
  /** Undefined until the stream has repeated the settlement at the position. */
  let last: number | undefined;
  try {
    for await (const invoice of subscribeInvoices(lnd, indexOf(start) - 1, AbortSignal.any([signal, proof.signal]))) {
      if (invoice.state !== 'SETTLED') continue;
      const settlement = toSettlement(invoice);
      const index = readWhole(invoice.settle_index);
      if (last === undefined) {
        if (settlement.position !== start) throw historyChanged(start);
        clearTimeout(timer);
      } else if (index > last) yield settlement;
      last = Math.max(last ?? 0, index);
    }
    if (!signal.aborted) proof.signal.throwIfAborted();
  } finally {
    clearTimeout(timer);
  }
}

/** Waits until an invoice is settled, or for one heartbeat. @returns false when the signal aborted. */
async function waitForSettlement(lnd: LndContext, signal: AbortSignal): Promise<boolean> {
  const timeout = AbortSignal.timeout(lnd.timing.heartbeatMs);
  for await (const { state } of subscribeInvoices(lnd, 0, AbortSignal.any([signal, timeout]))) if (state === 'SETTLED') break;
  return !signal.aborted;
}

/** Streams the settled invoices after an index, and new invoices. @throws when the connection breaks. */
export function subscribeInvoices(lnd: LndContext, after: number, signal: AbortSignal): AsyncGenerator<LndInvoice, void> {
  return subscribe<LndInvoice>(lnd, `/v1/invoices/subscribe?settle_index=${after}`, signal);
}

/** Streams messages until the signal aborts. @throws when a heartbeat fails or LND ends the stream. */
export function subscribe<T>({ transport, timing }: LndContext, path: string, signal: AbortSignal): AsyncGenerator<T, void> {
  const send = async () => {
    const { state } = await transport.get<{ state: string }>('/v1/state', { timeoutMs: timing.answerMs });
    if (!['SERVER_ACTIVE', 'RPC_ACTIVE'].includes(state)) throw new Error(`LND is in state ${state}`);
  };
  return withHeartbeat({ send, intervalMs: timing.heartbeatMs }, signal, async function* (connected) {
    yield* transport.stream<T>({ method: 'GET', path }, connected);
    if (!connected.aborted) throw new Error(`LND ended the stream ${path}`);
  });
}

/** Returns the settlements after an index, in their order. */
async function listedAfter(transport: LndTransport, after: number): Promise<Settlement[]> {
  const settled: LndInvoice[] = [];
  for await (const invoice of listSettled(transport)) if (readWhole(invoice.settle_index) > after) settled.push(invoice);
  return settled.sort((a, b) => readWhole(a.settle_index) - readWhole(b.settle_index)).map(toSettlement);
}

/** Lists the settled invoices and keysends in the order of their creation. */
async function* listSettled(transport: LndTransport): AsyncGenerator<LndInvoice, void> {
  for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
    const page: InvoicePage = await readInvoices(transport, cursor, INVOICES_PER_PAGE);
    yield* page.invoices.filter((invoice) => invoice.state === 'SETTLED');
    cursor = page.next;
  }
}

interface InvoicePage {
  readonly invoices: readonly LndInvoice[];
  readonly next?: string;
}

/** Reads a page of all invoices and keysends in the order of their creation. */
export async function readInvoices(transport: LndTransport, cursor: string, limit: number): Promise<InvoicePage> {
  const path = `/v1/invoices?num_max_invoices=${limit}&index_offset=${cursor}`;
  const { invoices, last_index_offset: next } = await transport.get<{ invoices: LndInvoice[]; last_index_offset: string }>(path);
  return { invoices, ...(invoices.length > 0 && { next }) };
}

export function toSettlement(invoice: LndInvoice): Settlement {
  const paymentHash = fromBase64(invoice.r_hash);
  return {
    type: 'settlement',
    position: `${readWhole(invoice.settle_index)}:${paymentHash}`,
    paymentHash,
    preimage: fromBase64(invoice.r_preimage),
    htlcs: htlcsOf(invoice),
    amountMsat: readMsat(invoice.amt_paid_msat),
    settledAt: readWhole(invoice.settle_date),
    keysend: invoice.is_keysend,
    customRecords: customRecordsOf(invoice),
  };
}

/** Returns the records of the sender. A payment in several parts may have different ones in each; the first part wins. */
export function customRecordsOf(invoice: LndInvoice): CustomRecords {
  const records: Record<string, string> = {};
  for (const { custom_records: part } of invoice.htlcs) {
    for (const [type, value] of Object.entries(part)) if (!OWN_RECORDS.includes(type)) records[type] ??= fromBase64(value);
  }
  return records;
}

/** Returns the settle index of a position: 0 at the beginning. */
function indexOf(position: Position | undefined): number {
  return Number(POSITION.exec(position ?? '')?.[1] ?? 0);
}

function historyChanged(position: Position): HistoryChanged {
  return new HistoryChanged(`LND has no settlement at position ${position}: it was restored from an older backup`);
}

/** Streams the hashes of payments that have ended. LND reports only those that end while the stream is open. */
export async function* watchEndedPayments(lnd: LndContext, signal: AbortSignal): AsyncGenerator<string, void> {
  const stream = subscribe<{ payment_hash: string }>(lnd, '/v2/router/payments?no_inflight_updates=true', signal);
  for await (const { payment_hash: paymentHash } of stream) yield paymentHash;
}
