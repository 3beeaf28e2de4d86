import { setImmediate as nextTurn } from 'node:timers/promises';
import { pause } from '../kernel/clock.ts';
import { STALLED, StatementFailed } from './errors.ts';

interface CommitGateOptions {
  /** How many transactions may run at once. The other connections of the pool are left for reads. */
  readonly maxRunning: number;
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
  #waiting: PromiseWithResolvers<void>[] = [];
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
      const next = this.#waiting.shift();
      if (next) next.resolve();
      else this.#running -= 1;
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

  #slot(): Promise<void> {
    const slot = Promise.withResolvers<void>();
    this.#waiting.push(slot);
    return slot.promise;
  }

  async #stallUnlessEnded(commit: { readonly hasEnded: boolean }): Promise<void> {
    // This process may have been busy, and the response has arrived.
    await nextTurn();
    if (commit.hasEnded || this.#isStalled) return;
    this.#isStalled = true;
    for (const slot of this.#waiting.splice(0)) slot.reject(stalled());
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
