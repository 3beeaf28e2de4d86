import type { FastifyRequest } from 'fastify';
import { callerOf } from './callers.ts';

/**
 * Lets long work begin one by one: one in each cycle of the event loop, so that other requests wait for at most one of them. Callers take turns,
 * so that one with many requests does not delay the others.
 */
export class FairTurns {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Waits for the turn of a caller. */
  next(caller: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.size === 0) setImmediate(() => this.#grant());
      const own = this.#waiting.get(caller);
      if (own) own.push(resolve);
      else this.#waiting.set(caller, [resolve]);
    });
  }

  /** Grants a turn to the next caller, then moves that caller behind all others. */
  #grant(): void {
    for (const [caller, own] of this.#waiting) {
      own.shift()?.();
      this.#waiting.delete(caller);
      if (own.length > 0) this.#waiting.set(caller, own);
      break;
    }
    if (this.#waiting.size > 0) setImmediate(() => this.#grant());
  }
}

const lists = new FairTurns();

/** Waits until a request may read a list. A page takes milliseconds of the only thread. */
export function listTurn(request: FastifyRequest): Promise<void> {
  return lists.next(callerOf(request).name);
}
