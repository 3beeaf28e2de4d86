import { HistoryChanged, type NodeEvent, type Position, type Settlement } from '../node.ts';
import { indexOf, type NodeHistory, positionOf, type Subsystem } from './history.ts';
import { received } from './invoices.ts';
import type { ClnRpc, InvoiceRecord } from './rpc.ts';

/** Records that are read at once. */
const PAGE = 500;
/** A dead connection is not reported, so another call checks it at this interval. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT_TIMEOUT_MS = 10_000;
/** The time limit of a call that waits for the next event. Afterwards it is made again. */
const WAIT_MS = 3_600_000;

export interface ClnEventsOptions {
  readonly rpc: ClnRpc;
  readonly history: NodeHistory;
  /** Aborts when the adapter is closed. */
  readonly closing: AbortSignal;
  /** Shorter in tests. */
  readonly heartbeatMs?: number | undefined;
}

/** Streams settlements in the order in which lightningd has changed the invoices, and hints about outgoing payments. */
export class ClnEvents {
  readonly #options: ClnEventsOptions;

  constructor(options: ClnEventsOptions) {
    this.#options = options;
  }

  watch(position: Position | undefined, signal: AbortSignal): AsyncGenerator<NodeEvent> {
    return this.#untilAborted(signal, (until) => this.#settlements(position, until));
  }

  watchPayments(signal: AbortSignal): AsyncGenerator<string> {
    return this.#untilAborted(signal, (until) => this.#paymentHashes(until));
  }

  /** Reads the invoices from the newest update backwards, to the first that is paid. */
  async newestPosition(): Promise<Position | undefined> {
    const { rpc, history } = this.#options;
    for (let end = await history.counter('invoices', 'updated'); end > 0; end -= PAGE) {
      const { invoices } = await rpc.call('listinvoices', { index: 'updated', start: Math.max(1, end - PAGE + 1), limit: PAGE });
      const newest = invoices.findLast(({ status }) => status === 'paid');
      if (newest) return positionOf(newest, await history.epoch());
    }
    return undefined;
  }

  /** Ends the stream when a signal aborts, also if a call fails because of that. */
  async *#untilAborted<T>(signal: AbortSignal, stream: (until: AbortSignal) => AsyncGenerator<T>): AsyncGenerator<T> {
    const until = AbortSignal.any([signal, this.#options.closing]);
    try {
      yield* stream(until);
    } catch (error) {
      if (!until.aborted) throw error;
    }
  }

  async *#settlements(position: Position | undefined, until: AbortSignal): AsyncGenerator<NodeEvent> {
    const { rpc, history } = this.#options;
    await this.#verify(position);
    const epoch = await history.epoch();
    const pages = this.#pages('invoices', indexOf(position), until, async (start) => {
      const { invoices } = await rpc.call('listinvoices', { index: 'updated', start, limit: PAGE });
      return invoices;
    });
    for await (const invoice of pages) if (invoice.status === 'paid') yield toSettlement(invoice, epoch);
  }

  async *#paymentHashes(until: AbortSignal): AsyncGenerator<string> {
    const { rpc, history } = this.#options;
    const from = await history.counter('sendpays', 'updated');
    const pages = this.#pages('sendpays', from, until, async (start) => {
      const { payments } = await rpc.call('listsendpays', { index: 'updated', start, limit: PAGE });
      return payments;
    });
    for await (const row of pages) yield row.payment_hash;
  }

  /** @throws HistoryChanged */
  async #verify(position: Position | undefined): Promise<void> {
    const { history } = this.#options;
    const isKnown = position === undefined ? !(await history.hasMovedBack()) : await history.knows(position);
    if (!isKnown) throw new HistoryChanged('the Core Lightning node was restored from an older backup');
  }

  /** Yields the records with an `updated_index` above `after`, in its order, until the signal aborts. */
  async *#pages<T extends { readonly updated_index?: number }>(
    subsystem: Subsystem,
    after: number,
    signal: AbortSignal,
    read: (start: number) => Promise<readonly T[]>,
  ): AsyncGenerator<T> {
    let last = after;
    /** The counter before the page was read. A record without a change up to it was deleted. */
    let reached = after;
    while (!signal.aborted) {
      const page = await read(last + 1);
      for (const record of page) {
        if (signal.aborted) return;
        last = Math.max(last, record.updated_index ?? 0);
        yield record;
      }
      if (page.length === PAGE) continue;
      last = Math.max(last, reached);
      reached = (await this.#waitFor(subsystem, last + 1, signal)) ?? reached;
      this.#options.history.record(subsystem, 'updated', Math.max(last, reached));
    }
  }

  /** Waits until the counter has a value, and returns the counter. @throws NodeUnavailable */
  async #waitFor(subsystem: Subsystem, nextvalue: number, signal: AbortSignal): Promise<number | undefined> {
    const { rpc, heartbeatMs = HEARTBEAT_MS } = this.#options;
    const broken = new AbortController();
    const limits = { timeoutMs: WAIT_MS, signal: AbortSignal.any([signal, broken.signal]) };
    const waiting = rpc.call('wait', { subsystem, indexname: 'updated', nextvalue }, limits);
    const checkConnection = async () => {
      try {
        await rpc.call('getinfo', {}, { timeoutMs: HEARTBEAT_TIMEOUT_MS });
      } catch {
        broken.abort();
      }
    };
    const heartbeat = setInterval(() => void checkConnection(), heartbeatMs);
    try {
      return (await waiting).updated;
    } finally {
      clearInterval(heartbeat);
    }
  }
}

function toSettlement(invoice: InvoiceRecord, epoch: string): Settlement {
  if (invoice.paid_at === undefined) throw new Error('lightningd reports a paid invoice without the time of the payment');
  return {
    type: 'settlement',
    position: positionOf(invoice, epoch),
    paymentHash: invoice.payment_hash,
    ...received(invoice),
    settledAt: invoice.paid_at,
    // lightningd stores an invoice for each keysend that it has accepted, without the custom records.
    keysend: invoice.label.startsWith('keysend-'),
    customRecords: {},
  };
}
