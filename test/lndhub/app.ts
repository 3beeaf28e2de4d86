import type { Client, HttpResponse, TestWallet } from '../support/client.ts';

export const BASE = '/lndhub/ext';

/** The settings of the service for tests of LNDhub. */
export const SETTINGS = { LNDHUB: 'true', PAYMENT_WAIT_SECONDS: '1' };

/** Sends requests as an app does, with the access key of a wallet. */
export function appOf(client: Client, key: string) {
  const headers = { authorization: `Bearer ${key}` };
  const send = (method: string, path: string, json?: unknown): Promise<HttpResponse> =>
    client.request(method, BASE + path, { headers, ...(json !== undefined && { json }) });
  return {
    send,
    get: (path: string) => send('GET', path),
    pay: (invoice: string, amount?: unknown) => send('POST', '/payinvoice', { invoice, ...(amount !== undefined && { amount }) }),
    addInvoice: (json: object) => send('POST', '/addinvoice', json),
    balance: async (): Promise<number> => (await send('GET', '/balance')).body.BTC.AvailableBalance,
  };
}

export type TestApp = ReturnType<typeof appOf>;

export function appOfWallet(client: Client, { admin }: TestWallet): TestApp {
  return appOf(client, admin);
}
