import { AsyncLocalStorage } from 'node:async_hooks';
import { context, ROOT_CONTEXT, type Span } from '@opentelemetry/api';

/** Records whether a request has booked something, or shows what an earlier request booked. Until then an error may promise the opposite. */
export interface BookingMark {
  mayHaveBooked: boolean;
  /** The span of the request (tracing.ts). */
  readonly span?: Span | undefined;
  /** The account of the request's key, as soon as it is known. */
  accountId?: string | undefined;
  /** Who takes the turns of the request (turns.ts): the account of a secret key, otherwise the network of the address. */
  payer?: string | undefined;
  /** Charges a turn of the request and the bytes that it has sent since its last one. Returns how many milliseconds the turn must wait. */
  readonly chargeTurn?: ((mark: BookingMark, bytes: number) => number) | undefined;
  /** The turns that the request has taken. */
  turns?: number | undefined;
}

const running = new AsyncLocalStorage<BookingMark | undefined>();

/** Runs a request with a mark that is set by the first commit of the request. */
export function withBookingMark<T>(mark: BookingMark, work: () => T): T {
  return running.run(mark, work);
}

/** Runs work that a request only starts. Its commits do not set the mark of the request, and its spans are not those of the request. */
export function outsideRequest<T>(work: () => T): T {
  return running.run(undefined, () => context.with(ROOT_CONTEXT, work));
}

/** Returns the items of a source that is read in the running request, also when a stream asks for them later. */
export function insideRequest<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  const inRequest = AsyncLocalStorage.snapshot();
  async function* items(): AsyncGenerator<T> {
    const iterator = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await inRequest(() => iterator.next());
        if (done) return;
        yield value;
      }
    } finally {
      await iterator.return?.();
    }
  }
  return items();
}

/** Returns the mark of the running request; undefined in background jobs. */
export function bookingMark(): BookingMark | undefined {
  return running.getStore();
}

/**
 * Sets the mark of the running request. The database and the ledger call it after each commit, so a handler cannot forget it. Other callers
 * find what an earlier request booked, or book at another service.
 */
export function markBooked(): void {
  const mark = running.getStore();
  if (mark) mark.mayHaveBooked = true;
}
