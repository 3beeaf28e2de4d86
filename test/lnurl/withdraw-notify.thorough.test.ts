import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { claimAll, linkOf, MONTH, noonIn, OK, permanentLink, revokeLink, setClock, untilNothingPending, visit } from './claiming-wallet.ts';

reloadModulesAfterFile();
afterEach(() => {
  vi.restoreAllMocks();
});

/** The server of a wallet that wants to be notified. */
interface WalletServer {
  readonly url: (path: string) => string;
  /** What it received: method, path and body. */
  readonly calls: string[];
  status: number;
}

function walletServer(): WalletServer {
  const calls: string[] = [];
  let server: Server;
  const own: WalletServer = {
    calls,
    status: 200,
    url: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
  };
  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        calls.push(`${request.method} ${request.url} ${body}`);
        response.statusCode = own.status;
        response.end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    calls.length = 0;
    own.status = 200;
  });
  afterAll(() => server.close());
  return own;
}

const notify = (url: string): string => `&balanceNotify=${encodeURIComponent(url)}`;

async function fund({ client }: FakeNodeApp, wallet: TestWallet, num_satoshis: number): Promise<void> {
  await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis });
}

/** Waits until the job has compared all links after what the test did: two rounds have begun and ended. */
async function rounds(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 300));
}

