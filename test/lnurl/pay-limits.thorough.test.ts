import { afterEach, describe, expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { visit } from './strict-payer.ts';

const MAX = 5;

const from = (address: string) => ({ 'x-forwarded-for': address });

afterEach(() => vi.restoreAllMocks());

onFakeNode(
  'the open invoices of a pay link',
  (app, dialect) => {
    const { client, rows, problems } = app;

    async function payable(): Promise<{ wallet: TestWallet; url: string; bill: (url?: string, ip?: string) => Promise<Json> }> {
      const wallet = await client.wallet();
      const { url } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, {});
      return { wallet, url, bill: (at = url, ip = '203.0.113.1') => visit(`${at}?amount=1000`, from(ip)) };
    }
    const openCountOf = async ({ id }: TestWallet) =>
      (await rows("SELECT id FROM invoice WHERE wallet_id = $1 AND state = 'open'", id)).length;
    const invoice = async (wallet: TestWallet) =>
      (await client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: wallet.invoice, json: { num_satoshis: 1 } })).status;

    it('C4: beyond their limit, lose the oldest of the network that has most, and leave those of the owner alone', async () => {
      const { wallet, bill } = await payable();
      const openOf = async () =>
        (await rows("SELECT id FROM invoice WHERE wallet_id = $1 AND state = 'open' ORDER BY id", wallet.id)).map(({ id }) => id);
      await bill(undefined, '203.0.113.9');
      const [neighbours] = await openOf();
      for (let i = 0; i < MAX - 1; i++) await bill(undefined, `2001:db8:${i}::1`);
      const full = await openOf();
      expect(full).toHaveLength(MAX);
      // A payer of another network, and more of the network that has most.
      expect((await bill(undefined, '198.51.100.1')).status).toBe('OK');
      const after = await openOf();
      expect(full.filter((id) => !after.includes(id))).toEqual([full[1]]);
      for (let i = 0; i < 3; i++) expect((await bill(undefined, `2001:db8:aa:${i}::1`)).status).toBe('OK');
      const last = await openOf();
      expect(last).toHaveLength(MAX);
      expect(last).toEqual(expect.arrayContaining([neighbours, after.at(-1)]));
      for (let i = 0; i < MAX; i++) expect(await invoice(wallet)).toBe(201);
      expect(await invoice(wallet)).toBe(429);
      expect((await bill()).status).toBe('OK');
      expect(await problems()).toEqual([]);
    });

    it('are never canceled while they are being paid', async () => {
      const { wallet, bill } = await payable();
      for (let i = 0; i < MAX; i++) await bill();
      await app.execute("UPDATE invoice SET state = 'closing' WHERE wallet_id = $1", wallet.id);
      for (let i = 0; i < MAX + 1; i++) expect((await bill()).status).toBe('OK');
      expect(await rows("SELECT id FROM invoice WHERE wallet_id = $1 AND state = 'closing'", wallet.id)).toHaveLength(MAX);
      await app.execute("UPDATE invoice SET state = 'open' WHERE wallet_id = $1 AND state = 'closing'", wallet.id);
    });

    it('expire sooner while more than half of the limit is used', async () => {
      const { wallet, bill } = await payable();
      for (let i = 0; i < MAX + 1; i++) await bill();
      const all = await rows('SELECT expiry_seconds FROM invoice WHERE wallet_id = $1 ORDER BY id', wallet.id);
      expect(all.map(({ expiry_seconds }) => expiry_seconds)).toEqual([600, 600, 600, 120, 120, 120]);
    });

    it('are not limited by those of the owner', async () => {
      const { wallet, bill } = await payable();
      for (let i = 0; i < MAX; i++) expect(await invoice(wallet)).toBe(201);
      expect(await invoice(wallet)).toBe(429);
      expect((await bill()).status).toBe('OK');
    });

    it('count together for all links of a wallet, and not for other wallets', async () => {
      const [one, two] = [await payable(), await payable()];
      const { url } = await client.post(`/v1/wallet/${one.wallet.id}/lnurlp`, {});
      for (let i = 0; i < MAX; i++) expect((await one.bill(i % 2 === 0 ? url : one.url)).status).toBe('OK');
      expect((await two.bill()).status).toBe('OK');
      expect((await one.bill(url)).status).toBe('OK');
      expect([await openCountOf(one.wallet), await openCountOf(two.wallet)]).toEqual([MAX, 1]);
    });

    it('expire after ten minutes and are then not counted', async () => {
      const { wallet, bill } = await payable();
      for (let i = 0; i < MAX; i++) await bill();
      const [{ expiry_seconds } = {}] = await rows(
        'SELECT expiry_seconds FROM invoice WHERE wallet_id = $1 ORDER BY id LIMIT 1',
        wallet.id,
      );
      expect(expiry_seconds).toBe(600);
      await app.execute('UPDATE invoice SET expires_at = created_at - 1 WHERE wallet_id = $1', wallet.id);
      expect((await bill()).status).toBe('OK');
      expect(await rows("SELECT id FROM invoice WHERE wallet_id = $1 AND state = 'canceled'", wallet.id)).toEqual([]);
    });

    it('stay within the limit with many requests at once', async () => {
      const { wallet, bill } = await payable();
      await Promise.all(Array.from({ length: 30 }, () => bill()));
      const most = dialect === 'sqlite' ? MAX : 30;
      expect(await openCountOf(wallet)).toBeLessThanOrEqual(most);
      expect(await openCountOf(wallet)).toBeGreaterThanOrEqual(1);
      expect(await problems()).toEqual([]);
    });
  },
  { MAX_OPEN_INVOICES: String(MAX), TRUST_PROXY: '1' },
);

