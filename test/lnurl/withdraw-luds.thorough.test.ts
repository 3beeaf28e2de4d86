import { bech32 } from '@scure/base';
import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { linkOf, OK, permanentLink, revokeLink, untilNothingPending } from './claiming-wallet.ts';

reloadModulesAfterFile();

/*
 * A wallet that does what the texts of the LUDs say, and rejects what they do not allow. Its requests go to the service, whatever the host
 * of their URL is.
 */
class StrictWallet {
  readonly #service: FakeNodeApp;
  readonly #publicUrl: string;
  /** LUD-14: the URL that it stores for later. */
  balanceCheck: string | undefined;

  constructor(service: FakeNodeApp, publicUrl: string) {
    this.#service = service;
    this.#publicUrl = publicUrl;
  }

  /** LUD-01: "an https:// clearnet link or an http:// onion link". Statuses and headers have no meaning. */
  async get(url: string): Promise<Json> {
    const { protocol, hostname } = new URL(url);
    expect(protocol).toBe(hostname.endsWith('.onion') ? 'http:' : 'https:');
    expect(url.startsWith(`${this.#publicUrl}/`)).toBe(true);
    return (await fetch(this.#service.client.url + url.slice(this.#publicUrl.length))).json();
  }

  /** LUD-01: "can both be uppercase or lowercase, but not mixed case". */
  decode(lnurl: string): string {
    expect([lnurl.toUpperCase(), lnurl.toLowerCase()]).toContain(lnurl);
    const { prefix, words } = bech32.decode(lnurl as `${string}1${string}`, false);
    expect(prefix).toBe('lnurl');
    return new TextDecoder('utf-8', { fatal: true }).decode(bech32.fromWords(words));
  }

  /** LUD-03, step 3. */
  async offer(url: string): Promise<Json> {
    const offer = await this.get(url);
    expect(offer).toMatchObject({
      tag: 'withdrawRequest',
      callback: expect.stringMatching(/^https?:/),
      k1: expect.any(String),
      defaultDescription: expect.any(String),
      minWithdrawable: expect.any(Number),
      maxWithdrawable: expect.any(Number),
    });
    for (const amount of [offer.minWithdrawable, offer.maxWithdrawable]) expect(Number.isInteger(amount)).toBe(true);
    expect(offer.maxWithdrawable).toBeGreaterThanOrEqual(Math.max(1, offer.minWithdrawable));
    return offer;
  }

  /** LUD-03, steps 5 and 6, for the largest amount that it may withdraw. */
  async claim({ callback, k1, maxWithdrawable }: Json): Promise<Json> {
    const { paymentRequest } = this.#service.net.outside.invoice({ amountMsat: maxWithdrawable, script: { fee: 0 } });
    return this.get(`${callback}${callback.includes('?') ? '&' : '?'}k1=${k1}&pr=${paymentRequest}`);
  }

  /** LUD-14: "replace the previous with the new one -- just erase the previous if there is not a new one". */
  async check(url: string): Promise<Json> {
    const response = await this.get(url);
    this.balanceCheck = response.balanceCheck;
    return response;
  }

  /** LUD-17: "the prefixes replacing https:// (for clearnet URLs) and http:// (for onion URLs)". */
  follow(uri: string): Promise<Json> {
    const [, rest = ''] = /^lnurlw:\/\/(.*)$/.exec(uri) ?? [];
    const host = rest.split('/', 1)[0] ?? '';
    return this.offer(`${host.endsWith('.onion') ? 'http' : 'https'}://${rest}`);
  }
}

interface Given {
  readonly app: FakeNodeApp;
  readonly strict: StrictWallet;
  readonly wallet: TestWallet;
}

type Check = (given: Given) => Promise<void>;

/** Withdraws 100 of 1000 sat with a link, in each way that a LUD describes. */
const CHECKS: readonly (readonly [what: string, check: Check])[] = [
  [
    'LUD-01: is one word of bech32 in upper case, which decodes in both cases',
    async ({ app, strict, wallet }) => {
      const { lnurl, url } = await linkOf(app, wallet, { num_satoshis: 100 });
      expect(lnurl).toBe(lnurl.toUpperCase());
      expect([strict.decode(lnurl), strict.decode(lnurl.toLowerCase())]).toEqual([url, url]);
      expect(await strict.claim(await strict.offer(strict.decode(lnurl)))).toEqual(OK);
    },
  ],
  [
    'LUD-03: pays the invoice after it has answered OK, and answers ERROR with a reason to a second claim',
    async ({ app, strict, wallet }) => {
      const { url } = await linkOf(app, wallet, { num_satoshis: 100, memo: 'a gift' });
      const offer = await strict.offer(url);
      expect(offer).toMatchObject({ defaultDescription: 'a gift', minWithdrawable: 1_000, maxWithdrawable: 100_000 });
      expect(await strict.claim(offer)).toEqual(OK);
      await untilNothingPending(app, wallet);
      expect(await strict.claim(offer)).toEqual({ status: 'ERROR', reason: expect.any(String) });
    },
  ],
  [
    'LUD-03: offers one amount when there is no choice',
    async ({ app, strict }) => {
      const wallet = await app.client.wallet();
      await app.net.outside.keysend({ amountMsat: 1_600, customRecords: { '696969': Buffer.from(wallet.id).toString('hex') } });
      await expect.poll(async () => (await app.client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(1_600);
      const { url } = await permanentLink(app, wallet, { fee_limit_msat: 1_000 });
      expect(await strict.offer(url)).toMatchObject({ minWithdrawable: 600, maxWithdrawable: 600 });
    },
  ],
  [
    'LUD-08: has the parameters of step 3 in the URL, which still returns them',
    async ({ app, strict, wallet }) => {
      const memo = 'two & two = four, 100 % ⚡';
      const { lnurl_fast } = await linkOf(app, wallet, { num_satoshis: 100, memo });
      const url = strict.decode(lnurl_fast);
      const { tag, k1, minWithdrawable, maxWithdrawable, defaultDescription, callback } = Object.fromEntries(new URL(url).searchParams);
      const offer = await strict.offer(url);
      expect({ tag, k1, defaultDescription, callback }).toEqual({
        tag: offer.tag,
        k1: offer.k1,
        defaultDescription: memo,
        callback: offer.callback,
      });
      expect([minWithdrawable, maxWithdrawable]).toEqual(['1000', '100000']);
      // A wallet that implements LUD-08 skips the first request.
      expect(await strict.claim({ callback, k1, maxWithdrawable: Number(maxWithdrawable) })).toEqual(OK);
    },
  ],
  [
    'LUD-08: reveals the limit of the link, not the balance of the wallet',
    async ({ app, strict, wallet }) => {
      const { lnurl_fast } = await linkOf(app, wallet, { num_satoshis: 5000 });
      expect(new URL(strict.decode(lnurl_fast)).searchParams.get('maxWithdrawable')).toBe('5000000');
      expect(await permanentLink(app, wallet, {})).toMatchObject({ lnurl_fast: null });
    },
  ],
  [
    'LUD-14: leads from one balance check to the next until the last use, with the balance of all uses',
    async ({ app, strict, wallet }) => {
      const { url } = await linkOf(app, wallet, { num_satoshis: 100, uses: 3 });
      const first = await strict.check(url);
      expect(first).toMatchObject({ maxWithdrawable: 100_000, currentBalance: 300_000 });
      expect(await strict.claim(first)).toEqual(OK);
      for (const currentBalance of [200_000, undefined]) {
        const stored = strict.balanceCheck ?? '';
        expect(stored).not.toContain(new URL(url).searchParams.get('ott'));
        const checked = await strict.check(stored);
        // A check changes nothing, so it can be repeated.
        expect(await strict.check(strict.balanceCheck ?? '')).toEqual(checked);
        expect(checked.currentBalance).toBe(currentBalance);
        expect(await strict.claim(await strict.offer(stored))).toEqual(OK);
        await untilNothingPending(app, wallet);
      }
      const last = strict.balanceCheck ?? '';
      expect(await strict.check(last)).toEqual({ status: 'ERROR', reason: expect.stringMatching(/used/) });
      expect(strict.balanceCheck).toBeUndefined();
    },
  ],
  [
    'LUD-14: withdraws what arrives later with the stored URL of a permanent link, until it is revoked',
    async ({ app, strict }) => {
      const wallet = await app.client.wallet(100);
      const link = await permanentLink(app, wallet, { fee_limit_msat: 0 });
      expect(await strict.claim(await strict.check(link.url))).toEqual(OK);
      await untilNothingPending(app, wallet);
      const stored = strict.balanceCheck ?? '';
      expect(await strict.get(stored)).toMatchObject({ status: 'ERROR' });
      await app.client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 70 });
      const checked = await strict.check(stored);
      expect(checked).toMatchObject({ tag: 'withdrawRequest', maxWithdrawable: 70_000 });
      expect(checked).not.toHaveProperty('currentBalance');
      expect(await strict.claim(checked)).toEqual(OK);
      await revokeLink(app, wallet, link.id);
      expect(await strict.check(stored)).toMatchObject({ status: 'ERROR' });
    },
  ],
  [
    'LUD-17: is the URL with the scheme lnurlw',
    async ({ app, strict, wallet }) => {
      const { lnurlw_uri, url } = await linkOf(app, wallet, { num_satoshis: 100 });
      expect(lnurlw_uri).toBe(url.replace(/^https?:/, 'lnurlw:'));
      expect(await strict.claim(await strict.follow(lnurlw_uri))).toEqual(OK);
    },
  ],
  [
    'LUD-19: names the pay link of the wallet, unless it is inactive',
    async ({ app, strict, wallet }) => {
      const { url } = await linkOf(app, wallet, { num_satoshis: 100 });
      const { payLink } = await strict.offer(url);
      const [, rest = ''] = /^lnurlp:\/\/(.*)$/.exec(payLink) ?? [];
      const payUrl = `${new URL(url).protocol}//${rest}`;
      expect(await strict.get(payUrl)).toMatchObject({ tag: 'payRequest' });
      const { default_lnurlpay_id } = await app.client.get(`/v1/wallet/${wallet.id}`);
      expect(payUrl).toContain(default_lnurlpay_id);
      const deleted = await app.client.request('DELETE', `/v1/lnurlp/${default_lnurlpay_id}`, { key: app.client.secretKey });
      expect(deleted.status, deleted.text).toBe(200);
      expect(await strict.offer(url)).not.toHaveProperty('payLink');
    },
  ],
];

for (const publicUrl of ['https://wallet.example/satchel', `http://${'a'.repeat(56)}.onion`]) {
  onFakeNode(
    `a withdraw link at ${publicUrl.slice(0, 24)}`,
    (app) => {
      it.each(CHECKS)('%s', async (_what, check) => {
        const wallet = await app.client.wallet(1000);
        await check({ app, strict: new StrictWallet(app, publicUrl), wallet });
        await untilNothingPending(app, wallet);
        expect(await app.problems()).toEqual([]);
      });
    },
    { PUBLIC_URL: publicUrl },
  );
}

onFakeNode('withdraw links of a service without https', (app) => {
  it('name no pay link, because LUD-19 allows only an lnurlp address', async () => {
    const { url } = await linkOf(app, await app.client.wallet(1000), { num_satoshis: 100 });
    const offer = (await app.client.request('GET', new URL(url).pathname + new URL(url).search)).body;
    expect(offer).toMatchObject({ tag: 'withdrawRequest', maxWithdrawable: 100_000 });
    expect(offer).not.toHaveProperty('payLink');
  });
});
