import { type EventLoopUtilization, performance } from 'node:perf_hooks';

const SAMPLE_MS = 100;
/** Above this share of busy time the rate falls, below the other one it rises. */
const BUSY = 0.9;
const FREE = 0.8;
/** Deliveries per second. A delivery takes one to two milliseconds of the process: the lowest rate costs about 3 % of its time. */
const LOWEST = 20;
const FIRST = 100;
const HIGHEST = 1000;
const FALL = 0.25;
const RISE = 1.4;

/**
 * Limits how many deliveries begin per second. Payments come first: deliveries use the time that the event loop has left, measured over a tenth of
 * a second. Deliveries count as busy time, too, so without payments they take up to nine tenths of it.
 */
export class StartRate {
  #last: EventLoopUtilization = performance.eventLoopUtilization();
  #sampledAt = performance.now();
  #perSecond = FIRST;
  #allowance = 1;

  /** Whether other work leaves little time. */
  get isLow(): boolean {
    return this.perSecond < FIRST;
  }

  /** Measures here, too: while slow receivers occupy all slots, no delivery begins, and the rate must rise again nevertheless. */
  get perSecond(): number {
    this.#sample();
    return this.#perSecond;
  }

  /** Takes the permission to begin a delivery. @returns 0, or the milliseconds after which to ask again */
  take(): number {
    this.#sample();
    if (this.#allowance < 1) return Math.max(1, Math.ceil(((1 - this.#allowance) * 1000) / this.#perSecond));
    this.#allowance -= 1;
    return 0;
  }

  #sample(): void {
    const now = performance.now();
    const elapsedMs = now - this.#sampledAt;
    if (elapsedMs < 1) return;
    this.#allowance = Math.min(this.#allowance + (elapsedMs * this.#perSecond) / 1000, Math.max(1, this.#perSecond / 20));
    this.#sampledAt = now;
    const current = performance.eventLoopUtilization();
    const { active, idle, utilization } = performance.eventLoopUtilization(current, this.#last);
    if (active + idle < SAMPLE_MS) return;
    this.#last = current;
    if (utilization > BUSY) this.#perSecond = Math.max(LOWEST, this.#perSecond * FALL);
    else if (utilization < FREE) this.#perSecond = Math.min(HIGHEST, this.#perSecond * RISE);
  }
}
