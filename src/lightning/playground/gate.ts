import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, type Log } from '../../kernel/log.ts';
import type { IncomingGuard } from '../node.ts';
import type { Call } from './link.ts';
import type { Ask } from './protocol.ts';

const RETRY_MS = 500;

/** Asks the guard about every payment at the hub's door, once at a time each, until it has an answer. */
export class Gate {
  readonly #call: Call;
  readonly #log: Log;
  readonly #inHand = new Set<number>();
  #guard: IncomingGuard | undefined;
  #closed = false;

  constructor(call: Call, log: Log) {
    this.#call = call;
    this.#log = log;
  }

  /** From now on this guard decides, also of what is waiting. */
  setGuard(guard: IncomingGuard): void {
    this.#guard = guard;
    void this.askAgain();
  }

  /** Puts everything that waits before the guard: after a new guard, and after a new worker. */
  async askAgain(): Promise<void> {
    const asks = await this.#call('openAsks', null).catch(() => []);
    this.take(asks);
  }

  take(asks: readonly Ask[]): void {
    // Without a guard they wait; setting one asks for them.
    const guard = this.#guard;
    if (!guard) return;
    for (const ask of asks) {
      if (this.#inHand.has(ask.askId)) continue;
      this.#inHand.add(ask.askId);
      void this.#decide(guard, ask).finally(() => this.#inHand.delete(ask.askId));
    }
  }

  close(): void {
    this.#closed = true;
  }

  async #decide(guard: IncomingGuard, ask: Ask): Promise<void> {
    while (!this.#closed) {
      try {
        const decision = await guard(ask.incoming);
        // Deciding what was decided already does nothing, so a lost answer is simply given again.
        await this.#call('decide', { askId: ask.askId, decision });
        return;
      } catch (error) {
        if (this.#closed) return;
        this.#log.warn(
          { paymentHash: ask.incoming.paymentHash, error: errorMessage(error) },
          'an incoming payment waits: its guard failed',
        );
        await sleep(RETRY_MS, undefined, { ref: false });
      }
    }
  }
}
