import { parentPort } from 'node:worker_threads';
import type { ToWorker } from '../../../../devnet/playground/supervisor.ts';
import type { InvoiceRequest } from '../../../../src/core/lightning/node.ts';

// The real worker, which also crashes in the middle of a command when an invoice requests it.
parentPort?.on('message', (message: ToWorker) => {
  if (message.type !== 'command' || message.name !== 'createInvoice') return;
  if ((message.request as InvoiceRequest).description === 'die') throw new Error('unreachable');
});

await import('../../../../devnet/playground/worker.ts');
