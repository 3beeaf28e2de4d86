import { parentPort, workerData } from 'node:worker_threads';
import { errorMessage, type Log } from '../../src/kernel/log.ts';
import { Engine } from './engine.ts';
import { loadLdk } from './load-ldk.ts';
import { Pump } from './pump.ts';
import { openStore } from './store.ts';
import type { FromWorker, ToWorker } from './supervisor.ts';

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
    const pump = new Pump(new Engine(store, log), send);
    port.on('message', (message: ToWorker) => {
      if (message.type === 'close') pump.stop();
      else pump.submit(message);
    });
    send({ type: 'ready' });
    await pump.run();
  } finally {
    // Rolls back what was not committed, and frees the lock for the next worker.
    store.close();
  }
}

let exitCode = 0;
try {
  await main((workerData as { dataDir: string }).dataDir);
} catch (error) {
  exitCode = 1;
  send({ type: 'broken', message: errorMessage(error) });
}
// LDK's state is not to be trusted after an error, so the thread goes, and a new one begins from the last commit.
process.exit(exitCode);
