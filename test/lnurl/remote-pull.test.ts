import { beforeEach, expect, it } from 'vitest';
import { decodeBolt11 } from '../../src/core/lightning/bolt11/bolt11.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { hangUp, RemoteService, type Reply, raw } from './payee.ts';

reloadModulesAfterFile();

onFakeNode(
  'withdrawing from links of other services',
  ({ client, net, problems }) => {
    const service = RemoteService.ofSuite();
    let wallet: TestWallet;

    beforeEach(async () => {
      wallet = await client.wallet();
      service.requests = [];
      service.parameters = () => offer();
      service.callback = () => ({ status: 'OK' });
    });

    const offer = (changes: object = {}): Json => ({
      tag: 'withdrawRequest',
      callback: `${service.url}/cb?id=7`,
      k1: 'secret & k1',
      defaultDescription: 'A \u0007gift',
      minWithdrawable: 1000,
      maxWithdrawable: 50_000,
      balanceCheck: 'https://10.0.0.1/',
      payLink: 'file:///etc/passwd',
      ...changes,
    });
    const pull = (json: object = {}, headers: Record<string, string> = {}, key = client.secretKey) =>
      client.request('POST', `/v1/wallet/${wallet.id}/lnurl/pull`, {
        key,
        json: { lnurl: service.lnurl, num_satoshis: 20, ...json },
        headers,
      });
    const balance = async (): Promise<number> => (await client.get(`/v1/wallet/${wallet.id}`)).balance;
    const openInvoices = (): Promise<Json[]> => client.get(`/v1/wallet/${wallet.id}/transactions?status=open`);
    /** The invoices that the service received. */
    const invoices = () => service.requests.flatMap((path) => new URL(path, service.url).searchParams.get('pr') ?? []);

    it('sends an invoice of the wallet, and credits it when it is paid', async () => {
      const { status, body } = await pull();
      expect(status).toBe(201);
      expect(body).toMatchObject({
        num_satoshis: 20,
        memo: 'A  gift',
        status: 'open',
        settled: 0,
        passThru: { lnurl_domain: service.host },
        expires_at: body.created_at + 3600,
      });
      expect(service.requests).toEqual(['/link?id=1', `/cb?id=7&k1=secret%20%26%20k1&pr=${body.payment_request}`]);
      await net.outside.pay({ paymentRequest: body.payment_request });
      await expect.poll(balance).toBe(20);
      expect(await client.get(`/v1/lntx/${body.id}`)).toMatchObject({ status: 'settled' });
      const [row] = await client.get(`/v1/wallet/${wallet.id}/transactions`);
      expect(row).toMatchObject({ num_satoshis: 20, wtxType: { name: 'ln_deposit' } });
      expect(await problems()).toEqual([]);
    });

    it('takes links in every form, the own memo, and the keys that may receive', async () => {
      const link = `lnurlw://${service.host}/link?id=1`;
      for (const key of [wallet.admin, wallet.invoice]) {
        const { status, body } = await pull({ lnurl: link, memo: 'mine' }, {}, key);
        expect([status, body.memo, decodeBolt11(body.payment_request).description]).toEqual([201, 'mine', 'mine']);
      }
      expect((await pull({}, {}, wallet.read)).status).toBe(403);
    });

    it('ignores the parameters in the URL of a fast link (LUD-08)', async () => {
      const lnurl = `lnurlw://${service.host}/link?tag=withdrawRequest&k1=00&minWithdrawable=1&maxWithdrawable=1&callback=https://10.0.0.1/`;
      expect((await pull({ lnurl })).status).toBe(201);
      expect(service.requests.at(-1)).toMatch(/^\/cb\?id=7&k1=secret/);
    });

    it('creates one invoice per Idempotency-Key', async () => {
      const headers = { 'idempotency-key': 'gift-1' };
      const [one, two] = await Promise.all([pull({}, headers), pull({}, headers)]);
      const three = await pull({}, headers);
      expect([one, two, three].map(({ status, body }) => [status, body.id])).toEqual(Array.from({ length: 3 }, () => [201, one.body.id]));
      expect(three.headers.get('idempotency-replayed')).toBe('true');
      expect(invoices()).toHaveLength(1);
      expect((await pull({ num_satoshis: 21 }, headers)).status).toBe(422);
    });

    it('L7: cancels the invoice of a withdrawal that the service refused, and shows its reason', async () => {
      service.callback = () => ({ status: 'ERROR', reason: 'Already <b>used</b>\u0000' });
      const headers = { 'idempotency-key': 'gift-2' };
      const first = await pull({}, headers);
      expect(first.body).toMatchObject({ status: 400, type: 'lnurl_refused', message: expect.stringMatching(/refused: “Already used”/) });
      expect(first.headers.get('idempotency-replayed')).toBeNull();
      expect(await openInvoices()).toEqual([]);
      const again = await pull({}, headers);
      expect(again.body).toMatchObject({
        status: 400,
        type: 'lnurl_refused',
        message: expect.stringMatching(/invoice lntx_\w+ was cancelled/),
      });
      expect(invoices()).toHaveLength(1);
      // The service cannot pay after it has refused: the node rejects the payment.
      expect(await net.outside.pay({ paymentRequest: invoices()[0] ?? '' })).toMatchObject({ state: 'failed' });
      expect([await balance(), await problems()]).toEqual([0, []]);
    });

    it('C3: credits the invoice of a service that paid and then reported an error', async () => {
      service.callback = async (query) => {
        await net.outside.pay({ paymentRequest: query.get('pr') ?? '' });
        await expect.poll(balance).toBe(20);
        return { status: 'ERROR', reason: 'oops' };
      };
      const { status, body } = await pull();
      expect([status, body.status]).toEqual([201, 'settled']);
      expect([await balance(), await problems()]).toEqual([20, []]);
    });

    it('leaves the invoice open when the node does not confirm its cancellation', async () => {
      service.callback = () => {
        net.always('cancelInvoice', { unavailable: true });
        return { status: 'ERROR', reason: 'oops' };
      };
      const { status, body } = await pull();
      net.always('cancelInvoice', undefined);
      expect([status, body.status]).toEqual([201, 'open']);
      await net.outside.pay({ paymentRequest: body.payment_request });
      await expect.poll(balance).toBe(20);
    });

    const unclear: readonly (readonly [string, () => Reply])[] = [
      ['no response', () => hangUp()],
      ['a page', () => raw('<h1>502</h1>', 502)],
      ['no status', () => ({})],
      ['another status', () => ({ status: 'MAYBE' })],
      ['an array', () => []],
    ];

    it.each(unclear)('C3: keeps the invoice payable when the callback returns %s, because the service may pay it', async (_, reply) => {
      service.callback = reply;
      const { status, body } = await pull();
      expect([status, body.status]).toEqual([201, 'open']);
      await net.outside.pay({ paymentRequest: body.payment_request });
      await expect.poll(balance).toBe(20);
    });

    const refused: readonly (readonly [string, () => Reply, string, RegExp])[] = [
      ['no JSON', () => raw('hello'), 'lnurl_unavailable', /no valid response/],
      ['1 MB', () => offer({ x: 'x'.repeat(1_000_000) }), 'lnurl_unavailable', /no valid response/],
      ['an error', () => ({ status: 'ERROR', reason: 'gone' }), 'lnurl_refused', /refused: “gone”/],
      ['a pay link', () => ({ tag: 'payRequest' }), 'lnurl_invalid', /lnurlp\/pay/],
      ['no tag', () => offer({ tag: undefined }), 'lnurl_refused', /`tag`/],
      ['min above max', () => offer({ minWithdrawable: 50_001 }), 'lnurl_refused', /above/],
      ['a negative amount', () => offer({ minWithdrawable: -1 }), 'lnurl_refused', /`minWithdrawable`/],
      ['a fraction', () => offer({ maxWithdrawable: 50_000.5 }), 'lnurl_refused', /`maxWithdrawable`/],
      ['no k1', () => offer({ k1: undefined }), 'lnurl_refused', /`k1`/],
      ['a long k1', () => offer({ k1: 'x'.repeat(1001) }), 'lnurl_refused', /`k1`/],
      ['a callback to a file', () => offer({ callback: 'file:///etc/passwd' }), 'lnurl_refused', /`callback`/],
      ['a smaller maximum', () => offer({ maxWithdrawable: 19_999 }), 'validation_failed', /`num_satoshis`.*1 sat to 19.999 sat/],
      ['a larger minimum', () => offer({ minWithdrawable: 20_001 }), 'validation_failed', /`num_satoshis`.*20.001 sat to 50 sat/],
      ['nothing to withdraw', () => offer({ minWithdrawable: 0, maxWithdrawable: 0 }), 'validation_failed', /0 sat to 0 sat/],
    ];

    it.each(refused)('creates no invoice when step 1 returns %s', async (_, reply, type, message) => {
      service.parameters = reply;
      expect((await pull()).body).toMatchObject({ status: 400, type, message: expect.stringMatching(message) });
      expect([await openInvoices(), invoices()]).toEqual([[], []]);
    });

    it('cancels an invoice that was not sent, because its callback cannot be called', async () => {
      service.parameters = () => offer({ callback: 'http://9.9.9.9/cb' });
      expect((await pull()).body).toMatchObject({
        status: 400,
        type: 'lnurl_refused',
        message: expect.stringMatching(/`callback`.*https/),
      });
      expect(await openInvoices()).toEqual([]);
    });

    it('refuses addresses and pay links with the remedy', async () => {
      for (const lnurl of [service.address, `lnurlp://${service.host}/x`])
        expect((await pull({ lnurl })).body).toMatchObject({
          status: 400,
          type: 'lnurl_invalid',
          message: expect.stringMatching(/lnurlp\/pay/),
        });
    });

    it('withdraws from a link of another wallet of the same service', async () => {
      const rich = await client.wallet(1000);
      const { lnurl } = await client.post(`/v1/wallet/${rich.id}/lnurl/withdraw`, { num_satoshis: 100 });
      expect((await pull({ lnurl })).status).toBe(201);
      await expect.poll(balance).toBe(20);
      expect((await client.get(`/v1/wallet/${rich.id}`)).balance).toBe(980);
      // The link is used up.
      expect((await pull({ lnurl })).body).toMatchObject({ status: 400, type: 'lnurl_refused' });
      expect([await openInvoices(), await problems()]).toEqual([[], []]);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1' },
);
