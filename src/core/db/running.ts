import { AsyncLocalStorage } from 'node:async_hooks';
import { markBooked } from '../kernel/booking-mark.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { CommitUnknown } from './errors.ts';

/** Tracks the running transactions of one database. */
export class Running {
  readonly #tasks = new Set<Promise<unknown>>();
  readonly #inside = new AsyncLocalStorage<{ over: boolean }>();
  readonly #listeners = new Set<() => void>();
  readonly #log: Log;
  #closed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Calls a listener after each task that writes. @returns a function that removes the listener. */
  readonly onWrite = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /**
   * Runs a task that writes, and marks the request that waits for it.
   * @throws Error inside another write that is not over: on SQLite it would wait for itself.
   */
  async write<T>(task: () => Promise<T>): Promise<T> {
    if (this.#inside.getStore()?.over === false) throw new Error('a transaction was begun inside a transaction; pass on its tx instead');
    const mark = { over: false };
    const marked = () =>
      task().finally(() => {
        mark.over = true;
      });
    try {
      const result = await this.read(() => this.#inside.run(mark, marked));
      markBooked();
      return result;
    } catch (error) {
      if (error instanceof CommitUnknown) markBooked();
      throw error;
    } finally {
      for (const listener of this.#listeners) this.#call(listener);
    }
  }

  /** An error of a listener must not replace the result of the transaction, which may be committed. */
  #call(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.#log.error({ reason: errorMessage(error) }, 'a listener failed after a transaction');
    }
  }

  /** Runs a task that {@link close} waits for. */
  async read<T>(task: () => Promise<T>): Promise<T> {
    if (this.#closed) throw new Error('the database is closed');
    const running = task();
    this.#tasks.add(running);
    try {
      return await running;
    } finally {
      this.#tasks.delete(running);
    }
  }

  /** Rejects new tasks, and resolves when no task runs. @returns false when it was closed before. */
  async close(): Promise<boolean> {
    if (this.#closed) return false;
    this.#closed = true;
    await Promise.allSettled(this.#tasks);
    return true;
  }
}
