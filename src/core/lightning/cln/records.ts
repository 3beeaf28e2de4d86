import { type Msat, msat } from '../../kernel/money.ts';
import { decodeUnverifiedBolt11, InvalidInvoice } from '../bolt11/bolt11.ts';
import type { SentPayment, Settlement } from '../node.ts';
import type { RecordPage, RecordQuery } from '../record-page.ts';
import type { ClnContext } from './context.ts';
import { toSettlement } from './events.ts';
import { markerOf, outcomeOf } from './rows.ts';
import type { SendpayRow } from './rpc.ts';

const PAGE = 500;

/**
 * A payment has a row for each part. It is returned with its first row, and described by all rows of its label that lightningd has at that time. So
 * a page needs one more call for each payment hash. Payments without a marker are skipped, because rows of other programs may lack anything.
 */
export async function readSentPayments(cln: ClnContext, query: RecordQuery): Promise<RecordPage<SentPayment>> {
  const { rpc } = cln;
  const size = Math.min(query.limit ?? PAGE, PAGE);
  const start = query.cursor === undefined ? await firstRowSince(cln, query.sinceSeconds) : Number(query.cursor);
  const { payments: page } = await rpc.call('listsendpays', { index: 'created', start, limit: size });
  const records: SentPayment[] = [];
  for (const paymentHash of new Set(page.filter(isMarked).map((row) => row.payment_hash))) {
    const { payments: rows } = await rpc.call('listsendpays', { payment_hash: paymentHash });
    for (const parts of Map.groupBy(rows.filter(isMarked), ({ label }) => label).values()) {
      const first = Math.min(...parts.map((row) => row.created_index));
      if (page.some((row) => row.created_index === first)) records.push(toSentPayment(parts));
    }
  }
  const last = page.at(-1)?.created_index;
  return { records, ...(last !== undefined && { next: String(last + 1) }) };
}

/** The rows are read in the order of their last change. Those of unpaid invoices are skipped. */
export async function readSettlements({ rpc, history }: ClnContext, query: RecordQuery): Promise<RecordPage<Settlement>> {
  const { cursor = '1', sinceSeconds, limit = PAGE } = query;
  const start = Number(cursor);
  const { invoices } = await rpc.call('listinvoices', { index: 'updated', start, limit: Math.min(limit, PAGE) });
  const paid = invoices.filter(({ status, paid_at: paidAt = 0 }) => status === 'paid' && paidAt >= sinceSeconds);
  const epoch = paid.length > 0 ? await history.epoch() : '';
  const last = invoices.at(-1)?.updated_index;
  return { records: paid.map((invoice) => toSettlement(invoice, epoch)), ...(last !== undefined && { next: String(last + 1) }) };
}

/** Returns the number of the first row since a time, by halving: the times are in the order of the numbers. */
async function firstRowSince({ rpc, history }: ClnContext, seconds: number): Promise<number> {
  let [low, high] = [1, (await history.counter('sendpays', 'created')) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { payments } = await rpc.call('listsendpays', { index: 'created', start: middle, limit: 1 });
    const [row] = payments;
    if (row && row.created_at < seconds) low = Math.max(middle, row.created_index) + 1;
    else high = middle;
  }
  return low;
}

function isMarked(row: SendpayRow): boolean {
  return markerOf(row) !== undefined;
}

/** Other programs may use the label of a payment, and their `sendonion` may have no amount. Then what was sent is the amount, without a fee. */
function toSentPayment(rows: readonly SendpayRow[]): SentPayment {
  const parts = rows.map((row) => ({ ...row, amount_msat: row.amount_msat ?? row.amount_sent_msat }));
  const [row] = parts as [SendpayRow];
  const outcome = outcomeOf(parts) ?? { state: 'failed', reason: 'ERROR' };
  const ends = parts.map(({ completed_at: time }) => time ?? 0);
  return {
    marker: markerOf(row),
    paymentHash: row.payment_hash,
    paymentRequest: row.bolt11,
    amountMsat: amountOf(parts),
    outcome,
    createdAt: Math.min(...parts.map(({ created_at: time }) => time)),
    endedAt: outcome.state === 'pending' ? undefined : Math.max(...ends) || undefined,
  };
}

/** Of a payment in flight, more parts may follow, so the invoice states the amount. */
function amountOf(parts: readonly SendpayRow[]): Msat {
  const paid = parts.filter(({ status }) => status !== 'failed');
  return statedAmount(parts[0]?.bolt11) ?? msat(paid.reduce((sum, { amount_msat: amount = 0 }) => sum + amount, 0));
}

/** lightningd stores the text that `sendpay` and `sendonion` get without reading it. */
function statedAmount(bolt11: string | undefined): Msat | undefined {
  try {
    return bolt11 === undefined ? undefined : decodeUnverifiedBolt11(bolt11).amountMsat;
  } catch (error) {
    if (error instanceof InvalidInvoice) return undefined;
    throw error;
  }
}
