import type { PaymentReference } from '../node.ts';
import type { EvidenceItem, PaymentEvidence } from '../payment-evidence.ts';
import { listChannels } from './channels.ts';
import { isAny, type SendpayRows } from './rows.ts';
import type { ClnRpc, HtlcRecord } from './rpc.ts';

/** A younger row may belong to an HTLC that lightningd is still adding. */
const MIN_AGE_SECONDS = 600;
const PAGE = 1000;
/** The state of an outgoing HTLC that both sides have removed. Source: lightningd, `common/htlc_state.h`. */
const REMOVED = 'RCVD_REMOVE_ACK_REVOCATION';

/**
 * Collects what proves that a row stays pending for ever: lightningd was killed after it had stored the row and before it had added the HTLC.
 * Then no HTLC exists that could pay the receiver. Nothing else ends such a row.
 */
export async function collectEvidence(rpc: ClnRpc, payment: PaymentReference, rows: SendpayRows): Promise<PaymentEvidence> {
  const [channels, htlcs] = await Promise.all([listChannels(rpc), outgoingHtlcs(rpc, payment.paymentHash)]);
  const all = [...rows.own, ...rows.others];
  const closed = all.filter(({ status }) => status === 'failed').length;
  const removed = htlcs.filter(({ state }) => state === REMOVED).length;
  const newest = Math.max(...rows.own.map((row) => row.created_at));
  const ageSeconds = Math.floor(Date.now() / 1000) - newest;
  const inChannels = channels.flatMap((channel) => channel.htlcs ?? []).filter((htlc) => isOutgoing(htlc, payment.paymentHash));
  const unready = channels.filter(({ reestablished, state }) => !reestablished || state !== 'CHANNELD_NORMAL');
  const items: EvidenceItem[] = [
    {
      fact: 'The node has a pending part of this payment, and no part that succeeded.',
      holds: isAny(rows.own, 'pending') && !isAny(all, 'complete'),
      detail: `its parts: ${rows.own.map(({ status }) => status).join(', ') || 'none'}`,
    },
    {
      fact: `The newest part is at least ${MIN_AGE_SECONDS / 60} minutes old.`,
      holds: rows.own.length > 0 && ageSeconds >= MIN_AGE_SECONDS,
      detail: rows.own.length > 0 ? `created ${ageSeconds} seconds ago` : 'there is none',
    },
    {
      fact: 'No channel has an HTLC with this payment hash.',
      holds: inChannels.length === 0 && htlcs.length === removed,
      detail: `open HTLCs: ${Math.max(inChannels.length, htlcs.length - removed)}`,
    },
    {
      fact: 'Each removed HTLC with this payment hash belongs to a part that failed.',
      holds: removed <= closed,
      detail: `removed HTLCs: ${removed}, failed parts: ${closed}`,
    },
    {
      fact: 'All channels are open and reestablished with their peers.',
      holds: channels.length > 0 && unready.length === 0,
      detail: unready.length === 0 ? `channels: ${channels.length}` : `not reestablished: ${unready.map(nameOf).join(', ')}`,
    },
  ];
  const allHold = items.every(({ holds }) => holds);
  return { items, provesFailure: allHold, isWithoutHtlc: allHold };
}

/** lightningd has no filter for the hash, so all HTLCs are read. */
async function outgoingHtlcs(rpc: ClnRpc, paymentHash: string): Promise<readonly HtlcRecord[]> {
  const found: HtlcRecord[] = [];
  for (let start = 1; ; ) {
    const { htlcs } = await rpc.call('listhtlcs', { index: 'created', start, limit: PAGE });
    found.push(...htlcs.filter((htlc) => isOutgoing(htlc, paymentHash)));
    if (htlcs.length < PAGE) return found;
    start = Math.max(...htlcs.map((htlc) => htlc.created_index)) + 1;
  }
}

function isOutgoing(htlc: { readonly direction: string; readonly payment_hash: string }, paymentHash: string): boolean {
  return htlc.direction === 'out' && htlc.payment_hash === paymentHash;
}

function nameOf({ short_channel_id: id, state }: { readonly short_channel_id?: string; readonly state: string }): string {
  return `${id ?? 'a channel without an id'} (${state})`;
}
