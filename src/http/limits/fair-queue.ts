interface Waiting {
  readonly weight: number;
  resume(): void;
}

/** Runs jobs at once up to a total weight. Those that wait take turns by name, so that one name with many jobs does not hold up the others. */
export class FairGate {
  readonly #capacity: number;
  readonly #waiting = new Map<string, Waiting[]>();
  #running = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Waits for a place. @returns what gives it back, once however often it is called */
  async enter(name: string, weight: number): Promise<() => void> {
    if (this.#waiting.size === 0 && this.#fits(weight)) this.#running += weight;
    else await this.#turnOf(name, weight);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#running -= weight;
      this.#resumeNext();
    };
  }

  /** A job that is heavier than the capacity runs alone. */
  #fits(weight: number): boolean {
    return this.#running === 0 || this.#running + weight <= this.#capacity;
  }

  #turnOf(name: string, weight: number): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(name) ?? [];
      queue.push({ weight, resume: resolve });
      this.#waiting.set(name, queue);
    });
  }

  /** Resumes the next job of the next name; the further jobs of that name then wait behind all other names. */
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
