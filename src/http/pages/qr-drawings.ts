import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { FastifyRequest } from 'fastify';
import { moduleUrl } from '../../core/kernel/module-url.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { callerOf } from '../limits/callers.ts';
import { FairQueue } from '../limits/fair-queue.ts';
import type { QrDrawing, QrOrder } from './qr-worker.ts';

/** Each takes 10 to 40 ms, so the last one waits for up to ten seconds. */
const MAX_WAITING = 250;

const queue = new FairQueue({
  maxAtOnce: 1,
  maxWaiting: MAX_WAITING,
  full: () => new Refusal('rate_limited', 'Too many QR codes are requested right now. Try again shortly.'),
});

/** Starts with the first drawing, and again after it failed. */
let worker: Worker | undefined;

/** Draws a QR code in a worker, because a large one takes 40 ms. Callers take turns. @throws Refusal `rate_limited` if too many wait */
export async function drawQr(request: FastifyRequest, order: QrOrder): Promise<string | Uint8Array> {
  const drawing = await queue.run({ groups: [callerOf(request).payer] }, () => drawInWorker(order));
  if (drawing === null) throw new Error('the text does not fit into a QR code');
  return drawing;
}

async function drawInWorker(order: QrOrder): Promise<QrDrawing> {
  worker ??= startWorker();
  worker.postMessage(order);
  const [drawing] = (await once(worker, 'message')) as [QrDrawing];
  return drawing;
}

function startWorker(): Worker {
  const started = new Worker(moduleUrl('qr-worker', import.meta.url));
  started.on('error', () => {
    worker = undefined;
  });
  // The process may end while it waits for drawings.
  started.unref();
  return started;
}
