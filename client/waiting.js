import { isTemporary } from './errors.js';
import { pause } from './response.js';

const DEFAULT_WAIT_SECONDS = 120;
/** Less than the timeout of most proxies. */
const ONE_WAIT_SECONDS = 30;
/** A status that a later version adds is not the end. */
const ENDED = new Set(['settled', 'failed', 'expired', 'cancelled']);

/**
 * Returns an invoice or a payment as soon as it has ended: the service sends its response then, so that nothing is polled. At the timeout it is
 * returned as it is: a payment that has not ended has not failed.
 */
export async function waitForEnd(read, { timeoutSeconds = DEFAULT_WAIT_SECONDS, signal } = {}) {
  const deadline = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    const began = Date.now();
    const wait = Math.min(Math.ceil((deadline - began) / 1000), ONE_WAIT_SECONDS);
    try {
      const transaction = await read(wait > 0 ? { wait } : {}, { signal, maxRetries: 0 });
      if (ENDED.has(transaction.status) || Date.now() >= deadline) return transaction;
    } catch (error) {
      if (signal?.aborted || !isTemporary(error) || Date.now() >= deadline) throw error;
    }
    // The service responds at once when too many requests wait.
    await pause(Math.max(0, began + 1000 - Date.now()), signal);
  }
}
