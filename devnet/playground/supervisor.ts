import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '../../src/core/kernel/clock.ts';
import { errorMessage, type Log } from '../../src/core/kernel/log.ts';
import { moduleUrl } from '../../src/core/kernel/module-url.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import { OutcomeUnknown, PlaygroundRefusal } from '../test-network.ts';
import type { Call, CommandName, RequestOf, ResponseOf } from './protocol.ts';

/** A command on its way to the worker. The reply carries the same id. */
export interface Command {
  readonly type: 'command';
  readonly id: number;
  /** The name of the service node. */
  readonly node: string;
  readonly name: CommandName;
  readonly request: RequestOf<CommandName>;
}

export type ToWorker = Command | { readonly type: 'close' };

export type Reply =
  | { readonly type: 'response'; readonly id: number; readonly value: unknown }
  /** The command was rejected, and nothing was done. */
  | { readonly type: 'refusal'; readonly id: number; readonly message: string };

export type FromWorker =
  | Reply
  | { readonly type: 'log'; readonly level: keyof Log; readonly fields: object; readonly message: string }
  | { readonly type: 'ready' }
  /** The last message of a worker that failed. */
  | { readonly type: 'broken'; readonly message: string };

export interface SupervisorOptions {
  /** Holds `playground.db`, which only one process may use at a time. */
  readonly dataDir: string;
  readonly log: Log;
  /** Another worker file, for tests of its failure. */
  readonly worker?: URL | undefined;
}

const WORKER = moduleUrl('worker', import.meta.url);
/** A restart takes about a second. */
const READY_WAIT_MS = 15_000;
const RESTART_DELAY_MS = 100;
const MAX_RESTART_DELAY_MS = 10_000;
const CLOSE_WAIT_MS = 10_000;

/**
 * Runs the worker thread. When the worker fails, a new one continues from the last commit. Calls in progress are then rejected with
 * {@link OutcomeUnknown}, and later calls wait for the new worker.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #started = Promise.withResolvers<void>();
  #ready = Promise.withResolvers<Channel>();
  /** Undefined while no worker is ready. */
  #channel: Channel | undefined;
  #worker: Worker | undefined;
  #exited: Promise<void> = Promise.resolve();
  #isClosed = false;
  #failuresInARow = 0;
  #lastError = '';

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** @throws when the worker cannot start, with its reason. */
  async start(): Promise<void> {
    const failed = this.#spawn().then(() => 'failed' as const);
    if ((await Promise.race([this.#started.promise, failed])) !== 'failed') return;
    this.#isClosed = true;
    throw new Error(`the Lightning playground cannot start: ${this.#lastError || 'its worker ended'}`);
  }

  /** Sends commands to a service node. */
  callTo(node: string): Call {
    return async (command, request) => {
      if (this.#isClosed) throw closedError();
      const late = () => new NodeUnavailable('the Lightning playground is restarting');
      const channel = this.#channel ?? (await withTimeout(READY_WAIT_MS, this.#ready.promise, late));
      return await channel.call(node, command, request);
    };
  }

  /** Ends the worker after the commands that were sent to it. Later calls throw {@link NodeUnavailable}. */
  async close(): Promise<void> {
    if (this.#isClosed) return this.#exited;
    this.#isClosed = true;
    // Handled here, because no call may be waiting for it.
    this.#ready.promise.catch(() => undefined);
    this.#ready.reject(closedError());
    this.#worker?.postMessage({ type: 'close' } satisfies ToWorker);
    await withTimeout(CLOSE_WAIT_MS, this.#exited, closedError).catch(() => this.#worker?.terminate());
  }

  /** The returned promise resolves when this worker has ended. */
  #spawn(): Promise<void> {
    const { dataDir, worker: file = WORKER } = this.#options;
    const worker = new Worker(file, { workerData: { dataDir }, name: 'playground' });
    const channel = new Channel((command) => worker.postMessage(command));
    this.#worker = worker;
    worker.on('message', (message: FromWorker) => this.#receive(channel, message));
    worker.on('error', (error) => {
      this.#lastError = errorMessage(error);
    });
    this.#exited = new Promise((resolve) => {
      worker.on('exit', () => {
        this.#channel = undefined;
        if (!this.#isClosed) this.#ready = Promise.withResolvers();
        channel.break();
        resolve();
        if (!this.#isClosed) void this.#replace();
      });
    });
    return this.#exited;
  }

  async #replace(): Promise<void> {
    this.#failuresInARow++;
    const delayMs = Math.min(RESTART_DELAY_MS * 2 ** (this.#failuresInARow - 1), MAX_RESTART_DELAY_MS);
    await sleep(delayMs);
    if (this.#isClosed) return;
    this.#options.log.error({ reason: this.#lastError, delayMs }, 'the playground failed; restarting it from its last commit');
    void this.#spawn();
  }

  #receive(channel: Channel, message: FromWorker): void {
    switch (message.type) {
      case 'log':
        this.#options.log[message.level](message.fields, message.message);
        break;
      case 'broken':
        this.#lastError = message.message;
        break;
      case 'ready':
        this.#failuresInARow = 0;
        this.#channel = channel;
        this.#ready.resolve(channel);
        this.#started.resolve();
        break;
      default:
        channel.receive(message);
    }
  }
}

/** Matches the replies of one worker with the calls to it. */
class Channel {
  readonly #send: (command: Command) => void;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #isBroken = false;

  constructor(send: (command: Command) => void) {
    this.#send = send;
  }

  call<N extends CommandName>(node: string, name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    // The worker may end between a call's wait for it and this line.
    if (this.#isBroken) throw new NodeUnavailable('the Lightning playground failed before this was sent');
    const id = ++this.#lastId;
    this.#send({ type: 'command', id, node, name, request });
    const reply = Promise.withResolvers<unknown>();
    this.#pending.set(id, reply);
    return reply.promise as Promise<ResponseOf<N>>;
  }

  receive(reply: Reply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (reply.type === 'response') pending?.resolve(reply.value);
    else pending?.reject(new PlaygroundRefusal(reply.message));
  }

  break(): void {
    this.#isBroken = true;
    const error = new OutcomeUnknown('the playground stopped before it answered; the outcome is unknown');
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }
}

function closedError(): NodeUnavailable {
  return new NodeUnavailable('the Lightning playground is closed');
}
