import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { initializeWasmFromBinary } from 'lightningdevkit';
import { errorMessage, type Log } from '../../src/core/kernel/log.ts';
import { PlaygroundRefusal } from '../test-network.ts';
import type { Finish } from './commands.ts';
import { Engine } from './engine.ts';
import type { CommandName } from './protocol.ts';
import { openStore } from './store.ts';
import type { Command, FromWorker, Reply, ToWorker } from './supervisor.ts';

if (!parentPort) throw new Error('worker.ts runs as a worker thread');
const port = parentPort;

function send(message: FromWorker): void {
  port.postMessage(message);
}

const log: Log = {
  info: (fields, message) => send({ type: 'log', level: 'info', fields, message }),
  warn: (fields, message) => send({ type: 'log', level: 'warn', fields, message }),
  error: (fields, message) => send({ type: 'log', level: 'error', fields, message }),
};

async function main(dataDir: string): Promise<void> {
  await loadLdk((text) => log.error({ text }, 'LDK panicked or printed something'));
  const store = openStore(dataDir);
  try {
    const loop = new CommandLoop(new Engine(store, log), send);
    port.on('message', (message: ToWorker) => {
      if (message.type === 'close') loop.stop();
      else loop.submit(message);
    });
    send({ type: 'ready' });
    await loop.run();
  } finally {
    // Rolls back an open transaction, and releases the lock for the next worker.
    store.close();
  }
}

/** Larger batches delay their commands, and smaller ones need more commits. */
const MAX_BATCH = 16;
const TIMER_TICK_MS = 60_000;
/** WebAssembly memory is limited to 2 GiB and never shrinks. Three nodes reserve 0.5 GB at the start, each further one 0.15 GB. */
const MAX_EXTERNAL_BYTES = 1.5 * 2 ** 30;
const BATCHES_PER_MEMORY_CHECK = 100;

/** Runs the queued commands in batches, and replies after the commit of their batch. */
class CommandLoop {
  readonly #engine: Engine;
  readonly #reply: (reply: Reply) => void;
  readonly #queue: Command[] = [];
  #wake = Promise.withResolvers<void>();
  #stopped = false;
  #timerDue = false;
  #batches = 0;

  constructor(engine: Engine, reply: (reply: Reply) => void) {
    this.#engine = engine;
    this.#reply = reply;
  }

  submit(command: Command): void {
    this.#queue.push(command);
    this.#wake.resolve();
  }

  /** Ends {@link run} after the queued commands. */
  stop(): void {
    this.#stopped = true;
    this.#wake.resolve();
  }

  /** @throws when the worker must restart from its last commit. */
  async run(): Promise<void> {
    const timer = setInterval(() => {
      this.#timerDue = true;
      this.#wake.resolve();
    }, TIMER_TICK_MS);
    try {
      while (!this.#stopped || this.#queue.length > 0) {
        if (this.#queue.length === 0 && !this.#timerDue) await this.#wake.promise;
        this.#wake = Promise.withResolvers();
        // Lets more commands arrive for this batch. Finalizers, which free WebAssembly memory, also need a turn of the event loop.
        await nextTurn();
        this.#run(this.#queue.splice(0, MAX_BATCH));
      }
    } finally {
      clearInterval(timer);
    }
  }

  #run(commands: Command[]): void {
    const replies: (() => void)[] = [];
    this.#engine.run(() => {
      if (this.#timerDue) this.#engine.timerTick();
      this.#timerDue = false;
      for (const command of commands) replies.push(this.#start(command));
    });
    for (const reply of replies) reply();
    if (++this.#batches % BATCHES_PER_MEMORY_CHECK === 0 && process.memoryUsage().external > MAX_EXTERNAL_BYTES) {
      throw new Error('WebAssembly uses too much memory');
    }
  }

  /** Starts a command. Returns a function that replies to it, to be called after the commit. */
  #start({ id, node, name, request }: Command): () => void {
    let finish: Finish<CommandName>;
    try {
      const handler = this.#engine.handlersOf(node)[name] as ((ask: unknown) => Finish<CommandName>) | undefined;
      if (!handler) throw new PlaygroundRefusal('there is no such command');
      finish = handler(request);
    } catch (error) {
      // After any other error a change may be incomplete, so the whole batch is rolled back.
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

/**
 * Loads LDK's WebAssembly, which takes about 70 ms. LDK writes to the console: a banner when it is loaded, and the text of a Rust panic. The
 * banner is dropped, and later text is passed to `onPrint` to keep it out of the service's standard output.
 */
async function loadLdk(onPrint: (text: string) => void): Promise<void> {
  const path = createRequire(import.meta.url).resolve('lightningdevkit/liblightningjs.wasm');
  console.log = () => {};
  await initializeWasmFromBinary(readFileSync(path));
  console.log = (...parts: unknown[]) => onPrint(parts.map(String).join(' '));
  console.error = console.log;
}

let exitCode = 0;
try {
  await main((workerData as { dataDir: string }).dataDir);
} catch (error) {
  exitCode = 1;
  send({ type: 'broken', message: errorMessage(error) });
}
// LDK's state cannot be trusted after an error, so the thread ends and a new one restarts from the last commit.
process.exit(exitCode);
