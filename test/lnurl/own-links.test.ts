import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';

// The address and the links name a host that exists nowhere, and OUTBOUND_ALLOW allows none: nothing can be reached over the network.
onFakeNode(
  'links and addresses of this service',
  ({ client, problems }) => {
    const post = (wallet: TestWallet, path: string, json: object) =>
      client.request('POST', `/v1/wallet/${wallet.id}/${path}`, { key: client.secretKey, json });
    const balanceOf = async ({ id }: TestWallet) => (await client.get(`/v1/wallet/${id}`)).balance;

    it('are paid inside the service, without HTTP: an address, and the LNURL of a pay link', async () => {
      const [payer, payee] = [await client.wallet(1000), await client.wallet()];
      const { ln_address, lnurl_encoded } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: 'alma' });
      expect(ln_address).toBe('alma@wallets.invalid');
      const sent = [
        await post(payer, 'lnurlp/pay', { ln_address, num_satoshis: 100, comment: 'tea' }),
        await post(payer, 'withdraw', { payment_request: lnurl_encoded, num_satoshis: 20 }),
        await post(payer, 'withdraw', { payment_request: 'alma@shop.invalid', num_satoshis: 3 }),
      ];
      // The address belongs to one domain of the service; another domain has another name.
      expect(sent.map(({ status }) => status)).toEqual([201, 201, 400]);
      expect(await Promise.all([payer, payee].map(balanceOf))).toEqual([880, 120]);
      const probe = await client.get(`/v1/lnurlp/probe/${ln_address}`);
      expect(probe).toMatchObject({ tag: 'payRequest', domain: 'wallets.invalid' });
      expect(await problems()).toEqual([]);
    });

    it('are withdrawn from inside the service', async () => {
      const [giver, taker] = [await client.wallet(1000), await client.wallet()];
      const { lnurl } = await client.post(`/v1/wallet/${giver.id}/lnurl/withdraw`, { num_satoshis: 50 });
      const pulled = await post(taker, 'lnurl/pull', { lnurl, num_satoshis: 50 });
      expect(pulled.status).toBe(201);
      await expect.poll(() => balanceOf(taker)).toBe(50);
      expect((await post(taker, 'lnurl/pull', { lnurl, num_satoshis: 50 })).status).toBe(400);
      expect(await balanceOf(giver)).toBe(950);
      expect(await problems()).toEqual([]);
    });

    it('reach only the public routes of LNURL', async () => {
      const wallet = await client.wallet(1000);
      for (const path of ['v1/account', 'v1/wallets', 'metrics', 'v1/lnurlp/verify/x', `v1/wallet/${wallet.admin}`]) {
        const { status, body } = await post(wallet, 'lnurlp/pay', {
          lnurlpay_encoded: `lnurlp://wallets.invalid/${path}`,
          num_satoshis: 1,
        });
        expect([path, status, body.type]).toEqual([path, 400, 'lnurl_unavailable']);
      }
      expect(await balanceOf(wallet)).toBe(1000);
    });
  },
  { PUBLIC_URL: 'https://wallets.invalid', ADDRESS_DOMAINS: 'shop.invalid' },
);

// An address has three requests, and one more per second. Each payment to a link of this service sends two inside the process.
onFakeNode(
  'links of this service, with a limit for addresses',
  ({ client, problems }) => {
    it('count against the limit of the wallet that pays them, not against that of other wallets', async () => {
      const payee = await client.wallet();
      const { ln_address } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: 'bruno' });
      const pay = async ({ id }: TestWallet) =>
        client.request('POST', `/v1/wallet/${id}/lnurlp/pay`, { key: client.secretKey, json: { ln_address, num_satoshis: 1 } });
      const payers = [await client.wallet(100), await client.wallet(100), await client.wallet(100), await client.wallet(100)];
      const statuses = [];
      for (const payer of payers) statuses.push((await pay(payer)).status);
      expect(statuses).toEqual([201, 201, 201, 201]);
      expect(await problems()).toEqual([]);
    });
  },
  { PUBLIC_URL: 'https://wallets.invalid', ADDRESS_RATE_LIMIT_PER_SECOND: '1', ADDRESS_RATE_LIMIT_BURST: '3' },
);
