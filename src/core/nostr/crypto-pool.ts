import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../kernel/module-url.ts';
import type { CryptoResult, CryptoTask, EventToOpen, EventToSeal } from './crypto-worker.ts';
import type { EventTemplate, NostrEvent } from './event.ts';

export type { EncryptionScheme, EventToOpen, EventToSeal } from './crypto-worker.ts';

/** Too many tasks wait, or the pool is closed. The task was not run. */
export class NostrCryptoBusy extends Error {
  override readonly name = 'NostrCryptoBusy';
}

interface NostrCryptoOptions {
  /** Worker threads. They start when they are needed. Default: one less than the processors, 1 or 2. */
  readonly threads?: number;
  /** Tasks of each urgency that may wait. Each takes 2 to 5 ms. Default: 1,000. */
  readonly maxWaiting?: number;
}

/** The cryptography of events, in worker threads: 5 ms for each request would delay every other request of the service. */
export type NostrCrypto = ReturnType<typeof createNostrCrypto>;

/** `later`: tasks for which no client waits, such as notifications. */
export type Urgency = 'now' | 'later';

interface WaitingTask {
  readonly task: CryptoTask;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Every method rejects with NostrCryptoBusy if too many tasks wait. */
export function createNostrCrypto({ threads = defaultThreads(), maxWaiting = 1000 }: NostrCryptoOptions = {}) {
  /** Those of `later` run when no other one waits. */
  const waiting: Record<Urgency, WaitingTask[]> = { now: [], later: [] };
  const workers = new Set<CryptoThread>();
  let isClosed = false;

  function run(task: CryptoTask, urgency: Urgency = 'now'): Promise<unknown> {
    if (isClosed) return Promise.reject(new NostrCryptoBusy('the cryptography of Nostr is stopped'));
    if (waiting[urgency].length >= maxWaiting) return Promise.reject(new NostrCryptoBusy('too many events wait for their cryptography'));
    return new Promise((resolve, reject) => {
      waiting[urgency].push({ task, resolve, reject });
      dispatch();
    });
  }

  function dispatch(): void {
    while (waiting.now.length + waiting.later.length > 0) {
      const idle = Array.from(workers).find((one) => !one.isBusy()) ?? addWorker();
      const next = idle && (waiting.now.shift() ?? waiting.later.shift());
      if (!next) return;
      idle.run(next);
    }
  }

  function addWorker(): CryptoThread | undefined {
    if (workers.size >= threads) return undefined;
    const added = startThread({
      onIdle: dispatch,
      onEnd: () => {
        workers.delete(added);
        if (!isClosed) dispatch();
      },
    });
    workers.add(added);
    return added;
  }

  return {
    /** Verifies the signature of an event, then decrypts its content. @returns undefined if either is invalid */
    open(event: EventToOpen): Promise<string | undefined> {
      return run({ type: 'open', ...event }) as Promise<string | undefined>;
    },

    /** Encrypts the content of an event, and signs it. @throws Error for an invalid public key or a text that is too long */
    seal(event: EventToSeal, urgency?: Urgency): Promise<NostrEvent> {
      return run({ type: 'seal', ...event }, urgency) as Promise<NostrEvent>;
    },

    sign(template: EventTemplate, secretKey: Uint8Array, urgency?: Urgency): Promise<NostrEvent> {
      return run({ type: 'sign', template, secretKey }, urgency) as Promise<NostrEvent>;
    },

    /** Returns whether the id is that of the event and its author signed it. */
    verify(event: NostrEvent): Promise<boolean> {
      return run({ type: 'verify', event }) as Promise<boolean>;
    },

    /** Stops the threads. Tasks that have not ended reject. */
    async close(): Promise<void> {
      isClosed = true;
      for (const { reject } of [...waiting.now.splice(0), ...waiting.later.splice(0)])
        reject(new NostrCryptoBusy('the cryptography of Nostr is stopped'));
      await Promise.all(Array.from(workers, (worker) => worker.stop()));
    },
  };
}

interface CryptoThread {
  isBusy(): boolean;
  run(task: WaitingTask): void;
  stop(): Promise<unknown>;
}

/** Starts a thread, which runs one task at a time. */
function startThread({ onIdle, onEnd }: { readonly onIdle: () => void; readonly onEnd: () => void }): CryptoThread {
  const worker = new Worker(moduleUrl('crypto-worker', import.meta.url));
  let current: WaitingTask | undefined;
  worker.on('message', (result: CryptoResult) => {
    const ended = current;
    current = undefined;
    worker.unref();
    if ('error' in result) ended?.reject(new Error(result.error));
    else ended?.resolve(result.value);
    onIdle();
  });
  let failure: Error | undefined;
  worker.on('error', (error: Error) => {
    failure = error;
  });
  worker.on('exit', () => {
    current?.reject(new Error('a thread for the cryptography of Nostr ended', { cause: failure }));
    current = undefined;
    onEnd();
  });
  return {
    isBusy: () => current !== undefined,
    run(task) {
      current = task;
      // Only a running task keeps the process alive.
      worker.ref();
      worker.postMessage(task.task);
    },
    stop: () => worker.terminate(),
  };
}

function defaultThreads(): number {
  return Math.min(2, Math.max(1, availableParallelism() - 1));
}
