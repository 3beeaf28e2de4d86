/** The service responded with its error object. */
export class SatchelError extends Error {
  name = 'SatchelError';

  constructor(status, body, retryAfterSeconds) {
    super(body.message);
    this.status = status;
    this.type = body.type;
    this.requestId = body.request_id;
    this.walletTransactionId = body.wtx_id;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns the body of a response. @throws SatchelError */
export async function readResponse(response) {
  const text = await response.text();
  if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) {
    if (response.ok) return text === '' ? undefined : text;
    throw new Error(`The response with status ${response.status} is not from Satchel.`);
  }
  const body = JSON.parse(text);
  if (response.ok || typeof body?.type !== 'string') return body;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  throw new SatchelError(response.status, body, Number.isNaN(seconds) ? undefined : seconds);
}

/** Returns whether a request may succeed when it is repeated: after a lost connection, a 5xx and a 429. */
export function isTemporary(error) {
  return !(error instanceof SatchelError) || error.status >= 500 || error.status === 429;
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
