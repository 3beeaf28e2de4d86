/** Where a fake network's time comes from: real, stepped by a test, or without any waiting. */
export interface Time {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Does something later. */
  after(delayMs: number, run: () => void): void;
  /** Gives up waiting for something else, after this long; never, where delays cost no time. @returns what takes it back. */
  timeout(delayMs: number, run: () => void): () => void;
}

/** The time of the machine. Its timers do not keep a process alive. */
export const realTime: Time = {
  nowMs: () => Date.now(),
  after: (delayMs, run) => void setTimeout(run, delayMs).unref(),
  timeout(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Every delay is over at once: what is scheduled runs as soon as the event loop turns, in the order of its delays among what waits. */
export function noWaiting(nowMs: () => number = () => Date.now()): Time {
  const queue = new Queue();
  let turning = false;
  const turn = (): void => {
    const next = queue.take(Number.POSITIVE_INFINITY);
    turning = queue.size > 0;
    if (turning) setImmediate(turn);
    next?.run();
  };
  return {
    nowMs,
    after(delayMs, run) {
      queue.add(delayMs, run);
      if (!turning) setImmediate(turn);
      turning = true;
    },
    timeout: () => () => undefined,
  };
}

/** Time that stands still until a test moves it. */
export class SteppedTime implements Time {
  readonly #queue = new Queue();
  #nowMs: number;

  constructor(startMs: number = Date.now()) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): void {
    this.#queue.add(this.#nowMs + delayMs, run);
  }

  timeout(delayMs: number, run: () => void): () => void {
    let wanted = true;
    this.after(delayMs, () => wanted && run());
    return () => {
      wanted = false;
    };
  }

  /** How many things wait for their time. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Lets this much time pass, and does what falls due, in order; what runs may schedule more. */
  advance(ms: number): void {
    const until = this.#nowMs + ms;
    for (let next = this.#queue.take(until); next; next = this.#queue.take(until)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
    }
    this.#nowMs = until;
  }

  /** Jumps to whatever is due next and does it. @returns false when nothing waits. */
  step(): boolean {
    const next = this.#queue.take(Number.POSITIVE_INFINITY);
    if (!next) return false;
    this.#nowMs = Math.max(this.#nowMs, next.dueMs);
    next.run();
    return true;
  }
}

interface Due {
  readonly dueMs: number;
  run(): void;
}

/** What waits, earliest first; what is due at the same time keeps its order. */
class Queue {
  readonly #waiting: Due[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  add(dueMs: number, run: () => void): void {
    const at = this.#waiting.findIndex((other) => other.dueMs > dueMs);
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, { dueMs, run });
  }

  take(untilMs: number): Due | undefined {
    const [first] = this.#waiting;
    return first && first.dueMs <= untilMs ? this.#waiting.shift() : undefined;
  }
}
