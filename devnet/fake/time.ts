/** The clock of a fake network: real, stepped by a test, or without waiting. */
export interface Time {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Calls `run` after the delay. */
  after(delayMs: number, run: () => void): void;
  /** Calls `run` when a wait times out. Never calls it on a clock without waiting. @returns a function that cancels the timeout. */
  timeout(delayMs: number, run: () => void): () => void;
}

/** The system clock. Its timers do not keep the process running. */
export const realTime: Time = {
  nowMs: () => Date.now(),
  after: (delayMs, run) => void setTimeout(run, delayMs).unref(),
  timeout(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};

/** Returns a clock without waiting: each turn of the event loop runs the queued callback with the shortest delay. */
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

/** A clock that only a test advances. */
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
    let isActive = true;
    this.after(delayMs, () => isActive && run());
    return () => {
      isActive = false;
    };
  }

  /** The number of queued callbacks. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Advances the clock and runs the callbacks that fall due, in order, including those that they schedule. */
  advance(ms: number): void {
    const until = this.#nowMs + ms;
    for (let next = this.#queue.take(until); next; next = this.#queue.take(until)) {
      this.#nowMs = Math.max(this.#nowMs, next.dueMs);
      next.run();
    }
    this.#nowMs = until;
  }

  /** Advances to the next callback and runs it. @returns false if the queue is empty. */
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

/** Callbacks ordered by due time. Callbacks with equal times keep their order. */
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
