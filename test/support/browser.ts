import { randomUUID } from 'node:crypto';
import { totpCode } from '../../src/features/logins/totp.ts';
import type { Client, HttpResponse } from './client.ts';

/** Sends requests as a page of the service does in a browser: with the cookie, and with `Sec-Fetch-Site`. */
export class Browser {
  readonly #client: Client;
  readonly #cookieName: string;
  secret: string;

  constructor(client: Client, secret = '', cookieName = 'satchel_session') {
    this.#client = client;
    this.#cookieName = cookieName;
    this.secret = secret;
  }

  get cookie(): string {
    return `${this.#cookieName}=${this.secret}`;
  }

  async send(method: string, path: string, json?: unknown): Promise<HttpResponse> {
    const cookie = this.secret === '' ? {} : { cookie: this.cookie };
    const headers = { 'sec-fetch-site': 'same-origin', 'user-agent': 'Mozilla/5.0 (test)', ...cookie };
    const response = await this.#client.request(method, path, { json, headers });
    const [name, value] = (response.headers.get('set-cookie') ?? '').split(/[=;]/);
    if (name === this.#cookieName) this.secret = value ?? '';
    return response;
  }
}

/** Creates an account with a login, as an operator, and a browser that is logged in. */
export async function newLogin(client: Client, fields: object = {}, cookieName?: string) {
  const { id } = await client.post('/v1/accounts', { invite: true, ...fields });
  return loginTo(client, id, cookieName);
}

/** Sets e-mail and password of an account, as an operator, and returns them with a browser that is logged in. */
export async function loginTo(client: Client, id: string, cookieName?: string) {
  const email = `${randomUUID()}@example.com`;
  const password = `password ${randomUUID()}`;
  const { setup_url } = await client.post(`/v1/accounts/${id}/setup-link`, {});
  const browser = new Browser(client, '', cookieName);
  const response = await browser.send('POST', '/v1/session/setup', { token: new URL(setup_url).hash.slice(1), email, password });
  if (response.status !== 201) throw new Error(`no login was set up: ${response.text}`);
  return { id, email, password, browser };
}

/** Returns the present code of an authenticator app, from the seed in base32. `steps` later for another one. */
export function codeOf(secret: string, steps = 0): string {
  const bits = Array.from(secret, (letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const seed = Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
  return totpCode(seed, Math.floor(Date.now() / 30_000) + steps);
}
