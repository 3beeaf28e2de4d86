import { expect, it } from 'vitest';
import { encodeLnurl } from '../../src/core/lightning/bech32.ts';
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

/** Payments and withdrawals at the hosts under which the service knows itself. `settings` decide its public URL. */
function onThisMachine(name: string, settings: Record<string, string>): void {
  onFakeNode(
    name,
    ({ client, problems }) => {
      const post = (wallet: TestWallet, path: string, json: object) =>
        client.request('POST', `/v1/wallet/${wallet.id}/${path}`, { key: client.secretKey, json });
      const balanceOf = async ({ id }: TestWallet) => (await client.get(`/v1/wallet/${id}`)).balance;
      const port = () => new URL(client.url).port;
      const withHost = (url: string, host: string) => Object.assign(new URL(url), { protocol: 'http:', host: `${host}:${port()}` }).href;

      it('pays an address and a pay link, by whichever host of this machine names them', async () => {
        const [payer, payee] = [await client.wallet(1000), await client.wallet()];
        const { url, ln_address } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: 'alma' });
        const statuses: number[] = [];
        for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', '127.1'])
          statuses.push(
            (await post(payer, 'lnurlp/pay', { ln_address: `alma@${host}:${port()}`, num_satoshis: 10, comment: host })).status,
          );
        for (const host of ['127.0.0.1', 'localhost'])
          statuses.push((await post(payer, 'lnurlp/pay', { lnurlpay_encoded: encodeLnurl(withHost(url, host)), num_satoshis: 5 })).status);
        statuses.push((await post(payer, 'lnurlp/pay', { ln_address, num_satoshis: 1 })).status);
        expect(statuses).toEqual([201, 201, 201, 201, 201, 201, 201]);
        expect(await Promise.all([payer, payee].map(balanceOf))).toEqual([949, 51]);
        const [newest] = await client.get(`/v1/wallet/${payer.id}/transactions`);
        expect(newest).toMatchObject({ num_satoshis: -1 });
        expect(await problems()).toEqual([]);
      });

      it('withdraws from its links', async () => {
        const [giver, taker] = [await client.wallet(1000), await client.wallet()];
        const { url } = await client.post(`/v1/wallet/${giver.id}/lnurl/withdraw`, { num_satoshis: 50 });
        const lnurl = encodeLnurl(withHost(url, 'localhost'));
        const tooMuch = await post(taker, 'lnurl/pull', { lnurl, num_satoshis: 51 });
        expect([tooMuch.status, tooMuch.body.message]).toEqual([400, expect.stringMatching(/from 1 sat to 50 sat/)]);
        expect((await post(taker, 'lnurl/pull', { lnurl, num_satoshis: 50 })).status).toBe(201);
        await expect.poll(() => balanceOf(taker)).toBe(50);
        expect((await post(taker, 'lnurl/pull', { lnurl, num_satoshis: 50 })).status).toBe(400);
        expect(await problems()).toEqual([]);
      });

      it('makes payouts to its addresses', async () => {
        const [payer, payee] = [await client.wallet(1000), await client.wallet()];
        await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: 'paid-out' });
        const lines = [{ destination: `paid-out@localhost:${port()}`, num_satoshis: 7 }];
        await client.post(`/v1/wallet/${payer.id}/payouts`, { lines });
        await expect.poll(() => balanceOf(payee)).toBe(7);
      });

      it('treats every other host as foreign: another port, a dot at the end, a name that resolves to this machine', async () => {
        const [payer, payee] = [await client.wallet(1000), await client.wallet()];
        await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: 'bruno' });
        const other = String(port() === '65535' ? 1024 : Number(port()) + 1);
        const hosts = [
          `127.0.0.1:${other}`,
          `localhost:${other}`,
          'localhost',
          `127.0.0.2:${port()}`,
          `localhost.:${port()}`,
          `wallet.localhost:${port()}`,
        ];
        for (const host of hosts) {
          const sent = await post(payer, 'lnurlp/pay', { ln_address: `bruno@${host}`, num_satoshis: 1 });
          expect([host, sent.status]).toEqual([host, 400]);
          expect(sent.body.type).toMatch(/^lnurl_(invalid|unavailable)$/);
        }
        expect(await balanceOf(payer)).toBe(1000);
      });
    },
    settings,
  );
}

onThisMachine('own links on the default address', { PUBLIC_URL: '' });
onThisMachine('own links of a service that also has a public name', { PUBLIC_URL: 'https://wallets.invalid' });

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
