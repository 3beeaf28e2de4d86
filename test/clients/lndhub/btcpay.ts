import type { Json } from '../../support/client.ts';
import { splitLink } from './bluewallet.ts';

/* The requests of BTCPayServer.Lightning.LNDhub and what it concludes from the responses, as of 2026-07-21. */

interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAtMs: number;
}

/** The result of a payment. `unknown`: an exception, after which BTCPay sends the same invoice again. */
export type PayResult =
  | { readonly result: 'ok'; readonly preimage: string; readonly amountSat: number; readonly feeSat: number }
  | { readonly result: 'no route' | 'error' | 'unknown' };

export class BtcPay {
  readonly #link: ReturnType<typeof splitLink>;
  #tokens: Tokens | undefined;
  /** How often it has asked for tokens. */
  logins = 0;

  constructor(link: string) {
    this.#link = splitLink(link);
  }

  async #authorize(): Promise<Tokens> {
    this.logins += 1;
    const { login, password } = this.#link;
    const body = this.#tokens ? { refresh_token: this.#tokens.refreshToken } : { login, password };
    const type = this.#tokens ? 'refresh_token' : 'auth';
    const response = await this.#post(`auth?type=${type}`, body);
    const { access_token, refresh_token, expiry } = (await response.json()) as Json;
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString());
    const expiresAtMs = claims.exp ? claims.exp * 1000 : Date.parse(expiry);
    this.#tokens = { accessToken: access_token, refreshToken: refresh_token, expiresAtMs };
    return this.#tokens;
  }

  #post(path: string, body?: object, token?: string): Promise<Response> {
    return fetch(`${this.#link.base}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  /** Renews the token before it expires, and once on code 1. */
  async #send(path: string, body?: object): Promise<string> {
    const tokens = this.#tokens && this.#tokens.expiresAtMs > Date.now() ? this.#tokens : await this.#authorize();
    let response = await this.#post(path, body, tokens.accessToken);
    let text = await response.text();
    if (text.startsWith('{"error":true,') && JSON.parse(text).code === 1) {
      this.#tokens = undefined;
      response = await this.#post(path, body, (await this.#authorize()).accessToken);
      text = await response.text();
    }
    if (!response.ok || text.startsWith('{"error":true,')) throw new LndhubError(JSON.parse(text));
    return text;
  }

  loseToken(): void {
    if (this.#tokens) this.#tokens = { ...this.#tokens, accessToken: 'expired' };
  }

  /** Creates an invoice, and reads it from the list at once. */
  async createInvoice(amountSat: number, memo: string): Promise<Json> {
    const created = JSON.parse(await this.#send('addinvoice', { amt: amountSat, memo, description_hash: null }));
    const invoice = await this.findInvoice(Buffer.from(created.r_hash.data).toString('hex'));
    if (!invoice) throw new Error('the new invoice is not in the list');
    return invoice;
  }

  async findInvoice(hash: string): Promise<Json | undefined> {
    const invoices: Json[] = JSON.parse(await this.#send('getuserinvoices'));
    const found = invoices.find(({ payment_hash }) => payment_hash === hash);
    return found && { ...found, expiresAt: found.timestamp + found.expire_time };
  }

  /** The body of a success is read as the decoded invoice unless it has `decoded`. `payment_error` is ignored. */
  async pay(invoice: string, amount: number | null = null): Promise<PayResult> {
    try {
      const json = JSON.parse(await this.#send('payinvoice', { invoice, amount }));
      const decoded = json.decoded ?? json;
      return {
        result: 'ok',
        preimage: decoded.payment_preimage,
        amountSat: Number(decoded.num_satoshis),
        feeSat: json.payment_route.total_fees,
      };
    } catch (error) {
      if (!(error instanceof LndhubError)) throw error;
      return { result: error.code === 5 ? 'no route' : error.code === 7 ? 'unknown' : 'error' };
    }
  }

  async findPayment(hash: string): Promise<{ amountSat: number; feeSat: number } | undefined> {
    const payments: Json[] = JSON.parse(await this.#send('gettxs'));
    const found = payments.find(({ payment_hash }) => Buffer.from(payment_hash.data).toString('hex') === hash);
    return found && { amountSat: found.value - found.fee, feeSat: found.fee };
  }

  balance = async (): Promise<number> => JSON.parse(await this.#send('balance')).BTC.AvailableBalance;
  getInfo = async (): Promise<Json> => JSON.parse(await this.#send('getinfo'));
}

class LndhubError extends Error {
  readonly code: number;

  constructor({ code, message }: Json) {
    super(message);
    this.code = code;
  }
}
