import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause } from '../kernel/clock.ts';
import { CONNECTION, STALLED, StatementFailed } from './errors.ts';

interface CommitGateOptions {
  /** How many transactions may run at once. The other connections of the pool are left for reads. */
  readonly maxRunning: number;
  /** How long a transaction waits for others before it fails. */
  readonly waitMs: number;
  /** A COMMIT that takes longer is stalled. */
  readonly stalledMs: number;
  readonly probeMs: number;
  /** Makes a commit. @throws while commits still take long */
  probe(): Promise<void>;
}

/**
 * Limits what waits for a database that does not end its commits, such as one whose synchronous standby is missing. From the first stalled COMMIT
 * until a probe has committed, no transaction begins, so its request is answered at once. Transactions whose COMMIT was sent go on.
 */
export class CommitGate {
  readonly #options: CommitGateOptions;
  readonly #closing = new AbortController();
  readonly #listeners = new Set<() => void>();
  /** In the order in which they arrived. */
  readonly #waiting = new Set<PromiseWithResolvers<void>>();
  #running = 0;
  #isStalled = false;

  constructor(options: CommitGateOptions) {
    this.#options = options;
  }

  readonly isStalled = (): boolean => this.#isStalled;

  /** Calls a listener when commits stall. */
  readonly onStall = (listener: () => void): void => void this.#listeners.add(listener);

  /** Runs a transaction. @throws StatementFailed when it did not begin */
  async run<T>(transaction: () => Promise<T>): Promise<T> {
    if (this.#isStalled) throw stalled();
    if (this.#running < this.#options.maxRunning) this.#running += 1;
    else await this.#slot();
    try {
      return await transaction();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) this.#running -= 1;
      else {
        this.#waiting.delete(next);
        next.resolve();
      }
    }
  }

  /** Watches a COMMIT that was sent. */
  readonly watch = async <T>(commit: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => void this.#stallUnlessEnded(timers), this.#options.stalledMs);
    const timers = { hasEnded: false };
    try {
      return await commit;
    } finally {
      timers.hasEnded = true;
      clearTimeout(timer);
    }
  };

  close(): void {
    this.#closing.abort();
  }

  /** A server that does not respond holds each transaction until its query times out, and those that wait would wait for many of them. */
  async #slot(): Promise<void> {
    const { waitMs } = this.#options;
    const slot = Promise.withResolvers<void>();
    this.#waiting.add(slot);
    const timer = setTimeout(() => {
      this.#waiting.delete(slot);
      slot.reject(new StatementFailed(`begin: waited ${waitMs} ms for other transactions`, CONNECTION));
    }, waitMs);
    await slot.promise.finally(() => clearTimeout(timer));
  }

  async #stallUnlessEnded(commit: { readonly hasEnded: boolean }): Promise<void> {
    // This process may have been busy, and the response has arrived.
    await nextTurn();
    if (commit.hasEnded || this.#isStalled) return;
    this.#isStalled = true;
    for (const slot of this.#waiting) slot.reject(stalled());
    this.#waiting.clear();
    for (const listener of this.#listeners) listener();
    await this.#untilProbed();
  }

  async #untilProbed(): Promise<void> {
    while (!(await pause(this.#options.probeMs, this.#closing.signal))) {
      try {
        await this.#options.probe();
        this.#isStalled = false;
        return;
      } catch {
        // Commits still take long.
      }
    }
  }
}

export function stalled(): StatementFailed {
  return new StatementFailed('begin: the database does not end its commits', STALLED);
}
