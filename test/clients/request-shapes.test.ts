import { request as httpRequest } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { type Json, onRunningService, type TestWallet } from '../support/service.ts';
import { DOCUMENTED } from './documented-shapes.ts';
import { SDKS } from './sdk-shapes.ts';

onRunningService('what old clients send is understood', (client) => {
  const real: Record<string, string> = {};

  beforeAll(async () => {
    const [wallet, other]: TestWallet[] = [await client.wallet(20_000), await client.wallet()];
    if (!wallet || !other) throw new Error('there are two wallets');
    const { nodes } = await client.get('/playground');
    const { id } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
    const basic = `Basic ${Buffer.from(`${client.secretKey}:`).toString('base64')}`;
    Object.assign(real, {
      WALLET: wallet.id,
      ADMIN: wallet.admin,
      INVOICE: wallet.invoice,
      READ: wallet.read,
      WAKLW: wallet.lnurlWithdraw,
    });
    Object.assign(real, { SAK: client.secretKey, PAK: client.publicKey, OTHER: other.id, LNTX: id, BASIC: basic });
    real.ALICE = nodes.find(({ name }: Json) => name === 'alice').pubkey;
  });

  const fill = (text: string) =>
    text.replace(/\b(WALLET|ADMIN|INVOICE|READ|WAKLW|SAK|PAK|OTHER|LNTX|BASIC|ALICE|BOLT11)\b/g, (name) => real[name] ?? name);

  it.each([...DOCUMENTED, ...SDKS])('$client: $method $path', async ({ method, path, headers = {}, body, answers, says }) => {
    real.BOLT11 = (await client.post('/playground/invoice', { num_satoshis: 11 })).payment_request;
    const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
    const answer = await send(client.url + fill(path), method, filled, body === undefined ? undefined : fill(body));
    expect([answer.status, answer.body]).toMatchObject([answers, says]);
  });
});

/** Not `fetch`: it lowers the case of header names, and gives a text a Content-Type. */
function send(url: string, method: string, headers: Record<string, string>, body?: string): Promise<{ status: number; body: Json }> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const sent = httpRequest(url, { method, headers: { ...headers, ...length } }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
