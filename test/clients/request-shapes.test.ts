import { request as httpRequest } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { UNKNOWN_PATH } from '../../src/http/methods.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { AWAITED } from './awaited-shapes.ts';
import { DOCUMENTED, type Wire } from './documented-shapes.ts';
import { LNPAY_JS } from './lnpay-js-requests.ts';
import { SDKS } from './sdk-shapes.ts';

onFakeNode('requests of existing clients', ({ client }) => {
  const real: Record<string, string> = {};

  beforeAll(async () => {
    const [wallet, other]: TestWallet[] = [await client.wallet(20_000), await client.wallet()];
    if (!wallet || !other) throw new Error('the wallets were not created');
    const { nodes } = await client.get('/playground');
    const { id } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
    const paid = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 20 });
    await client.post('/playground/pay', { payment_request: paid.payment_request });
    const basic = `Basic ${Buffer.from(`${client.secretKey}:`).toString('base64')}`;
    Object.assign(real, {
      WALLET: wallet.id,
      ADMIN: wallet.admin,
      INVOICE: wallet.invoice,
      READ: wallet.read,
      WAKLW: wallet.lnurlWithdraw,
    });
    Object.assign(real, { SAK: client.secretKey, PAK: client.publicKey, OTHER: other.id, LNTX: id, PAID: paid.id, BASIC: basic });
    real.ALICE = nodes.find(({ name }: Json) => name === 'alice').pubkey;
  });

  const fill = (text: string) =>
    text.replace(/\b(WALLET|ADMIN|INVOICE|READ|WAKLW|SAK|PAK|OTHER|LNTX|PAID|BASIC|ALICE|BOLT11)\b/g, (name) => real[name] ?? name);

  async function sendFilled({ method, path, headers = {}, body }: Wire) {
    real.BOLT11 = (await client.post('/playground/invoice', { num_satoshis: 11 })).payment_request;
    const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
    return send(client.url + fill(path), method, filled, body === undefined ? undefined : fill(body));
  }

  it.each([...DOCUMENTED, ...SDKS, ...LNPAY_JS])('accepts $client: $method $path', async (wire) => {
    const response = await sendFilled(wire);
    expect([response.status, response.body]).toMatchObject([wire.status, wire.expected]);
  });

  it.for(AWAITED)('accepts $client: $method $path, once the route exists', async (wire, { skip }) => {
    const response = await sendFilled(wire);
    // The address has no such method, or does not exist.
    skip(response.status === 405 || response.body?.message === UNKNOWN_PATH, `${wire.method} ${wire.path} does not exist yet`);
    expect([response.status, response.body]).toMatchObject([wire.status, wire.expected]);
  });
});

/** Not `fetch`: it lowers the case of header names, and gives a text a Content-Type. */
function send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<{ status: number; body: Json }> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const sent = httpRequest(url, { method, headers: { ...headers, ...length } }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
