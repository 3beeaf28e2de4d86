import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../kernel/log.ts';
import { NodeUnavailable } from '../node.ts';
import { type Call, Link } from './link.ts';
import type { Ask, FromPlayground, ToPlayground } from './protocol.ts';

export interface SupervisorOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** The worker's file. */
  readonly worker: URL;
}

/** What the worker says unasked, and that there is one, the first or a new one. */
export interface Listener {
  asks(asks: readonly Ask[]): void;
  events(newest: number): void;
  started(): void;
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
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #listener: Listener;
  #worker: Worker | undefined;
  #exited: Promise<void> = Promise.resolve();
  #ready = Promise.withResolvers<Link>();
  /** The link of a worker that is ready. */
  #live: Link | undefined;
  #closed = false;
  #failuresInARow = 0;
  #lastWords = '';

  constructor(options: SupervisorOptions, listener: Listener) {
    this.#options = options;
    this.#listener = listener;
  }

  /** @throws when the worker cannot start, with its reason. */
  async start(): Promise<void> {
    const exited = this.#spawn();
    const first = await Promise.race([this.#ready.promise, exited]);
    if (first instanceof Link) return;
    this.#closed = true;
    throw new Error(`the Lightning playground cannot start: ${this.#lastWords || 'its worker ended'}`);
  }

  readonly call: Call = async (command, body) => {
    const link = await this.#link();
    return link.request(command, body);
  };

  /** Ends the worker after what it has been asked; calls after this find the node unavailable. */
  async close(): Promise<void> {
    if (this.#closed) return this.#exited;
    this.#closed = true;
    this.#post({ type: 'close' });
    const timeout = new AbortController();
    const late = sleep(CLOSE_WAIT_MS, undefined, { signal: timeout.signal }).catch(() => undefined);
    await Promise.race([this.#exited, late.then(() => this.#worker?.terminate())]);
    timeout.abort();
  }

  async #link(): Promise<Link> {
    if (this.#closed) throw new NodeUnavailable('the Lightning playground is closed');
    if (this.#live) return this.#live;
    const timeout = new AbortController();
    const late = sleep(READY_WAIT_MS, undefined, { signal: timeout.signal, ref: false }).catch(() => undefined);
    try {
      const link = await Promise.race([this.#ready.promise, late]);
      if (!link || this.#closed) throw new NodeUnavailable('the Lightning playground is starting again');
      return link;
    } finally {
      timeout.abort();
    }
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
        this.#live = undefined;
        link.break(new Error('the playground stopped while it was working on this: nobody knows whether it was done'));
        resolve();
        if (!this.#closed) void this.#replace();
      });
    });
    return this.#exited;
  }

  async #replace(): Promise<void> {
    const wasReady = this.#failuresInARow === 0;
    this.#failuresInARow++;
    const delayMs = Math.min(RESTART_DELAY_MS * 2 ** (this.#failuresInARow - 1), MAX_RESTART_DELAY_MS);
    if (wasReady) this.#ready = Promise.withResolvers();
    await sleep(delayMs);
    if (this.#closed) return;
    this.#options.log.error({ reason: this.#lastWords, delayMs }, 'the playground broke; starting it again from its last commit');
    void this.#spawn();
  }

  #take(link: Link, message: FromPlayground): void {
    switch (message.type) {
      case 'answer':
      case 'refusal':
        link.take(message);
        break;
      case 'asks':
        this.#listener.asks(message.asks);
        break;
      case 'events':
        this.#listener.events(message.newest);
        break;
      case 'log':
        this.#options.log[message.level](message.fields, message.message);
        break;
      case 'broken':
        this.#lastWords = message.message;
        break;
      case 'ready':
        this.#failuresInARow = 0;
        this.#live = link;
        this.#ready.resolve(link);
        this.#listener.started();
        break;
    }
  }
}
