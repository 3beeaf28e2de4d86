import type { ErrorType, LightningTransactionDetails, Operations } from './operations.js';

export type * from './operations.js';

export interface ClientOptions {
  /** The address of the service: `https://wallets.example.com`. */
  readonly url: string;
  /** An API key or a wallet access key. */
  readonly key?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface RequestOptions {
  /** Identifies the request: a repeated request with the same key is not executed twice. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Is called with the response before its body is read: its status, and headers like `X-Pagination-Total-Count`. */
  readonly onResponse?: (response: Response) => void;
}

export type SatchelClient = Operations<RequestOptions>;

/** A client with one method for each operation of the API. A call throws `SatchelError` when the service responds with an error. */
export function createClient(options: ClientOptions): SatchelClient;

export interface WaitOptions {
  /** Default: 120,000, two minutes. */
  readonly timeoutMs?: number;
  /** Default: 1,000. */
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Polls an invoice or a payment (`lntx_…`) until its `status` is not `pending`, and returns it. At the timeout it is returned as it is: a
 * payment that is still `pending` has not failed.
 */
export function waitForSettlement(
  client: Pick<SatchelClient, 'getLightningTransaction'>,
  id: string,
  options?: WaitOptions,
): Promise<LightningTransactionDetails>;

/** The operations that return a list. */
export type ListName = {
  [Name in keyof SatchelClient]: SatchelClient[Name] extends (...args: never[]) => Promise<Array<infer _Item>> ? Name : never;
}[keyof SatchelClient];

/** Yields the pages of a list: `for await (const page of pages(satchel, 'listWalletTransactions', { key }))`. */
export function pages<Name extends ListName>(
  client: SatchelClient,
  name: Name,
  request?: Parameters<SatchelClient[Name]>[0],
): AsyncGenerator<Awaited<ReturnType<SatchelClient[Name]>>, void, undefined>;

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
}
