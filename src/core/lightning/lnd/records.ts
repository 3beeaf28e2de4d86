import type { SentPayment, Settlement } from '../node.ts';
import type { RecordPage, RecordQuery } from '../record-page.ts';
import { INVOICES_PER_PAGE, readInvoices, toSettlement } from './events.ts';
import { markerOfRecord, outcomeOfRecord, type PaymentRecord } from './payment-record.ts';
import type { LndTransport } from './transport.ts';
import { readMsat, readWhole } from './values.ts';

/** A payment with many attempts takes some 100 kB, and a response may have 64 MiB. */
const PAYMENTS_PER_PAGE = 100;

/** A payment as LND lists it. Times are Unix nanoseconds; 0 means none. */
type ListedPayment = Omit<PaymentRecord, 'htlcs'> & {
  readonly value_msat: string;
  readonly creation_time_ns: string;
  readonly htlcs: readonly (PaymentRecord['htlcs'][number] & { readonly resolve_time_ns: string })[];
};

/** LND numbers payments by the creation of their record. A later attempt at a hash has another record. */
export async function readSentPayments(
  transport: LndTransport,
  { sinceSeconds, cursor = '0', limit = PAYMENTS_PER_PAGE }: RecordQuery,
): Promise<RecordPage<SentPayment>> {
  const size = Math.min(limit, PAYMENTS_PER_PAGE);
  const page = await transport.get<{ payments: ListedPayment[]; last_index_offset: string }>(
    `/v1/payments?include_incomplete=true&max_payments=${size}&index_offset=${cursor}&creation_date_start=${sinceSeconds}`,
  );
  const { payments, last_index_offset: next } = page;
  return { records: payments.map(toSentPayment), ...(payments.length > 0 && { next }) };
}

/** LND lists invoices in the order of their creation, and an invoice may be paid long after it, so all of them are read. */
export async function readSettlements(
  transport: LndTransport,
  { sinceSeconds, cursor = '0', limit = INVOICES_PER_PAGE }: RecordQuery,
): Promise<RecordPage<Settlement>> {
  const { invoices, next } = await readInvoices(transport, cursor, Math.min(limit, INVOICES_PER_PAGE));
  const settled = invoices.filter(({ state, settle_date: date }) => state === 'SETTLED' && readWhole(date) >= sinceSeconds);
  return { records: settled.map(toSettlement), next };
}

function toSentPayment(record: ListedPayment): SentPayment {
  const outcome = outcomeOfRecord(record);
  const endedAt = Math.max(0, ...record.htlcs.map(({ resolve_time_ns: time }) => secondsOf(time)));
  return {
    marker: markerOfRecord(record),
    paymentHash: record.payment_hash,
    paymentRequest: record.payment_request || undefined,
    amountMsat: readMsat(record.value_msat),
    outcome,
    createdAt: secondsOf(record.creation_time_ns),
    endedAt: outcome.state === 'pending' || endedAt === 0 ? undefined : endedAt,
  };
}

/** Nanoseconds are larger than safe integers. */
function secondsOf(nanoseconds: string): number {
  return Math.floor(Number(nanoseconds) / 1e9);
}
