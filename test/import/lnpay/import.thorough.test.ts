import { createHash, createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { openLnpay } from '../../../src/features/import/lnpay/lnpay.ts';
import type { SourceWallet } from '../../../src/features/import/source.ts';
import { onFakeNode } from '../../support/app.ts';
import type { Json } from '../../support/client.ts';
import { startReceiver } from '../../webhooks/receiver.ts';
import { FAST, LOCAL } from '../../webhooks/timing.ts';
import { collect } from '../collect.ts';
import { ADDRESS_DOMAIN, importInto, planOf } from '../run.ts';
import { LNPAY_BALANCES, LNPAY_DUMP } from './fixture.ts';

/** The preimage of the open invoice of the fixture, which LNPay does not store before the payment. */
const OPEN_PREIMAGE = createHash('sha256').update('lnpay secret o1').digest('hex');
const PASSWORD = 'correct horse battery staple';

/** The published `lnpay` package. */
interface Lnpay {
  readonly api: { readonly defaults: { baseURL: string } };
  getBalance(): Promise<Json>;
  getTransactions(query: object): Promise<{ data: Json }>;
  generateInvoice(fields: object): Promise<Json>;
  getInvoice(fields: { id: string }): Promise<Json>;
  payInvoice(fields: object): Promise<Json>;
  transfer(fields: object): Promise<Json>;
}
type MakeLnpay = (keys: { secretKey: string; walletAccessKey?: string }) => Lnpay;
const makeLnpay = (createRequire(import.meta.url)('lnpay') as { default: MakeLnpay }).default;

onFakeNode(
  'an import from LNPay',
  (app) => {
    const { client, net, rows, problems } = app;
    const open = () => openLnpay(LNPAY_DUMP);
    const receiver = startReceiver();

    /** Returns a wallet of the source by its label, and a function that returns its keys by their prefix. */
    async function sourceWallet(label: string) {
      const source = await open();
      const wallet = (await collect(source.wallets())).find((one) => one.label === label) as SourceWallet;
      const history = await collect(source.history());
      await source.close();
      const key = (prefix: string) =>
        [...wallet.keys, ...(wallet.account.keys ?? [])].find(({ text }) => text.startsWith(prefix))?.text ?? '';
      return { wallet, key, history: history.filter(({ walletId }) => walletId === wallet.id) };
    }

    function lnpay(secretKey: string, walletAccessKey: string): Lnpay {
      const made = makeLnpay({ secretKey, walletAccessKey });
      made.api.defaults.baseURL = `${client.url}/v1`;
      return made;
    }

    it('is refused while a balance is negative', async () => {
      const { wallets } = await planOf(app, open);
      expect(wallets.filter(({ action }) => action !== 'import').map(({ label, action }) => [label, action])).toEqual(
        expect.arrayContaining([
          ['Negative', 'refused'],
          ['Of a closed account', 'left_out'],
        ]),
      );
    });

    it('M1: keeps the ids of the wallets, with the balances that the API of LNPay returned', async () => {
      const result = await importInto(app, open, { negative: 'zero', addressDomain: ADDRESS_DOMAIN });
      expect(result.problems).toEqual([]);
      const found = await rows('SELECT w.id, a.balance_msat FROM wallet w JOIN ledger_account a ON a.id = w.ledger_account');
      const balances = new Map(found.map(({ id, balance_msat }) => [id, Number(balance_msat)]));
      const { wallet: closed } = await sourceWallet('Of a closed account');
      expect(balances).toEqual(
        new Map(LNPAY_BALANCES.filter(({ id }) => id !== closed.id).map(({ id, balance }) => [id, Math.max(0, balance) * 1000])),
      );
      expect(await problems()).toEqual([]);
    });

    it.each([
      ['the secret key and the wallet id', 'sak_', undefined],
      ['the public key and the admin key', 'pak_', 'waka_'],
      ['the admin key alone', 'waka_', 'waka_'],
    ])('lets the npm package lnpay go on with %s', async (_, secret, access) => {
      const { wallet, key } = await sourceWallet('Till');
      const sdk = lnpay(key(secret), access === undefined ? wallet.id : key(access));
      const { balance, id } = await sdk.getBalance();
      expect([id, balance > 81_000]).toEqual([wallet.id, true]);
      const invoice = await sdk.generateInvoice({ num_satoshis: 100, memo: 'tea' });
      await net.outside.pay({ paymentRequest: invoice.payment_request });
      await expect.poll(async () => (await sdk.getInvoice({ id: invoice.id })).settled).toBe(1);
      await sdk.payInvoice({ payment_request: net.outside.invoice({ amountMsat: 7_000 }).paymentRequest });
      const { wallet: fees } = await sourceWallet('Fees');
      await sdk.transfer({ dest_wallet_id: fees.id, num_satoshis: 3, memo: 'change' });
      expect((await sdk.getBalance()).balance).toBe(balance + 100 - 7 - 3);
      expect((await sdk.getTransactions({})).data.length).toBeGreaterThan(0);
    });

    it('gives keys the rights of their roles, and no others', async () => {
      const { wallet, key } = await sourceWallet('Till');
      const status = async (text: string, path = `/v1/wallet/${wallet.id}`) =>
        (await client.request('GET', path, { headers: { 'x-api-key': text } })).status;
      expect(await status(key('wakr_'))).toBe(200);
      expect(await status(key('waki_'))).toBe(403);
      expect(await status(key('waklw_'))).toBe(403);
      // The keys of another user.
      const { key: other } = await sourceWallet('Käufer');
      expect(await status(other('sak_'))).toBe(404);
      const [weak] = await rows(`SELECT expires_at - created_at AS lifetime FROM access_key WHERE expires_at IS NOT NULL`);
      expect(Number(weak?.lifetime)).toBe(90 * 86_400);
      expect(JSON.stringify(await rows('SELECT * FROM access_key'))).not.toContain(key('waka_').slice(5));
    });

    it('serves pay links under the same address, and names as Lightning addresses', async () => {
      const { wallet, key } = await sourceWallet('Till');
      const [first, donations] = wallet.links;
      const offer = await client.request('GET', `/v1/wallet/${key('waklp_')}/lnurlp/${first?.id}`);
      expect(offer.body).toMatchObject({ tag: 'payRequest', minSendable: 1000, maxSendable: 100_000_000 });
      expect(await rows('SELECT name, domain FROM pay_link WHERE id = $1', donations?.id ?? '')).toEqual([
        { name: 'donate', domain: ADDRESS_DOMAIN },
      ]);
    });

    it('keeps the password of an account until its first login', async () => {
      const logIn = (password: string) =>
        client.request('POST', '/v1/session', {
          json: { email: 'shop@example.com', password },
          headers: { 'sec-fetch-site': 'same-origin' },
        });
      expect((await logIn('another password')).status).toBe(401);
      expect((await logIn(PASSWORD)).status).toBe(201);
      expect((await rows(`SELECT password_hash FROM account WHERE email = 'shop@example.com'`))[0]?.password_hash).toMatch(/^scrypt/);
      expect((await logIn(PASSWORD)).status).toBe(201);
    });

    it('imports webhooks paused, with the secret that the receiver knows', async () => {
      const { key } = await sourceWallet('Till');
      const asOwner = (method: string, path: string, json?: object) =>
        client.request(method, path, { key: key('sak_'), ...(json && { json }) });
      const { body: hooks } = await asOwner('GET', '/v1/webhooks');
      expect(hooks).toEqual([
        expect.objectContaining({ url: 'https://shop.example.com/hook', status: 'paused', event_types: ['wallet_receive', 'wallet_send'] }),
      ]);
      expect(JSON.stringify(await rows('SELECT * FROM webhook'))).not.toContain('a shared secret');
      const changed = await asOwner('PATCH', `/v1/webhooks/${hooks[0].id}`, { url: receiver.url(), status: 'active' });
      expect(changed.status).toBe(200);
      const { body: invoice } = await asOwner('POST', `/v1/wallet/${key('waka_')}/invoice`, { num_satoshis: 9 });
      await net.outside.pay({ paymentRequest: invoice.payment_request });
      const ofInvoice = () => receiver.received.find(({ raw }) => raw.includes(invoice.id));
      await expect.poll(() => ofInvoice()?.headers['x-lnpay-event']).toBe('wallet_receive');
      const signature = createHmac('sha256', 'a shared secret').update(ofInvoice()?.raw ?? '');
      expect(ofInvoice()?.headers['x-lnpay-signature']).toBe(signature.digest('hex'));
    });

    it('does not let an inactive wallet pay', async () => {
      const { key } = await sourceWallet('Inactive');
      const headers = { 'x-api-key': key('waka_') };
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1_000 });
      const json = { payment_request: paymentRequest };
      const { status, body } = await client.request('POST', `/v1/wallet/${key('waka_')}/withdraw`, { headers, json });
      expect([status, body.type]).toEqual([400, 'wallet_inactive']);
    });

    it('M2: credits an invoice that was open in LNPay once', async () => {
      const { history, key } = await sourceWallet('Till');
      const [{ paymentRequest = '' } = {}] = history.filter(({ memo }) => memo === 'open');
      const sdk = lnpay(key('sak_'), key('wakr_'));
      const { balance } = await sdk.getBalance();
      // The node has the invoice, because LNPay has created it there.
      const node = net.connect();
      await node.createInvoice({ preimage: OPEN_PREIMAGE, amountMsat: msat(2_222_000), description: 'open', expirySeconds: 3600 });
      await node.close();
      await net.outside.pay({ paymentRequest });
      await expect.poll(async () => (await sdk.getBalance()).balance).toBe(balance + 2222);
    });

    it('changes nothing when it is repeated', async () => {
      const state = () =>
        rows(
          `SELECT (SELECT count(*) FROM wallet) AS wallets, (SELECT count(*) FROM access_key) AS keys, (SELECT count(*) FROM account) AS accounts,
             (SELECT count(*) FROM imported_transaction) AS history, (SELECT count(*) FROM ledger_transfer) AS transfers,
             (SELECT count(*) FROM pay_link) AS links, (SELECT count(*) FROM webhook) AS webhooks`,
        );
      const before = await state();
      expect((await importInto(app, open, { negative: 'zero', addressDomain: ADDRESS_DOMAIN })).problems).toEqual([]);
      expect(await state()).toEqual(before);
      expect(await problems()).toEqual([]);
    });
  },
  { ...LOCAL, PAYMENT_WAIT_SECONDS: '1', UNLIMITED_LOGINS: 'true' },
  FAST,
);
