/** Wakes those who wait for news; one that rings while nobody waits is not missed by who asks with an older position. */
export class Bell {
  #newest = 0;
  readonly #waiting = new Set<() => void>();

  /** There are events up to this number. */
  ring(newest: number): void {
    this.#newest = Math.max(this.#newest, newest);
    this.wakeAll();
  }

  /** The playground was connected again, perhaps with fewer events than before: everybody reads again. */
  restart(): void {
    this.#newest = 0;
    this.wakeAll();
  }

  wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when there is an event after the one with this number, when woken, or when the signal aborts. */
  async rings(number: number, signal: AbortSignal): Promise<void> {
    if (this.#newest > number || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
  }
}
