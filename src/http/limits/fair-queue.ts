interface Waiter {
  readonly weight: number;
  resume(): void;
}

/**
 * Limits the total weight of running jobs. Names with waiting jobs take turns, so that one name with many jobs does not delay the others.
 */
export class FairQueue {
  readonly #capacity: number;
  readonly #waiting = new Map<string, Waiter[]>();
  #running = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Waits until a job may run. Returns the function that ends it; further calls of that function do nothing. */
  async startJob(name: string, weight: number): Promise<() => void> {
    if (this.#waiting.size === 0 && this.#fits(weight)) this.#running += weight;
    else await this.#waitForTurn(name, weight);
    let isRunning = true;
    return () => {
      if (!isRunning) return;
      isRunning = false;
      this.#running -= weight;
      this.#resumeNext();
    };
  }

  /** A job that is heavier than the capacity runs alone. */
  #fits(weight: number): boolean {
    return this.#running === 0 || this.#running + weight <= this.#capacity;
  }

  #waitForTurn(name: string, weight: number): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(name) ?? [];
      queue.push({ weight, resume: resolve });
      this.#waiting.set(name, queue);
    });
  }

  /** Resumes the next job of the next name, then moves that name behind all others. */
  #resumeNext(): void {
    for (const [name, queue] of this.#waiting) {
      const [next] = queue;
      if (!next || !this.#fits(next.weight)) return;
      queue.shift();
      this.#waiting.delete(name);
      if (queue.length > 0) this.#waiting.set(name, queue);
      this.#running += next.weight;
      next.resume();
    }
  }
}
