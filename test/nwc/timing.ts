import type { JobTiming } from '../../src/jobs.ts';
import type { Json } from '../support/client.ts';
import type { NwcApp } from '../support/nwc.ts';

/** Short waits for suites with connected apps. */
export const QUICK: JobTiming = {
  nwc: { pollMs: 50, checkMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 100, answerMs: 1000, storedMs: 1000, idleMs: 300 } },
};

/** Returns the code of the error that answers a request; undefined for a result. */
export async function codeOf(app: NwcApp, method: string, params?: object): Promise<string | undefined> {
  const { error, result }: Json = await app.call(method, params);
  if ((error === undefined) === (result === undefined)) throw new Error('a response has either a result or an error');
  return error?.code;
}
