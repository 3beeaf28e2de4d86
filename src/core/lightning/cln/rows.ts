import { msat } from '../../kernel/money.ts';
import type { PaymentOutcome, PaymentReference, SendOrder } from '../node.ts';
import type { ClnContext } from './context.ts';
import type { SendpayRow } from './rpc.ts';

/** Returns the label of a payment's rows: its id and its marker. */
export function labelOf({ paymentId, marker }: SendOrder): string {
  return `${paymentId} ${marker}`;
}

/** Returns the marker in a row's label; undefined if it has none. */
export function markerOf({ label = '' }: SendpayRow): string | undefined {
  return /^[^ ]+ ([0-9a-f]+)$/.exec(label)?.[1];
}

/** Returns the rows of a payment, and those of other payments of the same invoice. */
export async function readRows({ rpc, history }: ClnContext, { paymentId, paymentHash, isForeign }: PaymentReference) {
  const { payments } = await rpc.call('listsendpays', { payment_hash: paymentHash });
  for (const row of payments) history.record('sendpays', 'created', row.created_index);
  const isOwn = ({ label }: SendpayRow) => isForeign === true || label?.split(' ', 1)[0] === paymentId;
  return { own: payments.filter(isOwn), others: payments.filter((row) => !isOwn(row)) };
}

export type SendpayRows = Awaited<ReturnType<typeof readRows>>;

/**
 * Returns what all rows together prove; undefined when no row is pending or complete. lightningd returns success with the first part that
 * succeeds, and failure with the first part that fails for good, while others are still in flight: only then is the fee final.
 */
export function outcomeOf(rows: readonly SendpayRow[]): PaymentOutcome | undefined {
  if (isAny(rows, 'pending')) return { state: 'pending' };
  const complete = rows.filter(({ status }) => status === 'complete');
  const preimage = complete[0]?.payment_preimage;
  if (complete.length === 0) return undefined;
  if (preimage === undefined) throw new Error('lightningd reports a complete payment without its preimage');
  const feeMsat = complete.reduce((sum, row) => sum + row.amount_sent_msat - (row.amount_msat ?? Number.NaN), 0);
  return { state: 'succeeded', preimage, feeMsat: msat(feeMsat) };
}

export function isAny(rows: readonly SendpayRow[], status: SendpayRow['status']): boolean {
  return rows.some((row) => row.status === status);
}
