import { decodeBolt11 } from '../bolt11/bolt11.ts';
import type { PaymentReference } from '../node.ts';
import type { EvidenceItem, PaymentEvidence } from '../payment-evidence.ts';
import { listChannels } from './channels.ts';
import { readInfo } from './info.ts';
import { isRecordOf, type PaymentRecord } from './payment-record.ts';
import type { LndTransport } from './transport.ts';
import { fromBase64 } from './values.ts';

interface PendingChannels {
  readonly pending_force_closing_channels: readonly unknown[];
  readonly waiting_close_channels: readonly unknown[];
}

/** LND's record of a payment hash, and whether a request to send the payment may still be executed. Both were read before the channels are. */
export interface FoundRecord {
  readonly record: PaymentRecord | undefined;
  readonly maySend: boolean;
}

/**
 * Collects what LND shows about a payment that does not end.
 *
 * If LND stops right after it has registered an attempt, the payment stays in flight permanently, although no HTLC exists. No money can leave any
 * more when no channel has the HTLC, none is being closed, and the time locks of all attempts have passed. For an invoice, its expiry must have
 * passed as well.
 *
 * LND stores a record before it sends anything. Without a record, no money can leave when no request can still be executed.
 */
export async function collectEvidence(
  transport: LndTransport,
  payment: PaymentReference,
  { record, maySend }: FoundRecord,
): Promise<PaymentEvidence> {
  const [{ info }, channels, pending] = await Promise.all([
    readInfo(transport),
    listChannels(transport),
    transport.get<PendingChannels>('/v1/channels/pending'),
  ]);
  const closing = pending.pending_force_closing_channels.length + pending.waiting_close_channels.length;
  const htlcs = channels.flatMap((channel) => channel.pending_htlcs).filter((htlc) => fromBase64(htlc.hash_lock) === payment.paymentHash);
  const absence = [
    ...(record ? [recordItem(payment, record)] : [item('LND has no record of the payment.', true, ''), requestItem(payment, maySend)]),
    item('LND has read the block chain to its end.', info.synced_to_chain, `block height ${info.block_height}`),
    item('No channel has an HTLC with this payment hash.', htlcs.length === 0, `${htlcs.length} in ${channels.length} channels`),
    item('No channel is being closed.', closing === 0, `${closing} are being closed`),
  ];
  const items: EvidenceItem[] = [
    ...absence,
    ...(record ? [timeLockItem(record, info.block_height)] : []),
    ...(record?.payment_request ? [expiryItem(record.payment_request)] : []),
  ];
  const allHold = (some: readonly EvidenceItem[]) => some.every(({ holds }) => holds);
  // What the node has no record of may be sent yet.
  return { items, provesFailure: allHold(items), isWithoutHtlc: record !== undefined && allHold(absence) };
}

function item(fact: string, holds: boolean, detail: string): EvidenceItem {
  return { fact, holds, detail };
}

function recordItem(reference: PaymentReference, record: PaymentRecord): EvidenceItem {
  const isOurs = isRecordOf(record, reference);
  const detail = isOurs ? record.status : `the record of another payment: ${record.status}`;
  return item('LND lists the payment as in flight.', isOurs && record.status === 'IN_FLIGHT', detail);
}

function requestItem({ unclearSinceMs }: PaymentReference, maySend: boolean): EvidenceItem {
  const last = unclearSinceMs === undefined ? '' : `the last one whose outcome is unknown: ${new Date(unclearSinceMs).toISOString()}`;
  return item('No request to send the payment can still be executed.', !maySend, last);
}

/** Without an attempt, LND itself fails the payment when it starts. */
function timeLockItem(record: PaymentRecord, height: number): EvidenceItem {
  const locks = record.htlcs.map((htlc) => htlc.route.total_time_lock);
  const holds = locks.length > 0 && locks.every((lock) => lock < height);
  return item('The time locks of all attempts have passed.', holds, `time locks ${locks.join(', ') || 'none'}; block height ${height}`);
}

function expiryItem(paymentRequest: string): EvidenceItem {
  const { expiresAt } = decodeBolt11(paymentRequest);
  return item('The invoice has expired.', expiresAt < Date.now() / 1000, `expires at ${new Date(expiresAt * 1000).toISOString()}`);
}
