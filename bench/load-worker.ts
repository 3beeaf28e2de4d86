import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { LoadOrder, LoadResult } from './load.ts';

/** Sends load to a local port from a worker thread. @throws when a request was refused, unless `mayBeRefused`. */
export async function load(order: LoadOrder): Promise<LoadResult> {
  const worker = new Worker(new URL('./load.ts', import.meta.url), { workerData: order });
  const [result] = (await once(worker, 'message')) as [LoadResult];
  await worker.terminate();
  if (result.refused > 0 && !order.mayBeRefused) throw new Error(`${result.refused} requests were refused`);
  return result;
}
