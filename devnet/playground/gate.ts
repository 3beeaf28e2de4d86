import { setTimeout as sleep } from 'node:timers/promises';
import { errorMessage, type Log } from '../../src/kernel/log.ts';
import type { IncomingGuard } from '../../src/lightning/node.ts';
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
    if (!this.#guard) return;
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
      const decision = await this.#askGuard(guard, ask);
      // Deciding what was decided already does nothing, so an answer that may be lost is simply given again.
      if (decision && (await this.#tell(ask, decision))) return;
      if (!this.#closed) await sleep(RETRY_MS, undefined, { ref: false });
    }
  }

  async #askGuard(guard: IncomingGuard, { incoming }: Ask): Promise<'claim' | 'refuse' | undefined> {
    try {
      return await guard(incoming);
    } catch (error) {
      const fields = { paymentHash: incoming.paymentHash, error: errorMessage(error) };
      if (!this.#closed) this.#log.warn(fields, 'an incoming payment waits: its guard failed');
      return undefined;
    }
  }

  /** False when the playground is away; that is told elsewhere. */
  #tell({ askId }: Ask, decision: 'claim' | 'refuse'): Promise<boolean> {
    return this.#call('decide', { askId, decision }).then(
      () => true,
      () => false,
    );
  }
}
