import { pause } from '../../kernel/clock.ts';
import { msat } from '../../kernel/money.ts';
import type { SettlementFinality, SettlementReference } from '../node.ts';
import { listChannels } from './channels.ts';
import type { ClnContext } from './context.ts';
import type { ClnMoves } from './moves.ts';
import type { ClnRpc, InvoiceRecord } from './rpc.ts';

/** The waits between two reads of new moves, in milliseconds. A move follows its settlement after about 50 ms. */
const WAITS_MS = [20, 20, 40, 80, 160, 320];
const LONGEST_WAIT_MS = 500;
const NOT_PAID = 'lightningd does not list the invoice as paid';

/** Returns what identifies the receipt of a paid invoice: `<paid at>:<amount in msat>`. */
export function receiptText({ paid_at, amount_received_msat }: InvoiceRecord): string {
  return `${paid_at}:${amount_received_msat}`;
}

/**
 * Returns whether the amount of a settlement has arrived. While its HTLC is in a channel, it is unknown. If it left all channels, what was
 * recorded is what arrived. A call that does not wait looks for HTLCs.
 */
export async function settlementFinality(
  { rpc }: ClnContext,
  moves: ClnMoves,
  { paymentHash, htlcs }: SettlementReference,
  waitMs: number,
): Promise<SettlementFinality> {
  const [, paidAt, amount] = /^(\d{1,12}):(\d{1,16})$/.exec(htlcs ?? (await readReceipt(rpc, paymentHash))) ?? [];
  if (amount === undefined) return { state: 'unknown', reason: NOT_PAID };
  const amountMsat = Number(amount);
  // The moves are read after the HTLCs: an HTLC leaves the list when its move is stored.
  const isInChannel = waitMs > 0 || (await hasHtlc(rpc, paymentHash));
  const endMs = performance.now() + waitMs;
  for (let tries = 0; ; tries++) {
    const { creditMsat, onChain, isComplete } = await moves.receiptOf(paymentHash, Number(paidAt), tries === 0);
    // On the chain, each HTLC is rounded down to satoshis.
    if (creditMsat > 0 && creditMsat + 999 * onChain >= amountMsat) return { state: 'final' };
    if (!isInChannel && isComplete) {
      // A node that was restored from a backup has lost what arrived since.
      if ((await readReceipt(rpc, paymentHash)) === '') return { state: 'unknown', reason: NOT_PAID };
      return creditMsat > 0 ? { state: 'final', amountMsat: msat(creditMsat) } : { state: 'failed' };
    }
    if (performance.now() >= endMs) break;
    await pause(WAITS_MS[tries] ?? LONGEST_WAIT_MS, AbortSignal.timeout(waitMs));
  }
  return { state: 'unknown', reason: 'lightningd has recorded no receipt of its amount' };
}

/** Returns whether a channel still has an incoming HTLC with the hash; also one that is being closed. */
async function hasHtlc(rpc: ClnRpc, paymentHash: string): Promise<boolean> {
  const htlcs = (await listChannels(rpc)).flatMap((channel) => channel.htlcs ?? []);
  return htlcs.some(({ direction, payment_hash }) => direction === 'in' && payment_hash === paymentHash);
}

async function readReceipt(rpc: ClnRpc, paymentHash: string): Promise<string> {
  const { invoices } = await rpc.call('listinvoices', { payment_hash: paymentHash });
  const paid = invoices.find(({ status }) => status === 'paid');
  return paid ? receiptText(paid) : '';
}
