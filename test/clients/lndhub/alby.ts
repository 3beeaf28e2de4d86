import type { Json } from '../../support/client.ts';
import { splitLink } from './bluewallet.ts';

/* The requests of the Alby browser extension (`connectors/lndhub.ts`) and what it concludes from the responses. Axios throws for every status but 2xx. */

export class Alby {
  readonly #link: ReturnType<typeof splitLink>;
  #token = '';

  constructor(link: string) {
    this.#link = splitLink(link);
  }

  async #send(method: string, path: string, args?: object): Promise<{ status: number; data: Json }> {
    const response = await fetch(this.#link.base + path, {
      method,
      headers: {
        Accept: 'application/json',
        'Access-Control-Allow-Origin': '*',
        'Content-Type': 'application/json',
        ...(this.#token && { Authorization: `Bearer ${this.#token}` }),
      },
      ...(args && { body: JSON.stringify(args) }),
    });
    const data = (await response.json()) as Json;
    if (response.status >= 300) throw new Error(data.message);
    return { status: response.status, data };
  }

  /** Logs in again if the status is 200 and the code 1. */
  async #request(method: string, path: string, args?: object): Promise<Json> {
    const isBad = ({ data }: { data: Json }) => data?.error && data.code === 1;
    let answer = await this.#send(method, path, args);
    if (isBad(answer)) {
      await this.authorize();
      answer = await this.#send(method, path, args);
    }
    if (answer.data?.error) throw new Error(answer.data.message);
    return answer.data;
  }

  async authorize(): Promise<void> {
    const { login, password } = this.#link;
    const { data } = await this.#send('POST', '/auth?type=auth', { login, password });
    if (data?.error) throw new Error('API error: bad auth');
    if (!data.access_token || !data.refresh_token) throw new Error('API unexpected response');
    this.#token = data.access_token;
  }

  loseToken(): void {
    this.#token = 'expired';
  }

  getInfo = async (): Promise<{ alias: string }> => ({ alias: (await this.#request('GET', '/getinfo')).alias });
  getBalance = async (): Promise<number> => (await this.#request('GET', '/balance')).BTC.AvailableBalance;

  async makeInvoice(amount: number | string, memo: string): Promise<{ paymentRequest: string; rHash: string }> {
    const data = await this.#request('POST', '/addinvoice', { amt: amount, memo });
    const rHash = typeof data.r_hash === 'string' ? data.r_hash : Buffer.from(data.r_hash.data).toString('hex');
    return { paymentRequest: data.payment_request, rHash };
  }

  checkPayment = async (hash: string): Promise<boolean> => (await this.#request('GET', `/checkpayment/${hash}`)).paid;

  async sendPayment(invoice: string): Promise<{ preimage: string; route: { total_amt: number; total_fees: number } }> {
    const data = await this.#request('POST', '/payinvoice', { invoice });
    if (data.payment_error) throw new Error(data.payment_error);
    const { total_amt, total_fees } = data.payment_route;
    return { preimage: Buffer.from(data.payment_preimage.data).toString('hex'), route: { total_amt, total_fees } };
  }

  getTransactions = (): Promise<Json[]> => this.#request('GET', '/gettxs');
}
