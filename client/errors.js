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

/** No response of the service arrived. `cause` is the error of `fetch`. */
export class ConnectionError extends Error {
  name = 'ConnectionError';

  constructor(message, { cause, retryAfterSeconds } = {}) {
    super(message, { cause });
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Returns whether a request may succeed when it is repeated: after a lost connection, a 5xx and a 429. */
export function isTemporary(error) {
  return error instanceof ConnectionError || (error instanceof SatchelError && (error.status >= 500 || error.status === 429));
}
