import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../src/kernel/log.ts';
import { OutcomeUnknown } from '../../src/lightning/test-network.ts';
import type { Carrier, Listener } from './carrier.ts';
import { type Call, Link } from './link.ts';
import type { FromPlayground, ToPlayground } from './protocol.ts';
import { Standby } from './standby.ts';

export interface SupervisorOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** The worker's file. */
  readonly worker: URL;
}

/** A restart takes about a second. */
const READY_WAIT_MS = 15_000;
const RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;
const CLOSE_WAIT_MS = 10_000;

/**
 * Keeps one worker alive. A worker that breaks is replaced by a new one, which goes on from the last commit; calls that were under way are rejected,
 * because nobody knows whether they were carried out, and new ones wait.
 */
export class Supervisor implements Carrier {
  readonly #options: SupervisorOptions;
  readonly #standby = new Standby(READY_WAIT_MS, 'the Lightning playground is starting again');
  readonly #started = Promise.withResolvers<void>();
  #listener: Listener | undefined;
  #worker: Worker | undefined;
  #exited: Promise<void> = Promise.resolve();
  #closed = false;
  #failuresInARow = 0;
  #lastWords = '';

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** @throws when the worker cannot start, with its reason. */
  async start(listener: Listener): Promise<void> {
    this.#listener = listener;
    const failed = this.#spawn().then(() => 'failed' as const);
    if ((await Promise.race([this.#started.promise, failed])) !== 'failed') return;
    this.#closed = true;
    throw new Error(`the Lightning playground cannot start: ${this.#lastWords || 'its worker ended'}`);
  }

  readonly call: Call = async (command, body) => (await this.#standby.link()).request(command, body);

  /** Ends the worker after what it has been asked; calls after this find the node unavailable. */
  async close(): Promise<void> {
    if (this.#closed) return this.#exited;
    this.#closed = true;
    this.#standby.close();
    this.#post({ type: 'close' });
    const timeout = new AbortController();
    const late = sleep(CLOSE_WAIT_MS, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([this.#exited, late.then(() => this.#worker?.terminate())]);
    timeout.abort();
  }

  #post(message: ToPlayground): void {
    this.#worker?.postMessage(message);
  }

  /** The returned promise resolves when this worker is gone. */
  #spawn(): Promise<void> {
    const { dataDir, worker: file } = this.#options;
    const worker = new Worker(file, { workerData: { dataDir }, name: 'playground' });
    const link = new Link((message) => worker.postMessage(message));
    this.#worker = worker;
    worker.on('message', (message: FromPlayground) => this.#take(link, message));
    worker.on('error', (error) => {
      this.#lastWords = error instanceof Error ? error.message : String(error);
    });
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#standby.down();
        link.break(new OutcomeUnknown('the playground stopped while it was working on this: nobody knows whether it was done'));
        resolve();
        if (!this.#closed) void this.#replace();
      });
    });
    return this.#exited;
  }

  async #replace(): Promise<void> {
    this.#failuresInARow++;
    const delayMs = Math.min(RESTART_DELAY_MS * 2 ** (this.#failuresInARow - 1), MAX_RESTART_DELAY_MS);
    await sleep(delayMs);
    if (this.#closed) return;
    this.#options.log.error({ reason: this.#lastWords, delayMs }, 'the playground broke; starting it again from its last commit');
    void this.#spawn();
  }

  #take(link: Link, message: FromPlayground): void {
    switch (message.type) {
      case 'asks':
      case 'events':
        this.#listener?.news(message);
        break;
      case 'log':
        this.#options.log[message.level](message.fields, message.message);
        break;
      case 'broken':
        this.#lastWords = message.message;
        break;
      case 'ready':
        this.#failuresInARow = 0;
        this.#standby.up(link);
        this.#started.resolve();
        this.#listener?.ready();
        break;
      default:
        link.take(message);
    }
  }
}
