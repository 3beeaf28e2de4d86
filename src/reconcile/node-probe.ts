import { withTimeout } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';

/** What the node said, or that it did not say anything: silence is never read as "no" or as zero. */
export type NodeAnswer<T> = { readonly answered: true; readonly value: T } | { readonly answered: false; readonly reason: string };

export interface ProbeTiming {
  /** How long one question may take. */
  readonly answerMs: number;
  /** Questions under way at once. */
  readonly atOnce: number;
  /** After so many questions in a row without an answer, nothing is asked any more. */
  readonly patience: number;
  /** How long what looks wrong is left alone before it is looked at again. */
  readonly againMs: number;
  /** How long an increase of the node's balance is left alone before it is taken for the node's own: money that arrived is booked by then. */
  readonly arrivalMs: number;
}

/** Nobody waits for the node then. */
export const ENDING = 'the service is ending';

const TIMING: ProbeTiming = { answerMs: 5000, atOnce: 8, patience: 5, againMs: 250, arrivalMs: 5000 };

/** Questions the node for one reconciliation: a few at once, each for a limited time, and none any more once it has gone silent. */
export class NodeProbe {
  readonly timing: ProbeTiming;
  readonly #signal: AbortSignal;
  readonly #ended: Promise<never>;
  #unanswered = 0;
  #silence: string | undefined;

  constructor(signal: AbortSignal, timing: ProbeTiming = TIMING) {
    this.timing = timing;
    this.#signal = signal;
    this.#ended = new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(ENDING)), { once: true }));
    this.#ended.catch(() => undefined);
  }

  /** Why nothing is asked any more; undefined while the node answers. */
  get silence(): string | undefined {
    return this.#signal.aborted ? ENDING : this.#silence;
  }

  async ask<T>(question: () => Promise<T>): Promise<NodeAnswer<T>> {
    if (this.silence !== undefined) return { answered: false, reason: this.silence };
    try {
      const value = await withTimeout(
        this.timing.answerMs,
        Promise.race([question(), this.#ended]),
        () => new Error(`no answer within ${this.timing.answerMs} ms`),
      );
      this.#unanswered = 0;
      return { answered: true, value };
    } catch (error) {
      const reason = errorMessage(error);
      this.#unanswered += 1;
      if (this.#unanswered >= this.timing.patience) this.#silence = reason;
      return { answered: false, reason };
    }
  }

  /** Does something for each of them, a few at once. */
  async each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const rest = items.values();
    const hand = async () => {
      for (const item of rest) await work(item);
    };
    await Promise.all(Array.from({ length: Math.min(this.timing.atOnce, items.length) }, hand));
  }
}
