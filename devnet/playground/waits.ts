/** Reads that are repeated after each commit until they have a result. */
export class Waits {
  readonly #checks = new Set<() => void>();

  /** Returns the value of `read` once `isDone` accepts it, or whatever it is after `waitMs`. */
  until<T>(read: () => T, isDone: (value: T) => boolean, waitMs: number): T | Promise<T> {
    const now = read();
    if (isDone(now) || waitMs === 0) return now;
    return new Promise((resolve) => {
      const end = (value: T): void => {
        clearTimeout(timer);
        this.#checks.delete(check);
        resolve(value);
      };
      const check = (): void => {
        const value = read();
        if (isDone(value)) end(value);
      };
      const timer = setTimeout(() => end(read()), waitMs);
      this.#checks.add(check);
    });
  }

  /** Must be called after each commit. */
  check(): void {
    for (const check of [...this.#checks]) check();
  }
}
