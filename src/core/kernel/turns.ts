import { setTimeout as delay, setImmediate as nextCycle } from 'node:timers/promises';
import { bookingMark } from './booking-mark.ts';

/**
 * The most work that is done between two turns. Work whose size a caller chooses is done in parts of at most one of these, with a
 * {@link takeTurn} before each part. Each of them takes up to about 5 ms of the only thread.
 */
export const PER_TURN = {
  /** Rows that are read and compared with a filter. */
  scannedRows: 1000,
  /** Rows that are rendered. */
  rows: 100,
  /** Rows that are written in a transaction, apart from those that the lines of a posting make. */
  writtenRows: 500,
  /** Lines of a request that are checked or booked. */
  lines: 100,
  /** Checks of a signature, such as that of an invoice. */
  signatures: 20,
  /** Bytes of a response that are serialized. */
  bytes: 1_000_000,
  /** Entries of an index that the database counts or skips. */
  indexEntries: 20_000,
} as const;

/**
 * What an account is charged for work, in requests of its rate limit. The first turn of a request is part of the request. A line is charged as the
 * request that would book it alone.
 */
export const CHARGE = { turn: 5, line: 1, kilobyte: 0.05 } as const;

/** The longest wait for a turn that an account has used up. */
const MAX_WAIT_MS = 10_000;

/** The name under which work that no request has started takes turns. */
const SERVICE = 'service';

/**
 * Lets work begin part by part: one part in each cycle of the event loop, so that other requests wait for at most one of them. Callers take turns,
 * so that one with much work does not delay the work of others.
 */
export class FairTurns {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Waits for the turn of a caller. */
  next(caller: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#grant());
      const own = this.#waiting.get(caller);
      if (own) own.push(resolve);
      else this.#waiting.set(caller, [resolve]);
    });
  }

  /** Grants a turn to the next caller, then moves that caller behind all others. */
  #grant(): void {
    for (const [caller, own] of this.#waiting) {
      own.shift()?.();
      this.#waiting.delete(caller);
      if (own.length > 0) this.#waiting.set(caller, own);
      break;
    }
    if (this.#waiting.size > 0) setImmediate(() => this.#grant());
  }
}

const turns = new FairTurns();

/**
 * Waits until the next part of some work may be done. All requests of one account share its turns; background jobs share those of the service. After
 * its first turn, a request waits until the account has paid for the others. @param bytes what was sent since the turn before
 */
export async function takeTurn(bytes = 0): Promise<void> {
  const mark = bookingMark();
  const waitMs = mark?.chargeTurn?.(mark, bytes) ?? 0;
  if (waitMs > 0) await delay(Math.min(waitMs, MAX_WAIT_MS));
  await turns.next(mark?.payer ?? mark?.accountId ?? SERVICE);
}

/**
 * Lets other requests run between two parts of a database transaction. It takes no turn, because those that wait for the transaction would wait for
 * the turns of all accounts, too.
 */
export function pauseTransaction(): Promise<void> {
  return nextCycle();
}
