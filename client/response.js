import { ConnectionError, SatchelError } from './errors.js';

/** Calls `work`, which sends a request, and throws ConnectionError for the errors of `fetch`; the reason of the signal when it has aborted. */
export async function withConnectionErrors(signal, work) {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    if (error instanceof SatchelError || error instanceof ConnectionError) throw error;
    const message = error?.name === 'TimeoutError' ? 'The request timed out.' : `The connection failed (${error?.message ?? error}).`;
    throw new ConnectionError(message, { cause: error });
  }
}

/**
 * Returns the body of a response. What a proxy sends in place of the service is never a result. @throws SatchelError, ConnectionError
 */
export async function readResponse(response, { isText, isEmpty, hasOwnError } = {}) {
  const { status, headers } = response;
  const text = await response.text();
  const body = /^application\/json\b/.test(headers.get('content-type') ?? '') ? parseJson(text) : undefined;
  if (response.ok && (isText || isEmpty)) return isText ? text : undefined;
  const retryAfterSeconds = secondsUntil(headers.get('retry-after'));
  if (!response.ok && typeof body?.type === 'string') throw new SatchelError(status, body, retryAfterSeconds);
  if (body !== undefined && (response.ok || hasOwnError)) return body;
  throw new ConnectionError(`The response with status ${status} is not from Satchel.`, { retryAfterSeconds });
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reads `Retry-After`, which is a number of seconds or a date. */
function secondsUntil(text) {
  const seconds = /^\d+$/.test(text ?? '') ? Number(text) : (Date.parse(text ?? '') - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}

/** @throws the reason of the signal when it aborts. */
export function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