onFakeNode(
  'LUD-15: balanceNotify',
  (service) => {
    const { client, net } = service;
    const server = walletServer();
    const invoice = (amountMsat: number, script: object = { fee: 0 }) =>
      net.outside.invoice({ amountMsat, script, expirySeconds: MONTH }).paymentRequest;
    const stored = (linkId: string): Promise<Json[]> =>
      service.rows('SELECT url, failures, due_at FROM withdraw_notice WHERE link_id = $1 ORDER BY id', linkId);

    it('is called by POST, without a body, when more can be withdrawn than after the claim', async () => {
      const wallet = await client.wallet(1010);
      const link = await permanentLink(service, wallet, {});
      expect(await claimAll(link.url, invoice(1_000_000), notify(server.url('/notify?id=7')))).toEqual(OK);
      await untilNothingPending(service, wallet);
      await rounds();
      // The fee that routing did not cost can be withdrawn.
      expect(server.calls).toEqual(['POST /notify?id=7 ']);
      server.calls.length = 0;
      await fund(service, wallet, 50);
      await expect.poll(() => server.calls).toEqual(['POST /notify?id=7 ']);
      await rounds();
      expect(server.calls).toHaveLength(1);
      const offer = await visit(link.url);
      expect(offer.maxWithdrawable).toBeGreaterThan(50_000);
    });

    it('is called again only after the amount rises again', async () => {
      const wallet = await client.wallet(200);
      const link = await permanentLink(service, wallet, { num_satoshis: 100, fee_limit_msat: 0 });
      expect(await claimAll(link.url, invoice(100_000), notify(server.url('/a')))).toEqual(OK);
      await untilNothingPending(service, wallet);
      await rounds();
      // Still 100 sat per claim.
      expect(server.calls).toEqual([]);
      expect(await claimAll(link.url, invoice(70_000))).toEqual(OK);
      await untilNothingPending(service, wallet);
      await rounds();
      expect(server.calls).toEqual([]);
      await fund(service, wallet, 10);
      await expect.poll(() => server.calls).toEqual(['POST /a ']);
      await fund(service, wallet, 1000);
      await expect.poll(() => server.calls).toHaveLength(2);
      await fund(service, wallet, 1000);
      await rounds();
      expect(server.calls).toHaveLength(2);
    });

    it('is called when the daily limit is renewed, and when the last claim has failed', async () => {
      const wallet = await client.wallet(1000);
      setClock(noonIn(1));
      const daily = await permanentLink(service, wallet, { num_satoshis: 100, fee_limit_msat: 0, daily_limit_msat: 100_000 });
      expect(await claimAll(daily.url, invoice(100_000), notify(server.url('/daily')))).toEqual(OK);
      await untilNothingPending(service, wallet);
      await rounds();
      expect(server.calls).toEqual([]);
      setClock(noonIn(2));
      await expect.poll(() => server.calls).toEqual(['POST /daily ']);
      const twice = await linkOf(service, wallet, { num_satoshis: 100, uses: 2 });
      expect(await claimAll(twice.url, invoice(1_000))).toEqual(OK);
      const held = net.outside.invoice({ amountMsat: 1_000, script: { hold: true }, expirySeconds: MONTH });
      expect(await claimAll(twice.url, held.paymentRequest, notify(server.url('/twice')))).toEqual(OK);
      await rounds();
      expect(server.calls).toHaveLength(1);
      net.outside.resolveHold(held.paymentHash, 'cancel');
      await expect.poll(() => server.calls).toEqual(['POST /daily ', 'POST /twice ']);
    });

    it('is kept when the last claim fails while the job compares the amounts', async () => {
      const wallet = await client.wallet(1000);
      const link = await linkOf(service, wallet, { num_satoshis: 100, uses: 2 });
      expect(await claimAll(link.url, invoice(1_000))).toEqual(OK);
      const held = net.outside.invoice({ amountMsat: 1_000, script: { hold: true }, expirySeconds: MONTH });
      expect(await claimAll(link.url, held.paymentRequest, notify(server.url('/kept')))).toEqual(OK);
      const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      service.delaysAfter = (name) => {
        if (name !== 'withdraw_link_find_by_id') return undefined;
        service.delaysAfter = undefined;
        reached.resolve();
        return released.promise;
      };
      await reached.promise;
      net.outside.resolveHold(held.paymentHash, 'cancel');
      await untilNothingPending(service, wallet);
      released.resolve();
      await expect.poll(() => server.calls).toEqual(['POST /kept ']);
    });

    it('is stored once per address, for the five newest addresses of a reusable link', async () => {
      const wallet = await client.wallet(1000);
      const once = await linkOf(service, wallet, { num_satoshis: 1 });
      expect(await claimAll(once.url, invoice(1_000), notify(server.url('/once')))).toEqual(OK);
      expect(await stored(once.id)).toEqual([]);
      const link = await permanentLink(service, wallet, { num_satoshis: 1 });
      for (const path of ['/1', '/2', '/3', '/1', '/4', '/5', '/6', '/6'])
        expect(await claimAll(link.url, invoice(1_000), notify(server.url(path)))).toEqual(OK);
      expect((await stored(link.id)).map(({ url }) => new URL(url).pathname)).toEqual(['/3', '/1', '/4', '/5', '/6']);
      await revokeLink(service, wallet, link.id);
      await expect.poll(() => stored(link.id)).toEqual([]);
    });

    it('never keeps a claim from being paid', async () => {
      const wallet = await client.wallet(1000);
      const link = await permanentLink(service, wallet, { num_satoshis: 1 });
      for (const url of ['nonsense', 'file:///etc/passwd', 'https://user:pass@wallet.example/', 'javascript:alert(1)', ' '])
        expect(await claimAll(link.url, invoice(1_000), notify(url)), url).toEqual(OK);
      expect(await stored(link.id)).toEqual([]);
      service.writeFailsAt = (name) => name.startsWith('withdraw_notice');
      expect(await claimAll(link.url, invoice(1_000), notify(server.url('/lost')))).toEqual(OK);
      service.writeFailsAt = undefined;
      await untilNothingPending(service, wallet);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(994);
      // Longer than any address that is accepted. The claim is rejected before anything is paid.
      const long = `https://wallet.example/${'x'.repeat(2048)}`;
      expect(await claimAll(link.url, invoice(1_000), notify(long))).toMatchObject({ status: 'ERROR' });
    });

    it('is not called where the service may not connect', async () => {
      const wallet = await client.wallet(1000);
      const link = await permanentLink(service, wallet, { fee_limit_msat: 0 });
      for (const url of ['http://[::1]/', 'http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/'])
        expect(await claimAll(link.url, invoice(1_000), notify(url))).toEqual(OK);
      await untilNothingPending(service, wallet);
      await fund(service, wallet, 100);
      // The guarded client never connects to these addresses, so they are given up at once.
      await expect.poll(() => stored(link.id)).toEqual([]);
    });

    it('is called again after a failure, later each time, and given up after six failures', async () => {
      const wallet = await client.wallet(1000);
      const link = await permanentLink(service, wallet, { fee_limit_msat: 0 });
      const [claimed, start] = [invoice(1_000), noonIn(1)];
      expect(await claimAll(link.url, claimed, notify(server.url('/down')))).toEqual(OK);
      await untilNothingPending(service, wallet);
      server.status = 500;
      setClock(start);
      await fund(service, wallet, 100);
      let now = start;
      for (const [index, wait] of [60, 300, 1800, 7200, 28_800].entries()) {
        await expect.poll(() => stored(link.id)).toMatchObject([{ failures: index + 1 }]);
        expect(server.calls).toHaveLength(index + 1);
        now += wait * 1000 - 2000;
        setClock(now);
        await rounds();
        expect(server.calls).toHaveLength(index + 1);
        now += 3000;
        setClock(now);
      }
      await expect.poll(() => stored(link.id)).toEqual([]);
      expect(server.calls).toHaveLength(6);
    });

    it('is called once it responds again', async () => {
      const wallet = await client.wallet(1000);
      const link = await permanentLink(service, wallet, { fee_limit_msat: 0 });
      expect(await claimAll(link.url, invoice(1_000), notify(server.url('/back')))).toEqual(OK);
      await untilNothingPending(service, wallet);
      const start = noonIn(1);
      setClock(start);
      server.status = 302;
      await fund(service, wallet, 100);
      await expect.poll(() => stored(link.id)).toMatchObject([{ failures: 1 }]);
      server.status = 204;
      setClock(start + 61_000);
      await expect.poll(() => stored(link.id)).toMatchObject([{ failures: 0, due_at: null }]);
      expect(server.calls.filter((call) => call.includes('/back'))).toHaveLength(2);
      expect(await service.problems()).toEqual([]);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1' },
  { noticesMs: 50 },
);
