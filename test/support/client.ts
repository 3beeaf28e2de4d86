import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';

/** Any JSON that the service returns. A test states what it expects of it. */
export type Json = ReturnType<typeof JSON.parse>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

export interface RequestOptions {
  /** Sent as X-Api-Key. */
  readonly key?: string | undefined;
  readonly json?: unknown;
  readonly form?: string;
  readonly headers?: Record<string, string>;
  /** Adds no Idempotency-Key where one is needed. */
  readonly withoutNewKey?: boolean;
}

/** An HTTP client of a running service. */
export interface Client {
  readonly url: string;
  readonly secretKey: string;
  readonly publicKey: string;
  request(method: string, path: string, options?: RequestOptions): Promise<HttpResponse>;
  /** Sends the secret key and returns the body; throws unless the status is 2xx. */
  get(path: string): Promise<Json>;
  /** Returns all items of a list, page by page. */
  list(path: string): Promise<Json[]>;
  post(path: string, json?: unknown): Promise<Json>;
  /** Settles or cancels a hold invoice of an outside node. Waits until the payment has arrived there, which may be after the service's 202. */
  decideHold(paymentHash: string, action: 'settle' | 'cancel'): Promise<void>;
  /** Creates a wallet, funded over Lightning by an outside node. */
  wallet(numSatoshis?: number): Promise<TestWallet>;
  /** The same with a label. */
  namedWallet(label: string, numSatoshis?: number): Promise<TestWallet>;
}

/** A wallet's id and its keys. */
export interface TestWallet {
  readonly id: string;
  readonly admin: string;
  readonly invoice: string;
  readonly read: string;
  readonly lnurlWithdraw: string;
  readonly lnurlPay: string;
}

/** Paths whose changes need an Idempotency-Key. A request without one gets a new one. */
const NEEDS_KEY = /^\/v1\/(accounts|operator|wallets)(\/|$)|\/(transfers|payouts)$/;

/** Only pages of the service may log in, which browsers say in this header. */
function ownPage(path: string): Record<string, string> {
  return path.startsWith('/v1/session') ? { 'sec-fetch-site': 'same-origin' } : {};
}

export function clientOf(url: string, secretKey: string, publicKey: string): Client {
  async function request(
    method: string,
    path: string,
    { key, json, form, headers = ownPage(path), withoutNewKey }: RequestOptions = {},
  ): Promise<HttpResponse> {
    const type =
      json !== undefined
        ? { 'content-type': 'application/json' }
        : form !== undefined
          ? { 'content-type': 'application/x-www-form-urlencoded' }
          : {};
    const body = json !== undefined ? (typeof json === 'string' ? json : JSON.stringify(json)) : form;
    const hasOwn = Object.keys(headers).some((name) => name.toLowerCase() === 'idempotency-key');
    const once = method !== 'GET' && NEEDS_KEY.test(path) && !hasOwn && !withoutNewKey ? { 'idempotency-key': randomUUID() } : {};
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...once, ...(key !== undefined && { 'x-api-key': key }), ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
  async function requestOk(method: string, path: string, json?: unknown): Promise<Json> {
    const response = await request(method, path, { key: secretKey, ...(json !== undefined && { json }) });
    if (response.status >= 300) throw new Error(`${method} ${path} returned ${response.status}: ${response.text}`);
    return response.body;
  }
  async function list(path: string): Promise<Json[]> {
    const [base = ''] = path.split('?');
    const items: Json[] = [];
    for (let at: string | undefined = path; at !== undefined; ) {
      const { status, body, text, headers }: HttpResponse = await request('GET', at, { key: secretKey });
      if (status !== 200) throw new Error(`GET ${at} returned ${status}: ${text}`);
      items.push(...body);
      const next: string | undefined = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1];
      at = next === undefined ? undefined : base + next;
    }
    return items;
  }
  async function namedWallet(label: string, numSatoshis = 0): Promise<TestWallet> {
    const made = await requestOk('POST', '/v1/wallet', { user_label: label });
    if (numSatoshis > 0) await requestOk('POST', '/playground/fund', { wallet_id: made.id, num_satoshis: numSatoshis });
    const key = (name: string): string => made.access_keys[name][0];
    return {
      id: made.id,
      admin: key('Wallet Admin'),
      invoice: key('Wallet Invoice'),
      read: key('Wallet Read'),
      lnurlWithdraw: key('Wallet LNURL Withdraw'),
      lnurlPay: key('Wallet LNURL Pay'),
    };
  }
  return {
    url,
    secretKey,
    publicKey,
    request,
    get: (path) => requestOk('GET', path),
    list,
    post: (path, json = {}) => requestOk('POST', path, json),
    async decideHold(paymentHash, action) {
      const decide = (): Promise<HttpResponse> => request('POST', `/playground/hold/${paymentHash}`, { key: secretKey, json: { action } });
      await expect.poll(async () => (await decide()).status).toBe(200);
    },
    wallet: (numSatoshis = 0) => namedWallet('test', numSatoshis),
    namedWallet,
  };
}
