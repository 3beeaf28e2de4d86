import type { ErrorType, Operations } from './operations.js';

export type * from './operations.js';

export interface ClientOptions {
  /** Where the service is: `https://wallets.example.com`. */
  readonly url: string;
  /** An API key or a wallet access key. */
  readonly key?: string;
  /** In place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Names the request, so that it can be repeated without being done twice. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Sees the answer before it is read: its status, and headers like `X-Pagination-Total-Count`. */
  readonly onResponse?: (response: Response) => void;
}

export type SatchelClient = Operations<RequestOptions>;

/** A client with one method for each operation of the API. A call throws `SatchelError` when the service refuses. */
export function createClient(options: ClientOptions): SatchelClient;

/** A refusal: the service answered with its error object. With a 4xx, nothing was or will be paid. */
export class SatchelError extends Error {
  readonly name: 'SatchelError';
  readonly status: number;
  readonly type: ErrorType;
  /** Name it when you ask the operator. */
  readonly requestId: string;
  /** The wallet transaction of a payment that had been begun. */
  readonly walletTransactionId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}
