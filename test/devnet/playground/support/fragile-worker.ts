import { parentPort } from 'node:worker_threads';
import type { ToPlayground } from '../../../../devnet/playground/protocol.ts';
import type { InvoiceRequest } from '../../../../src/lightning/node.ts';

// The real worker, which also dies in the middle of things when an invoice says so.
parentPort?.on('message', (message: ToPlayground) => {
  if (message.type !== 'request' || message.command !== 'createInvoice') return;
  if ((message.body as InvoiceRequest).description === 'die') throw new Error('unreachable');
});

await import('../../../../devnet/playground/worker.ts');
