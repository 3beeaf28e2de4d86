import { pause } from '../../kernel/clock.ts';
import { sharedCall } from '../../kernel/shared-call.ts';
import type { SettlementFinality, SettlementReference } from '../node.ts';
import type { ClnContext } from './context.ts';
import type { InvoiceRecord, MoveRecord } from './rpc.ts';

/*
 * lightningd stores an invoice as paid together with the preimage of its HTLC, and sends the preimage again after a restart. But if the peer
 * closes the channel while lightningd is down, an HTLC below the dust limit, or past its expiry, is lost, and the invoice stays paid. lightningd
 * records each HTLC that arrived as a *move*: `invoice` when both sides have removed it from the channel, `htlc_fulfill` on the chain.
 */

type MoveList = 'channelmoves' | 'chainmoves';

const LISTS: readonly MoveList[] = ['channelmoves', 'chainmoves'];
const TAG = { channelmoves: 'invoice', chainmoves: 'htlc_fulfill' } as const;
const PAGE = 500;
/** Receipts that are kept, about 20 MB. A settlement that is reported after so many later ones stays unknown until the next connection. */
const MAX_RECEIPTS = 100_000;
/** A move may have an earlier time than the invoice, by the granularity of both. */
const SLACK_SECONDS = 60;
/** The waits between two reads of new moves, in milliseconds. */
const WAITS_MS = [20, 40, 80, 160, 320, 640];

/** What has arrived for a payment hash. A move on the chain is rounded to satoshis. */
interface Receipt {
  creditMsat: number;
  onChain: number;
}

/** Reads the moves of a node, each once. */
export class ClnMoves {
  readonly #rpc: ClnContext['rpc'];
  #receipts = new Map<string, Receipt>();
  /** The newest move of each list that was read, the oldest, and its time. */
  #read = new Map<MoveList, { newest: number; oldest: number; sinceSeconds: number }>();
  #readingBack: Promise<void> = Promise.resolve();

  constructor(rpc: ClnContext['rpc']) {
    this.#rpc = rpc;
  }

  /** Forgets what was read. A node that was restored from a backup numbers its moves differently. */
  reset(): void {
    this.#receipts = new Map();
    this.#read = new Map();
  }

  receiptOf(paymentHash: string): Receipt {
    return this.#receipts.get(paymentHash) ?? { creditMsat: 0, onChain: 0 };
  }

  /** Reads the moves that were added since the last call. */
  readonly readNew = sharedCall(async () => {
    for (const list of LISTS) {
      const read = await this.#begin(list);
      for (let page: readonly MoveRecord[] = []; ; ) {
        page = await this.#page(list, read.newest + 1);
        if (this.#read.get(list) !== read) return;
        this.#record(list, page);
        read.newest = Math.max(read.newest, ...page.map((move) => move.created_index));
        if (page.length < PAGE) break;
      }
    }
  });

  /** Reads older moves, back to a time. One after the other, because each move is counted once. */
  readBackTo(seconds: number): Promise<void> {
    const reading = this.#readingBack.then(() => this.#readBack(seconds));
    this.#readingBack = reading.catch(() => undefined);
    return reading;
  }

  async #readBack(seconds: number): Promise<void> {
    for (const list of LISTS) {
      const read = await this.#begin(list);
      while (read.oldest > 1 && read.sinceSeconds > seconds) {
        const start = Math.max(1, read.oldest - PAGE);
        const page = (await this.#page(list, start)).filter((move) => move.created_index < read.oldest);
        // It was reset meanwhile.
        if (this.#read.get(list) !== read) return;
        this.#record(list, page);
        read.oldest = start;
        read.sinceSeconds = Math.min(read.sinceSeconds, ...page.map(({ timestamp }) => timestamp));
      }
    }
  }

  async #begin(list: MoveList) {
    const known = this.#read.get(list);
    if (known) return known;
    const { created = 0 } = await this.#rpc.call('wait', { subsystem: list, indexname: 'created', nextvalue: 0 });
    const read = this.#read.get(list) ?? { newest: created, oldest: created + 1, sinceSeconds: Number.POSITIVE_INFINITY };
    this.#read.set(list, read);
    return read;
  }

  async #page(list: MoveList, start: number): Promise<readonly MoveRecord[]> {
    const params = { index: 'created', start, limit: PAGE };
    if (list === 'channelmoves') return (await this.#rpc.call('listchannelmoves', params)).channelmoves;
    return (await this.#rpc.call('listchainmoves', params)).chainmoves;
  }

  #record(list: MoveList, moves: readonly MoveRecord[]): void {
    for (const { primary_tag: tag, payment_hash: hash, credit_msat: credit } of moves) {
      if (tag !== TAG[list] || hash === undefined || !Number.isSafeInteger(credit)) continue;
      const { creditMsat, onChain } = this.receiptOf(hash);
      this.#receipts.delete(hash);
      this.#receipts.set(hash, { creditMsat: creditMsat + credit, onChain: onChain + (list === 'chainmoves' ? 1 : 0) });
    }
    for (const oldest of this.#receipts.keys()) {
      if (this.#receipts.size <= MAX_RECEIPTS) break;
      this.#receipts.delete(oldest);
    }
  }
}

/** Returns what identifies the receipt of a paid invoice: `<paid at>:<amount in msat>`. */
export function receiptText({ paid_at, amount_received_msat }: InvoiceRecord): string {
  return `${paid_at}:${amount_received_msat}`;
}

/** Returns whether the whole amount of a settlement has arrived. That it never will is not proven: it stays unknown. */
export async function settlementFinality(
  { rpc }: ClnContext,
  moves: ClnMoves,
  { paymentHash, htlcs }: SettlementReference,
  waitMs: number,
): Promise<SettlementFinality> {
  const [, paidAt, amount] = /^(\d{1,12}):(\d{1,16})$/.exec(htlcs ?? (await readReceipt(rpc, paymentHash))) ?? [];
  if (amount === undefined) return { state: 'unknown', reason: 'lightningd does not list the invoice as paid' };
  const hasArrived = () => {
    const { creditMsat, onChain } = moves.receiptOf(paymentHash);
    return creditMsat > 0 && creditMsat + 1000 * onChain >= Number(amount);
  };
  await moves.readNew();
  if (!hasArrived()) await moves.readBackTo(Number(paidAt) - SLACK_SECONDS);
  const endMs = performance.now() + waitMs;
  for (let tries = 0; !hasArrived() && performance.now() < endMs; tries++) {
    await pause(WAITS_MS[tries] ?? 640, AbortSignal.timeout(waitMs));
    await moves.readNew();
  }
  if (hasArrived()) return { state: 'final' };
  return { state: 'unknown', reason: 'lightningd has recorded no receipt of its amount' };
}

async function readReceipt(rpc: ClnContext['rpc'], paymentHash: string): Promise<string> {
  const { invoices } = await rpc.call('listinvoices', { payment_hash: paymentHash });
  const paid = invoices.find(({ status }) => status === 'paid');
  return paid ? receiptText(paid) : '';
}
