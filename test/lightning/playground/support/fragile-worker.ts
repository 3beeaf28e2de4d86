import { parentPort } from 'node:worker_threads';
import type { InvoiceRequest } from '../../../../src/lightning/node.ts';
import type { ToPlayground } from '../../../../src/lightning/playground/protocol.ts';

// The real worker, which also dies in the middle of things when an invoice says so.
parentPort?.on('message', (message: ToPlayground) => {
  if (message.type !== 'request' || message.command !== 'createInvoice') return;
  if ((message.body as InvoiceRequest).description === 'die') throw new Error('unreachable');
});

await import('../../../../src/lightning/playground/worker.ts');
