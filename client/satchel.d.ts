import type { ErrorType, Event, LightningTransactionDetails, Operations } from './operations.js';

export type * from './operations.js';

declare global {
  // Projects without the types of browsers or of Node have no AbortSignal. For all others this adds nothing.
  interface AbortSignal {}
}

/** A response, as `fetch` returns it. */
export interface ClientResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
  text(): Promise<string>;
}

/** The options with which the client calls `fetch`. */
export interface ClientRequest {
  readonly method?: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface ConnectionOptions {
  /** The address of the service: `https://wallets.example.com`. */
  readonly url: string;
  /** An API key or a wallet access key. */
  readonly key?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: (url: string, request: ClientRequest) => Promise<ClientResponse>;
}

interface RetryOptions {
  /** The time limit of each attempt. Default: 90,000. */
  readonly timeoutMs?: number;
  /**
   * How often a request is repeated after a lost connection, a timeout, a 429 or a 5xx. Default: 2. The pauses grow, and are never shorter than
   * `Retry-After`. If it is above 60 seconds, the error is thrown at once. A request that changes something and takes no Idempotency-Key is
   * repeated only after a 429 and a 503.
   */
  readonly maxRetries?: number;
}

export interface ClientOptions extends ConnectionOptions, RetryOptions {}

export interface RequestOptions extends RetryOptions {
  /**
   * Identifies the request: a repeated request with the same key is not executed twice, also after a restart of your program. Default: a random
   * key for each call. All retries of the call send it, and its error contains it.
   */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Is called with the response of the last attempt: its status, and headers like `X-Pagination-Total-Count`. */
  onResponse?(response: ClientResponse): void;
}

export interface SatchelClient extends Operations<RequestOptions> {
  readonly events: Operations<RequestOptions>['events'] & {
    /**
     * Yields events as they happen. When the connection is lost, it connects again and continues after the last event. Throws `SatchelError`
     * for a request that cannot succeed, such as `cursor_expired`.
     */
    stream(options?: EventOptions): AsyncGenerator<Event, never, undefined>;
  };
  readonly lightningTransactions: Operations<RequestOptions>['lightningTransactions'] & {
    /**
     * Returns an invoice or a payment as soon as it has ended (`settled`, `failed`, `expired` or `cancelled`), without polling. At the timeout
     * it is returned as it is: a payment that has not ended has not failed. Repeats a request that failed because of a lost connection, a 429
     * or a 5xx.
     * @param id `lntx_…`, or a payment hash
     */
    wait(id: string, options?: WaitOptions): Promise<LightningTransactionDetails>;
  };
}

/**
 * A client with one method for each operation of the API, in groups: `satchel.wallets.create(…)`. A method takes the parameters of the path, an
 * object with all other fields, and the options of the request. A call throws `SatchelError` when the service responds with an error, and
 * `ConnectionError` when no valid response arrived.
 */
export function createClient(options: ClientOptions): SatchelClient;

export interface WaitOptions {
  /** Default: 120. */
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

export interface EventOptions {
  /** A wallet: its id or an access key. Absent: all wallets of the account, for which `key` must be a secret API key. */
  readonly wallet?: string;
  /** Only events with these names. */
  readonly types?: readonly Event['event']['name'][];
  /** The id of the last event that you have processed. Absent: only new events. */
  readonly after?: string;
  /** Ends the iteration with the signal's reason as an error. */
  readonly signal?: AbortSignal;
  /** Is called when the connection was lost, before the next attempt. */
  readonly onDisconnect?: (error: unknown) => void;
}

export interface VerifyOptions {
  /** How old a webhook may be, and how far in the future. Default: 300. */
  readonly toleranceSeconds?: number;
}

/** The headers of a request: those of the Fetch API, or an object with names in upper or lower case. */
export type WebhookHeaders = { get(name: string): string | null } | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Checks the signature and the age of a webhook, and returns its event. `body` is the body as it was received: JSON that was parsed and written
 * again has another signature. `secrets`: `whsec_…`; several while a secret is replaced. Throws `WebhookError`.
 */
export function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: VerifyOptions,
): Promise<Event>;

/** The request is no webhook that the service has signed with one of the secrets, or it is too old. */
export class WebhookError extends Error {
  readonly name: 'WebhookError';
}

/** The service responded with its error object. With a 4xx, nothing was or will be paid by this request. */
export class SatchelError extends Error {
  readonly name: 'SatchelError';
  readonly status: number;
  readonly type: ErrorType;
  /** Give it to the operator when you report a problem. */
  readonly requestId: string;
  /** The wallet transaction of the payment, if one was started. */
  readonly walletTransactionId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The Idempotency-Key of the request, if the operation takes one. After a 5xx, repeat the request only with the same key. */
  readonly idempotencyKey: string | undefined;
}

/**
 * No response of the service arrived: the connection was lost, the request timed out, or something else responded, such as a proxy. Whether the
 * request was executed is **unknown**. Repeat a payment only with the same key.
 */
export class ConnectionError extends Error {
  readonly name: 'ConnectionError';
  /** The error of `fetch`. */
  readonly cause: unknown;
  readonly retryAfterSeconds: number | undefined;
  /** The Idempotency-Key of the request, if the operation takes one. */
  readonly idempotencyKey: string | undefined;
}

/** Returns whether a request may succeed when it is repeated: after a lost connection, a 5xx and a 429. The outcome of the first request may be unknown. */
export function isTemporary(error: unknown): boolean;
