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
   * How often a request is repeated after a lost connection, a timeout, a 429 or a 5xx. Default: 2. A POST that takes an Idempotency-Key gets
   * one, so that it is executed once; 0 turns this off. Other requests that change something are repeated only after a 429 and a 503.
   */
  readonly maxRetries?: number;
}

export interface ClientOptions extends ConnectionOptions, RetryOptions {}

export interface RequestOptions extends RetryOptions {
  /** Identifies the request: a repeated request with the same key is not executed twice, also after a restart of your program. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Is called with the response of the last attempt: its status, and headers like `X-Pagination-Total-Count`. */
  onResponse?(response: ClientResponse): void;
}

export type SatchelClient = Operations<RequestOptions>;

/** A client with one method for each operation of the API. A call throws `SatchelError` when the service responds with an error. */
export function createClient(options: ClientOptions): SatchelClient;

export interface PaymentWaitOptions {
  /** Default: 120. */
  readonly timeoutSeconds?: number;
  readonly signal?: AbortSignal;
}

/**
 * Returns an invoice or a payment (`lntx_…`, or a payment hash) as soon as its `status` is final, without polling. At the timeout it is
 * returned as it is: a payment that is still `pending` has not failed. Repeats a request that failed because of a lost connection, a 429 or a 5xx.
 */
export function waitForPayment(
  client: Pick<SatchelClient, 'getLightningTransaction'>,
  id: string,
  options?: PaymentWaitOptions,
): Promise<LightningTransactionDetails>;

export interface EventOptions extends ConnectionOptions {
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

/**
 * Yields events as they happen. When the connection is lost, it connects again and continues after the last event. Throws `SatchelError` for a
 * request that cannot succeed, such as `cursor_expired`.
 */
export function events(options: EventOptions): AsyncGenerator<Event, never, undefined>;

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

/** The operations that return a list. */
export type ListName = {
  [Name in keyof SatchelClient]: SatchelClient[Name] extends (...args: never[]) => Promise<Array<infer _Item>> ? Name : never;
}[keyof SatchelClient];

/** Yields the items of a list: `for await (const item of items(satchel, 'listWalletTransactions', { key }))`. */
export function items<Name extends ListName>(
  client: SatchelClient,
  name: Name,
  request?: Parameters<SatchelClient[Name]>[0],
  options?: RequestOptions,
): AsyncGenerator<Awaited<ReturnType<SatchelClient[Name]>>[number], void, undefined>;

/** Yields the pages of a list. */
export function pages<Name extends ListName>(
  client: SatchelClient,
  name: Name,
  request?: Parameters<SatchelClient[Name]>[0],
  options?: RequestOptions,
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

/** Returns whether a request may succeed when it is repeated: after a lost connection, a 5xx and a 429. The outcome of the first request may be unknown. */
export function isTemporary(error: unknown): boolean;
