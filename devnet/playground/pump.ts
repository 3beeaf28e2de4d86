import { setImmediate } from 'node:timers/promises';
import { errorMessage } from '../../src/kernel/log.ts';
import { PlaygroundRefusal } from '../../src/lightning/test-network.ts';
import type { Engine } from './engine.ts';
import type { Finish } from './handlers.ts';
import type { CommandName } from './protocol.ts';
import type { Command, Reply } from './supervisor.ts';

/** More commands in one slice make every one of them wait longer; fewer make more commits. */
const BATCH = 16;
const TIMER_TICK_MS = 60_000;
/** WebAssembly ends at 2 GiB and never shrinks; three nodes have reserved 0.5 GB from the start. */
const MAX_EXTERNAL_BYTES = 1.2 * 2 ** 30;
const SLICES_PER_MEMORY_CHECK = 100;

/** The loop that owns the engine: takes what has queued up, runs it as one slice, answers. */
export class Pump {
  readonly #engine: Engine;
  readonly #reply: (reply: Reply) => void;
  readonly #queue: Command[] = [];
  #wake = Promise.withResolvers<void>();
  #stopped = false;
  #timerDue = false;
  #slices = 0;

  constructor(engine: Engine, reply: (reply: Reply) => void) {
    this.#engine = engine;
    this.#reply = reply;
  }

  submit(command: Command): void {
    this.#queue.push(command);
    this.#wake.resolve();
  }

  /** Lets {@link run} end after what is queued. */
  stop(): void {
    this.#stopped = true;
    this.#wake.resolve();
  }

  /** @throws when the worker must start again from its last commit. */
  async run(): Promise<void> {
    const timer = setInterval(() => {
      this.#timerDue = true;
      this.#wake.resolve();
    }, TIMER_TICK_MS);
    try {
      while (!this.#stopped || this.#queue.length > 0) {
        if (this.#queue.length === 0 && !this.#timerDue) await this.#wake.promise;
        this.#wake = Promise.withResolvers();
        // Lets more commands arrive for this slice, and finalizers run: they free WebAssembly memory, and only when the event loop turns.
        await setImmediate();
        this.#slice(this.#queue.splice(0, BATCH));
      }
    } finally {
      clearInterval(timer);
    }
  }

  #slice(commands: Command[]): void {
    const ends: (() => void)[] = [];
    this.#engine.slice(() => {
      if (this.#timerDue) this.#engine.timerTick();
      this.#timerDue = false;
      for (const command of commands) ends.push(this.#begin(command));
    });
    for (const end of ends) end();
    if (++this.#slices % SLICES_PER_MEMORY_CHECK === 0 && process.memoryUsage().external > MAX_EXTERNAL_BYTES) {
      throw new Error('WebAssembly has taken too much memory');
    }
  }

  /** Returns what is to be done for the command after the commit. */
  #begin({ id, name, request }: Command): () => void {
    let finish: Finish<CommandName>;
    try {
      const handler = this.#engine.handlers[name] as ((ask: unknown) => Finish<CommandName>) | undefined;
      if (!handler) throw new PlaygroundRefusal('there is no such command');
      finish = handler(request);
    } catch (error) {
      // Whatever else a handler throws may have left half a change behind: the whole slice must go.
      if (!(error instanceof PlaygroundRefusal)) throw error;
      return () => this.#reply({ type: 'refusal', id, message: errorMessage(error) });
    }
    return () => {
      const value = finish();
      if (value instanceof Promise) void value.then((late) => this.#reply({ type: 'response', id, value: late }));
      else this.#reply({ type: 'response', id, value });
    };
  }
}
