import type { Json } from '../../support/client.ts';

/* Zeus' requests and what it concludes from the responses, as of 2026-08-21. */

const LINK = /^lndhub:\/\/([A-Za-z0-9_-]+):([A-Za-z0-9_]+)@(https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w/-]*)?)$/;

/** Reads a link; undefined for one that is not accepted. */
export function readLink(link: string) {
  const [, login, password, url] = LINK.exec(link) ?? [];
  if (login === undefined || password === undefined || url === undefined) return undefined;
  const isExtension = url.includes('/lndhub/ext/');
  return { login, password, url, receivesOnChain: !isExtension, sends: !isExtension || login !== 'invoice' };
}

const DONE = new Set(['', 'complete', 'SUCCEEDED', 'IN_FLIGHT']);

export class Zeus {
  readonly #link: NonNullable<ReturnType<typeof readLink>>;
  #token = '';

  constructor(link: string) {
    const read = readLink(link);
    if (!read) throw new Error('the link is not accepted');
    this.#link = read;
  }

  /** Appends the route to the address, which may end with a slash. */
  async #request(route: string, data?: object): Promise<Json> {
    const response = await fetch(this.#link.url + route, {
      method: data ? 'POST' : 'GET',
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Content-Type': 'application/json',
        ...(this.#token && { Authorization: `Bearer ${this.#token}` }),
      },
      ...(data && { body: JSON.stringify(data) }),
    });
    const json = (await response.json()) as Json;
    if (response.status >= 300 || json.error) throw Object.assign(new Error(json.message), { code: json.code, status: response.status });
    return json;
  }

  async login(): Promise<void> {
    const { login, password } = this.#link;
    this.#token = (await this.#request('/auth?type=auth', { login, password })).access_token;
  }

  balance = async (): Promise<number> => Number((await this.#request('/balance')).BTC.AvailableBalance);

  async createInvoice(amount: number, memo: string): Promise<{ paymentRequest: string; hash: string }> {
    const json = await this.#request('/addinvoice', { amt: amount, memo });
    return { paymentRequest: json.payment_request, hash: Buffer.from(json.r_hash.data).toString('hex') };
  }

  /** Looks for the invoice on the screen in the list of invoices, as it does every five seconds. */
  async isPaid(hash: string, amount: number): Promise<boolean> {
    const invoices: Json[] = await this.#request('/getuserinvoices');
    const found = invoices.find(({ r_hash }) => Buffer.from(r_hash.data).toString('hex') === hash);
    return found?.ispaid === true && found.amt >= amount;
  }

  /** Returns whether the payment is shown as successful. */
  #readPayment(json: Json): Json {
    if (json.payment_error) throw new Error(json.payment_error);
    if (!DONE.has(json.status ?? '')) throw new Error(json.status);
    return json;
  }

  async payInvoice(invoice: string, amount?: string): Promise<Json> {
    return this.#readPayment(await this.#request('/payinvoice', { invoice, ...(amount !== undefined && { amount }) }));
  }

  async keysend(destination: string, amount: number, customRecords: Record<string, string> = {}): Promise<Json> {
    return this.#readPayment(await this.#request('/keysend', { amount, destination, memo: '', customRecords }));
  }

  payments = (): Promise<Json[]> => this.#request('/gettxs');
  decode = (invoice: string): Promise<Json> => this.#request(`/decodeinvoice?invoice=${invoice}`);
}
