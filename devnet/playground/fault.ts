/**
 * The first thing that went wrong inside a callback. An exception that leaves a callback would leave LDK's event queue stuck for ever, so
 * it is kept here, and thrown by the pump before anything is committed.
 */
export class Fault {
  #error: unknown;
  #noted = false;

  note(error: unknown): void {
    if (!this.#noted) this.#error = error;
    this.#noted = true;
  }

  /** Runs a callback of LDK; returns `fallback` where it threw. */
  guard<T>(run: () => T, fallback: () => T): T {
    try {
      return run();
    } catch (error) {
      this.note(error);
      return fallback();
    }
  }

  /** @throws what was noted. */
  check(): void {
    if (this.#noted) throw this.#error;
  }
}
