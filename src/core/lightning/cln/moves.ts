import { limitEntries } from '../../kernel/limit-entries.ts';
import { nextCall } from '../../kernel/next-call.ts';
import type { ClnRpc, MoveRecord } from './rpc.ts';

/*
 * lightningd stores an invoice as paid together with the preimage of its HTLC, and sends the preimage again after a restart. But if the peer
 * closes the channel while lightningd is down, an HTLC below the dust limit, or past its expiry, is lost, and the invoice stays paid. lightningd
 * records each HTLC that arrived as a *move*: `invoice` when both sides have removed it from the channel, `htlc_fulfill` on the chain. Moves
 * cannot be looked up by their payment hash.
 */

type MoveList = 'channelmoves' | 'chainmoves';

const LISTS: readonly MoveList[] = ['channelmoves', 'chainmoves'];
const TAG = { channelmoves: 'invoice', chainmoves: 'htlc_fulfill' } as const;
const PAGE = 500;
/** Moves before the first one that is read, at most. Those of an older settlement are searched for it alone. */
const MAX_BACKLOG = 100_000;
/** Receipts that are kept: about 20 MB. */
const MAX_RECEIPTS = 100_000;
/** Pages that one search reads. The next call continues. */
const MAX_PAGES = 20;
const MAX_SEARCHES = 10_000;
const SLACK_SECONDS = 60;
/** The first settlement that is looked up may not be the oldest. */
const BEGIN_SLACK_SECONDS = 600;

/** What has arrived for a payment hash. `onChain`: the number of HTLCs that were claimed on the chain. `seconds`: the time of the newest one. */
interface Receipt {
  readonly creditMsat: number;
  readonly onChain: number;
  readonly seconds: number;
}

const NOTHING: Receipt = { creditMsat: 0, onChain: 0, seconds: 0 };

/** The moves before the first that is read, as far as they were searched for one hash. */
interface Search {
  readonly next: Record<MoveList, number>;
  receipt: Receipt;
}

/** The number of the first move of a list that is read, and of the last one that was. All moves since the time are read. */
interface ReadRange {
  readonly first: number;
  readonly sinceSeconds: number;
  last: number;
}

type Ranges = Readonly<Record<MoveList, ReadRange>>;

/** Reads the moves of a node: the new ones once for all, older ones for a hash. */
export class ClnMoves {
  readonly #rpc: ClnRpc;
  #receipts = new Map<string, Receipt>();
  /** The time of the newest receipt that was deleted to limit their number. */
  #deletedSeconds = 0;
  /** Replaced at a reset. */
  #ranges: Promise<Ranges> | undefined;
  #searches = new Map<string, Search>();
  readonly #searching = new Map<string, Promise<void>>();

  constructor(rpc: ClnRpc) {
    this.#rpc = rpc;
  }

  /** Forgets what was read. A node that was restored from a backup numbers its moves differently. */
  reset(): void {
    this.#receipts = new Map();
    this.#deletedSeconds = 0;
    this.#ranges = undefined;
    this.#searches = new Map();
  }

