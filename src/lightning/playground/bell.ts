/** Wakes those who wait for news; one that rings while nobody waits is not missed by who asks with an older position. */
export class Bell {
  #newest = 0;
  readonly #waiting = new Set<() => void>();

  /** There are events up to this position. */
  ring(newest: number): void {
    this.#newest = Math.max(this.#newest, newest);
    this.wakeAll();
  }

  /** Something else has changed: look again. */
  wakeAll(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves when there is something after `position`, when woken, or when the signal aborts. */
  async rings(position: number, signal: AbortSignal): Promise<void> {
    if (this.#newest > position || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
  }
}
