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

/**
 * Collects what LND shows about a payment that does not end. If LND stops right after it has registered an attempt, the payment stays in
 * flight permanently, although no HTLC exists. No money can leave any more when no channel has the HTLC, none is being closed, and the time
 * locks of all attempts have passed. For an invoice, its expiry must have passed as well.
 * `record` must have been read before: what it shows holds before the channels are read.
 */
export async function collectEvidence(
  transport: LndTransport,
  payment: PaymentReference,
  record: PaymentRecord | undefined,
): Promise<PaymentEvidence> {
  const [{ info }, channels, pending] = await Promise.all([
    readInfo(transport),
    listChannels(transport),
    transport.get<PendingChannels>('/v1/channels/pending'),
  ]);
  const closing = pending.pending_force_closing_channels.length + pending.waiting_close_channels.length;
  const htlcs = channels.flatMap((channel) => channel.pending_htlcs).filter((htlc) => fromBase64(htlc.hash_lock) === payment.paymentHash);
  const absence = [
    recordItem(payment, record),
    item('LND has read the block chain to its end.', info.synced_to_chain, `block height ${info.block_height}`),
    item('No channel has an HTLC with this payment hash.', htlcs.length === 0, `${htlcs.length} in ${channels.length} channels`),
    item('No channel is being closed.', closing === 0, `${closing} are being closed`),
  ];
  const items: EvidenceItem[] = [
    ...absence,
    timeLockItem(record, info.block_height),
    ...(record?.payment_request ? [expiryItem(record.payment_request)] : []),
  ];
  const allHold = (some: readonly EvidenceItem[]) => some.every(({ holds }) => holds);
  return { items, provesFailure: allHold(items), isWithoutHtlc: allHold(absence) };
}

function item(fact: string, holds: boolean, detail: string): EvidenceItem {
  return { fact, holds, detail };
}

function recordItem(reference: PaymentReference, record: PaymentRecord | undefined): EvidenceItem {
  const isOurs = record !== undefined && isRecordOf(record, reference);
  const detail = !record ? 'no record' : isOurs ? record.status : `the record of another payment: ${record.status}`;
  return item('LND lists the payment as in flight.', isOurs && record.status === 'IN_FLIGHT', detail);
}

/** Without an attempt, LND itself fails the payment when it starts. */
function timeLockItem(record: PaymentRecord | undefined, height: number): EvidenceItem {
  const locks = record?.htlcs.map((htlc) => htlc.route.total_time_lock) ?? [];
  const holds = locks.length > 0 && locks.every((lock) => lock < height);
  return item('The time locks of all attempts have passed.', holds, `time locks ${locks.join(', ') || 'none'}; block height ${height}`);
}

function expiryItem(paymentRequest: string): EvidenceItem {
  const { expiresAt } = decodeBolt11(paymentRequest);
  return item('The invoice has expired.', expiresAt < Date.now() / 1000, `expires at ${new Date(expiresAt * 1000).toISOString()}`);
}
