import type { Json } from '../../support/client.ts';

/*
 * BlueWallet's requests and what it concludes from the responses, as of 2026-07-23. Every JSON response without `error` to a payment is taken for a
 * paid invoice, whatever its status.
 */

const HEADERS = { 'Access-Control-Allow-Origin': '*', 'Content-Type': 'application/json' };

/** Checks the address of a server, as the settings do. */
export async function isServer(base: string): Promise<boolean> {
  const json = (await (await fetch(new URL('/getinfo', base))).json()) as Json;
  return json.code === undefined || json.code === 1;
}

/** Splits a link at `@` and at `:`, and removes one slash from the end of the address. */
export function splitLink(link: string) {
  const [credentials = '', base = ''] = link.replace('lndhub://', '').split('@');
  const [login = '', password = ''] = credentials.split(':');
  return { login, password, base: base.endsWith('/') ? base.slice(0, -1) : base };
}

export class BlueWallet {
  readonly #link: ReturnType<typeof splitLink>;
  #accessToken = '';
  #refreshToken = '';

  constructor(link: string) {
    this.#link = splitLink(link);
  }

  async #request(path: string, body?: object): Promise<Json> {
    const response = await fetch(this.#link.base + path, {
      method: body ? 'POST' : 'GET',
      headers: { ...HEADERS, Authorization: `Bearer ${this.#accessToken}` },
      ...(body && { body: JSON.stringify(body) }),
    });
    const json = (await response.json()) as Json;
    if (json?.error) throw Object.assign(new Error(`API error: ${json.message} (code ${json.code})`), { code: json.code });
    return json;
  }

  async #keepTokens(type: string, body: object): Promise<void> {
    const json = await this.#request(`/auth?type=${type}`, body);
    if (!json.access_token || !json.refresh_token) throw new Error('API unexpected response');
    this.#accessToken = json.access_token;
    this.#refreshToken = json.refresh_token;
  }

  authorize = () => this.#keepTokens('auth', { login: this.#link.login, password: this.#link.password });
  refreshTokens = () => this.#keepTokens('refresh_token', { refresh_token: this.#refreshToken });

  /** Makes the token invalid, as if it had expired. */
  loseToken(): void {
    this.#accessToken = 'expired';
  }

  /** Logs in again on code 1, which no other request does. */
  async fetchBalance(): Promise<number> {
    const read = () => this.#request('/balance');
    const json = await read().catch(async (error) => {
      if (error.code !== 1) throw error;
      await this.authorize();
      return read();
    });
    return json.BTC.AvailableBalance;
  }

  async addInvoice(amount: number, memo: string): Promise<{ payReq: string; hash: string }> {
    const json = await this.#request('/addinvoice', { amt: `${amount}`, memo });
    if (!json.r_hash || !json.pay_req) throw new Error('API unexpected response');
    return { payReq: json.pay_req, hash: Buffer.from(json.r_hash.data).toString('hex') };
  }

  /** Returns what is shown as paid. */
  payInvoice = (invoice: string, freeAmount = 0) => this.#request('/payinvoice', { invoice, amount: freeAmount });

  /** Reads all lists of a refresh. An error shows an alert. */
  async refresh() {
    const pending = (await this.#request('/getpending')).map((one: Json) => one);
    const payments = await this.#request('/gettxs?limit=10&offset=0');
    const invoices = await this.#request('/getuserinvoices?limit=50');
    const addresses = (await this.#request('/getbtc')).map(({ address }: Json) => address);
    for (const one of [...payments, ...invoices]) if (!one.timestamp) throw new Error('a transaction has no time');
    return { pending, payments, invoices, addresses };
  }

  fetchInfo = () => this.#request('/getinfo');
  create = () => this.#request('/create', { partnerid: 'bluewallet', accounttype: 'common' });
}