describe('payers of one address', () => {
  onFakeNode(
    'with the default limit',
    ({ client }) => {
      it('C4: request at most a burst of invoices of a wallet, which other addresses and wallets do not notice', async () => {
        const [wallet, other] = [await client.wallet(), await client.wallet()];
        const urlOf = async ({ id }: TestWallet) => {
          const { default_lnurlpay_id } = await client.get(`/v1/wallet/${id}`);
          return `${(await client.get(`/v1/lnurlp/${default_lnurlpay_id}`)).url}?amount=1000`;
        };
        const [url, otherUrl] = [await urlOf(wallet), await urlOf(other)];
        const start = performance.now();
        const responses = await Promise.all(Array.from({ length: 190 }, () => visit(url, from('203.0.113.1'))));
        const seconds = Math.ceil((performance.now() - start) / 1000);
        const refused = responses.filter(({ status }) => status === 'ERROR');
        expect(responses.length - refused.length).toBeGreaterThanOrEqual(60);
        expect(responses.length - refused.length).toBeLessThanOrEqual(60 + seconds);
        for (const one of refused) expect(one.reason).toMatch(/Too many invoices were requested from this address. Try again in a minute/);
        expect((await visit(url, from('203.0.113.2'))).status).toBe('OK');
        expect((await visit(otherUrl, from('203.0.113.1'))).status).toBe('OK');
        const many = await Promise.all(
          Array.from({ length: 450 }, (_, i) => visit(`${client.url}/v1/wallet/waklp_${i}/lnurlp/x?amount=1`, from('203.0.113.4'))),
        );
        expect(many.map(({ reason }) => reason).join()).toMatch(/Too many invoices were requested from this address/);
        expect((await visit(otherUrl, from('203.0.113.5'))).status).toBe('OK');
        // Step 1 creates nothing.
        expect((await visit(url.split('?')[0] ?? '', from('203.0.113.1'))).tag).toBe('payRequest');
      });
    },
    { TRUST_PROXY: '1' },
  );

  onFakeNode(
    'with pages and QR codes',
    ({ client }) => {
      it('get a limited number of them, and as many responses without them as before', async () => {
        const { id } = await client.wallet(100);
        const { default_lnurlpay_id } = await client.get(`/v1/wallet/${id}`);
        const { url } = await client.get(`/v1/lnurlp/${default_lnurlpay_id}`);
        const { url: withdrawUrl = '' } = await client.post(`/v1/wallet/${id}/lnurl/withdraw`, { num_satoshis: 10 });
        const invoice = await client.post(`/v1/wallet/${id}/invoice`, { num_satoshis: 1 });
        const [path, query] = withdrawUrl.split('?');
        const images = [`${url}/qr.svg`, `${path}/qr.png?${query}`];
        const invoiceImage = `${client.url}/v1/lntx/${invoice.id}/qr.svg?access-token=${client.publicKey}`;
        const browser = { accept: 'text/html,application/xhtml+xml', ...from('203.0.113.6') };
        const statusOf = async (at: string, address: string) => (await fetch(at, { headers: from(address) })).status;
        // The buckets do not fill meanwhile.
        vi.spyOn(performance, 'now').mockReturnValue(performance.now());
        for (let i = 0; i < 100; i += 1) expect(await statusOf(images[0] ?? '', '203.0.113.6')).toBe(200);
        expect(await (await fetch(withdrawUrl, { headers: browser })).text()).toMatch(/Too many QR codes/);
        for (const page of [url, invoice.page_url]) {
          const response = await fetch(page, { headers: browser });
          expect([response.status, await response.text()]).toEqual([
            429,
            expect.stringContaining('Too many requests came from your network'),
          ]);
        }
        for (const image of [...images, invoiceImage]) {
          expect(await statusOf(image, '203.0.113.6')).toBe(429);
          expect(await statusOf(image, '203.0.113.7')).toBe(200);
        }
        expect((await visit(url, from('203.0.113.6'))).tag).toBe('payRequest');
      });
    },
    { TRUST_PROXY: '1' },
  );

  onFakeNode(
    'with a limit for all requests',
    ({ client }) => {
      it('get an error of LNURL beyond it', async () => {
        const responses: Json[] = [];
        for (let i = 0; i < 10; i++) responses.push(await visit(`${client.url}/.well-known/lnurlp/nobody`, from('203.0.113.3')));
        expect(responses.at(-1)).toEqual({ status: 'ERROR', reason: expect.stringMatching(/Too many requests/) });
      });
    },
    { TRUST_PROXY: '1', ADDRESS_RATE_LIMIT_PER_SECOND: '1', ADDRESS_RATE_LIMIT_BURST: '5' },
  );
});
