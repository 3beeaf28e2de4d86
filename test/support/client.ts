import { expect } from 'vitest';

/** Any JSON that the service returns. A test states what it expects of it. */
export type Json = ReturnType<typeof JSON.parse>;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Json;
  readonly text: string;
}

export interface Asked {
  /** Sent as X-Api-Key. */
  readonly key?: string | undefined;
  readonly json?: unknown;
  readonly form?: string;
  readonly headers?: Record<string, string>;
}

/** An HTTP client of a running service. */
export interface Client {
  readonly url: string;
  readonly secretKey: string;
  readonly publicKey: string;
  ask(method: string, path: string, asked?: Asked): Promise<Answer>;
  /** Sends the secret key and returns the body; throws unless the status is 2xx. */
  get(path: string): Promise<Json>;
  post(path: string, json?: unknown): Promise<Json>;
  /** Settles or cancels a hold invoice of an outside node. Waits until the payment has arrived there, which may be after the service's 202. */
  decideHold(paymentHash: string, action: 'settle' | 'cancel'): Promise<void>;
  /** Creates a wallet, funded over Lightning by an outside node. */
  wallet(numSatoshis?: number): Promise<TestWallet>;
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

export function clientOf(url: string, secretKey: string, publicKey: string): Client {
  async function ask(method: string, path: string, { key, json, form, headers = {} }: Asked = {}): Promise<Answer> {
    const type =
      json !== undefined
        ? { 'content-type': 'application/json' }
        : form !== undefined
          ? { 'content-type': 'application/x-www-form-urlencoded' }
          : {};
    const body = json !== undefined ? (typeof json === 'string' ? json : JSON.stringify(json)) : form;
    const response = await fetch(url + path, {
      method,
      headers: { ...type, ...(key !== undefined && { 'x-api-key': key }), ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
  async function askForSuccess(method: string, path: string, json?: unknown): Promise<Json> {
    const answer = await ask(method, path, { key: secretKey, ...(json !== undefined && { json }) });
    if (answer.status >= 300) throw new Error(`${method} ${path} returned ${answer.status}: ${answer.text}`);
    return answer.body;
  }
  return {
    url,
    secretKey,
    publicKey,
    ask,
    get: (path) => askForSuccess('GET', path),
    post: (path, json = {}) => askForSuccess('POST', path, json),
    async decideHold(paymentHash, action) {
      const decide = (): Promise<Answer> => ask('POST', `/playground/hold/${paymentHash}`, { key: secretKey, json: { action } });
      await expect.poll(async () => (await decide()).status).toBe(200);
    },
    async wallet(numSatoshis = 0) {
      const made = await askForSuccess('POST', '/v1/wallet', { user_label: 'test' });
      if (numSatoshis > 0) await askForSuccess('POST', '/playground/fund', { wallet_id: made.id, num_satoshis: numSatoshis });
      const key = (name: string): string => made.access_keys[name][0];
      return {
        id: made.id,
        admin: key('Wallet Admin'),
        invoice: key('Wallet Invoice'),
        read: key('Wallet Read'),
        lnurlWithdraw: key('Wallet LNURL Withdraw'),
        lnurlPay: key('Wallet LNURL Pay'),
      };
    },
  };
}