  /** Returns what has arrived for a hash since a time. `isComplete`: all moves since then were read. Those on the chain are read only with `alsoOnChain`. */
  async receiptOf(paymentHash: string, paidAt: number, alsoOnChain: boolean): Promise<Receipt & { readonly isComplete: boolean }> {
    const begun = this.#ranges ?? this.#beginSince(paidAt - BEGIN_SLACK_SECONDS);
    const ranges = await begun;
    await this.#readNew.channelmoves();
    if (alsoOnChain) await this.#readNew.chainmoves();
    const older = await this.#search(paymentHash, paidAt - SLACK_SECONDS, ranges);
    // It was reset meanwhile. The receipts that are read now may include those of the search.
    if (begun !== this.#ranges) return { ...NOTHING, isComplete: false };
    const newer = this.#receipts.get(paymentHash) ?? NOTHING;
    return {
      ...sum(older.receipt, newer),
      isComplete: alsoOnChain && older.isDone && paidAt - SLACK_SECONDS > this.#deletedSeconds,
    };
  }

  /** Read the moves that were added before the call: the caller has seen that an HTLC is gone, and its move must not be missed. */
  readonly #readNew = {
    channelmoves: nextCall(() => this.#readOn('channelmoves')),
    chainmoves: nextCall(() => this.#readOn('chainmoves')),
  };

  async #readOn(list: MoveList): Promise<void> {
    const ranges = this.#ranges;
    const range = (await ranges)?.[list];
    for (let isLast = !range; range && !isLast; ) {
      const page = await this.#page(list, range.last + 1);
      // It was reset meanwhile.
      if (ranges !== this.#ranges) return;
      for (const move of page) this.#record(list, move);
      range.last = Math.max(range.last, ...page.map((move) => move.created_index));
      isLast = page.length < PAGE;
    }
  }

  #record(list: MoveList, move: MoveRecord): void {
    const { payment_hash: paymentHash } = move;
    if (paymentHash === undefined || !isReceipt(list, move)) return;
    const receipt = sum(this.#receipts.get(paymentHash) ?? NOTHING, receiptFrom(list, move));
    this.#receipts.delete(paymentHash);
    this.#receipts.set(paymentHash, receipt);
    for (const { seconds } of limitEntries(this.#receipts, MAX_RECEIPTS)) this.#deletedSeconds = Math.max(this.#deletedSeconds, seconds);
  }

  #beginSince(seconds: number): Promise<Ranges> {
    const begun = this.#begin(seconds);
    this.#ranges = begun;
    begun.catch(() => {
      if (this.#ranges === begun) this.#ranges = undefined;
    });
    return begun;
  }

  /** Begins with the moves since a time, but with a limit. */
  async #begin(seconds: number): Promise<Ranges> {
    const [channelmoves, chainmoves] = await Promise.all([
      this.#rangeSince('channelmoves', seconds),
      this.#rangeSince('chainmoves', seconds),
    ]);
    return { channelmoves, chainmoves };
  }

  async #rangeSince(list: MoveList, seconds: number): Promise<ReadRange> {
    const { created = 0 } = await this.#rpc.call('wait', { subsystem: list, indexname: 'created', nextvalue: 0 });
    const since = await this.#firstSince(list, seconds, created);
    if (since > created - MAX_BACKLOG) return { first: since, sinceSeconds: seconds, last: since - 1 };
    const first = created - MAX_BACKLOG;
    const [move] = await this.#page(list, first, 1);
    return { first, sinceSeconds: move ? move.timestamp + 1 : Number.POSITIVE_INFINITY, last: first - 1 };
  }

  /** Returns the number of the first move since a time, by halving: the times are in the order of the numbers. */
  async #firstSince(list: MoveList, seconds: number, newest: number): Promise<number> {
    let [low, high] = [1, newest + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const [move] = await this.#page(list, middle, 1);
      if (move && move.timestamp < seconds) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Searches the moves before those that are read for one hash. */
  async #search(paymentHash: string, seconds: number, ranges: Ranges): Promise<{ receipt: Receipt; isDone: boolean }> {
    if (LISTS.every((list) => ranges[list].sinceSeconds <= seconds)) return { receipt: NOTHING, isDone: true };
    // A search that was begun before a reset is forgotten.
    const searches = this.#searches;
    if (!searches.has(paymentHash)) {
      const startOf = (list: MoveList) => this.#firstSince(list, seconds, ranges[list].first - 1);
      const next = { channelmoves: await startOf('channelmoves'), chainmoves: await startOf('chainmoves') };
      if (!searches.has(paymentHash)) searches.set(paymentHash, { next, receipt: NOTHING });
      limitEntries(searches, MAX_SEARCHES);
    }
    const search = searches.get(paymentHash);
    if (!search) return { receipt: NOTHING, isDone: false };
    // Each move is counted once, so calls for the same hash follow each other.
    const run = (this.#searching.get(paymentHash) ?? Promise.resolve()).then(() => this.#readOlder(paymentHash, search, ranges));
    const ended = run.catch(() => undefined);
    this.#searching.set(paymentHash, ended);
    await run.finally(() => this.#searching.get(paymentHash) === ended && this.#searching.delete(paymentHash));
    return { receipt: search.receipt, isDone: LISTS.every((list) => search.next[list] >= ranges[list].first) };
  }

  async #readOlder(paymentHash: string, search: Search, ranges: Ranges): Promise<void> {
    for (const list of LISTS) {
      const { first } = ranges[list];
      for (let pages = 0; search.next[list] < first && pages < MAX_PAGES; pages++) {
        const page = (await this.#page(list, search.next[list])).filter((move) => move.created_index < first);
        const found = page.filter((move) => move.payment_hash === paymentHash && isReceipt(list, move));
        search.receipt = found.reduce((total, move) => sum(total, receiptFrom(list, move)), search.receipt);
        search.next[list] = page.length < PAGE ? first : (page.at(-1)?.created_index ?? first) + 1;
      }
    }
  }

  async #page(list: MoveList, start: number, size = PAGE): Promise<readonly MoveRecord[]> {
    const params = { index: 'created', start, limit: size };
    if (list === 'channelmoves') return (await this.#rpc.call('listchannelmoves', params)).channelmoves;
    return (await this.#rpc.call('listchainmoves', params)).chainmoves;
  }
}

/** An `htlc_fulfill` of the account `external` is a payment of ours that the peer has claimed. */
function isReceipt(list: MoveList, { primary_tag: tag, account_id: account, credit_msat: credit }: MoveRecord): boolean {
  return tag === TAG[list] && account !== 'external' && Number.isSafeInteger(credit) && credit > 0;
}

function receiptFrom(list: MoveList, { credit_msat: creditMsat, timestamp: seconds }: MoveRecord): Receipt {
  return { creditMsat, onChain: list === 'chainmoves' ? 1 : 0, seconds };
}

function sum(a: Receipt, b: Receipt): Receipt {
  return { creditMsat: a.creditMsat + b.creditMsat, onChain: a.onChain + b.onChain, seconds: Math.max(a.seconds, b.seconds) };
}
