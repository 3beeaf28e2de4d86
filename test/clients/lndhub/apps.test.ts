import { expect, it } from 'vitest';
import { onFakeNode } from '../../support/app.ts';
import type { Json } from '../../support/client.ts';
import { Alby } from './alby.ts';
import { BlueWallet, isServer, splitLink } from './bluewallet.ts';
import { BtcPay } from './btcpay.ts';
import { readLink, Zeus } from './zeus.ts';

const SETTINGS = { LNDHUB: 'true', PAYMENT_WAIT_SECONDS: '1', UNLIMITED_LOGINS: 'true' };

onFakeNode(
  'wallet apps',
  ({ client, net, problems, execute }) => {
    /** Returns a funded wallet with the link of a new key. */
    async function connect(numSatoshis = 1000, kind = 'wallet_admin') {
      const wallet = await client.wallet(numSatoshis);
      const { id, lndhub_link } = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind });
      const link: string = lndhub_link.replace(/@.*/, `@${client.url}/lndhub/ext/`);
      return { wallet, link, revoke: () => execute('UPDATE access_key SET revoked_at = 1 WHERE id = $1', id) };
    }
    const outside = (amountMsat?: number, script = {}) => net.outside.invoice({ ...(amountMsat && { amountMsat }), script });

    it('BlueWallet sets a server up, receives, pays, lists and logs in again', async () => {
      const { link, revoke } = await connect();
      expect(await isServer(splitLink(link).base)).toBe(true);
      const app = new BlueWallet(link);
      await app.authorize();
      await app.refreshTokens();
      expect(await app.fetchBalance()).toBe(1000);
      const { payReq, hash } = await app.addInvoice(21, 'tea');
      await net.outside.pay({ paymentRequest: payReq });
      await expect.poll(async () => app.fetchBalance()).toBe(1021);
      const { paymentRequest, paymentHash } = outside(5_000);
      await app.payInvoice(paymentRequest);
      const free = outside();
      await app.payInvoice(free.paymentRequest, 7);
      const { payments, invoices, addresses, pending } = await app.refresh();
      expect([pending, addresses]).toEqual([[], []]);
      expect(payments.map(({ value }: Json) => value)).toEqual([7, 5]);
      expect(Buffer.from(payments[1].payment_hash.data).toString('hex')).toBe(paymentHash);
      expect(invoices.find(({ payment_hash }: Json) => payment_hash === hash)).toMatchObject({ ispaid: true, amt: 21, description: 'tea' });
      app.loseToken();
      expect(await app.fetchBalance()).toBe(1009);
      expect((await app.fetchInfo()).identity_pubkey).toMatch(/^0[23]/);
      await expect(app.create()).rejects.toThrow('API error: not accepting new accounts (code 11)');
      await revoke();
      await expect(app.fetchBalance()).rejects.toThrow('bad auth');
      expect(await problems()).toEqual([]);
    });

    it('Zeus connects, receives, pays, sends without an invoice and lists', async () => {
      const { link, revoke } = await connect();
      expect(readLink(link)).toMatchObject({ receivesOnChain: false, sends: true });
      expect(readLink((await connect(0, 'wallet_invoice')).link)).toMatchObject({ sends: false });
      const app = new Zeus(link);
      await app.login();
      const { paymentRequest, hash } = await app.createInvoice(30, 'book');
      expect(await app.isPaid(hash, 30)).toBe(false);
      await net.outside.pay({ paymentRequest });
      await expect.poll(() => app.isPaid(hash, 30)).toBe(true);
      const invoice = outside(5_000);
      expect(await app.decode(invoice.paymentRequest)).toMatchObject({ num_satoshis: '5', payment_hash: invoice.paymentHash });
      await app.payInvoice(invoice.paymentRequest);
      await app.payInvoice(outside().paymentRequest, '6');
      const { nodes } = await client.get('/playground');
      const { pubkey } = nodes.find(({ name }: Json) => name === 'alice');
      expect(await app.keysend(pubkey, 4, { '696969': 'a text' })).toMatchObject({ destination: pubkey, num_satoshis: 4 });
      expect((await app.payments()).map(({ value, keysend }) => [value, keysend])).toEqual([
        [4, true],
        [6, false],
        [5, false],
      ]);
      expect(await app.balance()).toBe(1015);
      await revoke();
      await expect(app.balance()).rejects.toMatchObject({ code: 1, status: 401 });
      expect(await problems()).toEqual([]);
    });

    it('Alby connects, receives and pays, and shows an error when its token has expired', async () => {
      const { link } = await connect();
      const app = new Alby(link);
      await app.authorize();
      expect(await app.getBalance()).toBe(1000);
      expect((await app.getInfo()).alias).toBeTypeOf('string');
      const { paymentRequest, rHash } = await app.makeInvoice('12', 'coffee');
      expect(await app.checkPayment(rHash)).toBe(false);
      await net.outside.pay({ paymentRequest });
      await expect.poll(() => app.checkPayment(rHash)).toBe(true);
      const { route, preimage } = await app.sendPayment(outside(5_000).paymentRequest);
      expect(route).toEqual({ total_amt: 5, total_fees: 0 });
      expect(preimage).toMatch(/^[0-9a-f]{64}$/);
      app.loseToken();
      await expect(app.getBalance()).rejects.toThrow('bad auth');
      expect(await problems()).toEqual([]);
    });

    it('BTCPay receives and pays with one login, and finds each payment in its lists', async () => {
      const { link, revoke } = await connect();
      const app = new BtcPay(link);
      expect(await app.balance()).toBe(1000);
      const created = await app.createInvoice(50, 'order');
      expect(created).toMatchObject({ ispaid: false, amt: 50, expiresAt: created.timestamp + 86_400 });
      await net.outside.pay({ paymentRequest: created.payment_request });
      await expect.poll(async () => (await app.findInvoice(created.payment_hash))?.ispaid).toBe(true);
      const { paymentRequest, paymentHash } = outside(5_000, { fee: 1_500 });
      const paid = await app.pay(paymentRequest, 5);
      expect(paid).toMatchObject({ result: 'ok', amountSat: 5, feeSat: 2 });
      expect(await app.findPayment(paymentHash)).toEqual({ amountSat: 5, feeSat: 2 });
      expect(app.logins).toBe(1);
      app.loseToken();
      expect(await app.balance()).toBe(1043);
      expect(await app.pay(outside(5_000, { fail: 'NO_ROUTE' }).paymentRequest)).toEqual({ result: 'no route' });
      expect(await app.pay(outside(5_000, { fail: 'TIMEOUT' }).paymentRequest)).toEqual({ result: 'error' });
      await revoke();
      await expect(app.balance()).rejects.toThrow();
      expect(await problems()).toEqual([]);
    });

    it('H1: BTCPay learns the outcome of a held payment from the same request', async () => {
      const { link } = await connect();
      const app = new BtcPay(link);
      const { paymentRequest, paymentHash } = outside(5_000, { hold: true });
      expect(await app.pay(paymentRequest)).toEqual({ result: 'unknown' });
      expect(await app.findPayment(paymentHash)).toEqual({ amountSat: 5, feeSat: 10 });
      await client.decideHold(paymentHash, 'settle');
      await expect.poll(() => app.pay(paymentRequest)).toMatchObject({ result: 'ok', amountSat: 5 });
      expect(await app.balance()).toBe(995);
      expect(await problems()).toEqual([]);
    });
  },
  SETTINGS,
);

onFakeNode(
  'wallet apps, with the status 200 for errors',
  ({ client }) => {
    it('Alby logs in again when its token has expired', async () => {
      const wallet = await client.wallet(10);
      const app = new Alby(`lndhub://admin:${wallet.admin}@${client.url}/lndhub/ext/`);
      await app.authorize();
      app.loseToken();
      expect(await app.getBalance()).toBe(10);
    });
  },
  { ...SETTINGS, LNDHUB_STATUS_200: 'true' },
);
