import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

const BASE = '/lndhub/ext';

onFakeNode(
  'LNDhub',
  ({ client, net, problems }) => {
    it('logs in, reads the balance, adds an invoice and pays one', async () => {
      const wallet = await client.wallet(1000);
      const login = await client.request('POST', `${BASE}/auth?type=auth`, { json: { login: 'admin', password: wallet.admin } });
      expect(login.status).toBe(200);
      const headers = { authorization: `Bearer ${login.body.access_token}` };
      expect((await client.request('GET', `${BASE}//balance`, { headers })).body).toEqual({ BTC: { AvailableBalance: 1000 } });
      const added = await client.request('POST', `${BASE}/addinvoice`, { headers, json: { amt: '21', memo: 'a' } });
      expect(added.body).toMatchObject({ add_index: '500', r_hash: { type: 'Buffer' } });
      const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000 });
      const paid = await client.request('POST', `${BASE}/payinvoice`, { headers, json: { invoice: paymentRequest, amount: 0 } });
      expect([paid.status, paid.body.value]).toEqual([200, 5]);
      const again = await client.request('POST', `${BASE}/payinvoice`, { headers, json: { invoice: paymentRequest, amount: 0 } });
      expect(again.text).toBe(paid.text);
      const txs = await client.request('GET', `${BASE}/gettxs?limit=10&offset=0`, { headers });
      expect(txs.body).toHaveLength(1);
      const list = await client.request('GET', `${BASE}/getuserinvoices`, { headers });
      expect(list.body.map(({ ispaid }: { ispaid: boolean }) => ispaid)).toEqual([false, true]);
      expect(await problems()).toEqual([]);
    });

    it('sends errors that begin with the mark of LNDhub', async () => {
      const origin = await client.request('GET', '/getinfo');
      expect([origin.status, origin.text.startsWith('{"error":true,"code":1,"message":"bad auth"')]).toEqual([401, true]);
      for (const [method, path] of [
        ['GET', '/balance'],
        ['GET', '/nothing'],
        ['DELETE', '/balance'],
        ['POST', '/auth'],
      ] as const) {
        const { text } = await client.request(method, BASE + path);
        expect(text).toMatch(/^\{"error":true,"code":\d+,"message":"/);
      }
    });
  },
  { LNDHUB: 'true' },
);
