import type { NodeConnection } from '../../core/connection/connection.ts';
import { withTimeout } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { takeTurn } from '../../core/kernel/turns.ts';
import type { LightningNode } from '../../core/lightning/node.ts';

/** A response of the node, or the reason why there is none. A missing response is never interpreted as "no" or as zero. */
export type NodeAnswer<T> = { readonly answered: true; readonly value: T } | { readonly answered: false; readonly reason: string };

export interface ProbeTiming {
  /** The time limit of one call. */
  readonly answerMs: number;
  /** The number of concurrent calls. */
  readonly atOnce: number;
  /** After so many consecutive calls without a response, no more calls are made. */
  readonly patience: number;
  /** The wait before a difference is measured again. */
  readonly againMs: number;
  /** The wait before an increase of the node's balance is measured again. Money that arrived is booked by then. */
  readonly arrivalMs: number;
}

/** The reason of all calls that are cut short when the service stops. */
export const STOPPING = 'the service is stopping';

const TIMING: ProbeTiming = { answerMs: 5000, atOnce: 8, patience: 5, againMs: 250, arrivalMs: 5000 };

/** Calls the node for one reconciliation: with few concurrent calls, a time limit, and an end after repeated failures. */
export class NodeProbe {
  readonly timing: ProbeTiming;
  readonly #connection: NodeConnection;
  readonly #signal: AbortSignal;
  readonly #ended: Promise<never>;
  #unanswered = 0;
  #stopReason: string | undefined;

  constructor(connection: NodeConnection, signal: AbortSignal, timing: Partial<ProbeTiming> = {}) {
    this.timing = { ...TIMING, ...timing };
    this.#connection = connection;
    this.#signal = signal;
    this.#ended = new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error(STOPPING)), { once: true }));
    this.#ended.catch(() => undefined);
  }

  /** The reason why no more calls are made; undefined while the node answers. */
  get stopReason(): string | undefined {
    return this.#signal.aborted ? STOPPING : this.#stopReason;
  }

  async call<T>(call: (node: LightningNode) => Promise<T>): Promise<NodeAnswer<T>> {
    if (this.stopReason !== undefined) return { answered: false, reason: this.stopReason };
    // What is compared after many responses that arrive together is done in parts.
    await takeTurn();
    try {
      const value = await withTimeout(
        this.timing.answerMs,
        Promise.race([this.#connection.call(call), this.#ended]),
        () => new Error(`no response within ${this.timing.answerMs} ms`),
      );
      this.#unanswered = 0;
      return { answered: true, value };
    } catch (error) {
      const reason = errorMessage(error);
      this.#unanswered += 1;
      if (this.#unanswered >= this.timing.patience) this.#stopReason = reason;
      return { answered: false, reason };
    }
  }

  /** Calls `work` for each item, a few at the same time. */
  async each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const rest = items.values();
    const worker = async () => {
      for (const item of rest) await work(item);
    };
    await Promise.all(Array.from({ length: Math.min(this.timing.atOnce, items.length) }, worker));
  }
}
