import { beforeAll, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { openLndhub } from '../../../src/features/import/lndhub/lndhub.ts';
import { BlueWallet } from '../../clients/lndhub/bluewallet.ts';
import { onFakeNode } from '../../support/app.ts';
import type { Json } from '../../support/client.ts';
import { collect } from '../collect.ts';
import { importInto, planOf } from '../run.ts';
import { lndhubDatabase, USERS, userOf } from './database.ts';

const SETTINGS = { LNDHUB: 'true', LNDHUB_AT_ROOT: 'true', PAYMENT_WAIT_SECONDS: '1', UNLIMITED_LOGINS: 'true' };

onFakeNode(
  'an import from lndhub.go',
  (app) => {
    const { client, net, rows, problems } = app;
    let url: string;
    const open = () => openLndhub(url);

    beforeAll(async () => {
      url = await lndhubDatabase();
    });

    /** Returns BlueWallet with the link of a user. Its address is the only thing that differs. */
    async function blueWallet(name: string): Promise<BlueWallet> {
      const { login, password } = userOf(name);
      const wallet = new BlueWallet(`lndhub://${login}:${password}@${client.url}`);
      await wallet.authorize();
      return wallet;
    }

    /** Returns the balance that the service shows to a user, in satoshis. */
    async function balanceOf(name: string): Promise<number> {
      const { login, password } = userOf(name);
      const { body } = await client.request('POST', '/auth', { json: { login, password } });
      const headers = { authorization: `Bearer ${body.access_token}` };
      return (await client.request('GET', '/balance', { headers })).body.BTC?.AvailableBalance;
    }

    const earned = async (): Promise<number> => (await client.get('/v1/operator/overview')).service_fees_msat;

    /** Lets the service earn a fee. */
    async function earnFee(feeMsat: number): Promise<void> {
      const [from, to] = [await client.wallet(100), await client.wallet(0)];
      const json = { rules: { internal: { flat_msat: feeMsat } }, reason: 'prices' };
      await client.request('PUT', `/v1/wallets/${from.id}/fees`, { key: client.secretKey, json });
      await client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1 });
    }

    const isOff = ({ name }: { name: string }) => name === 'deactivated' || name === 'deleted';

    it('M4: is refused while a balance is negative, and writes nothing', async () => {
      const { wallets } = await planOf(app, open);
      expect(wallets.filter(({ action }) => action === 'refused').map(({ label }) => label)).toEqual([userOf('negative').login]);
      await expect(importInto(app, open)).rejects.toMatchObject({ name: 'ImportRefused' });
      expect(await rows('SELECT id FROM import_run')).toEqual([]);
    });

    it('M4: is refused while the service has earned less fees than the negative balances that they pay', async () => {
      const { wallets, problems: reasons, service_fees_msat } = await planOf(app, open, { negative: 'forgive' });
      expect(wallets.some(({ action }) => action === 'refused')).toBe(false);
      expect([service_fees_msat, reasons]).toEqual([0, [expect.stringContaining('negative balances are 9000 msat')]]);
      await expect(importInto(app, open, { negative: 'forgive' })).rejects.toMatchObject({ name: 'ImportRefused' });
      expect(await rows('SELECT id FROM import_run')).toEqual([]);
    });

    it('M1: gives each user the balance that the API of lndhub.go returned, and pays a negative one from the fees of the service', async () => {
      await earnFee(10_000);
      const fees = await earned();
      // What the two wallets above have.
      const owed = 100_000;
      const { problems: wrong, written, report, owed_msat } = await importInto(app, open, { negative: 'forgive' });
      expect(wrong).toEqual([]);
      expect(written.flatMap(({ warnings }) => warnings)).toEqual([]);
      for (const user of USERS)
        expect([user.name, await balanceOf(user.name)]).toEqual([user.name, isOff(user) ? undefined : Math.max(0, user.balance)]);
      const off = await rows(`SELECT i.opening_msat FROM wallet w JOIN import_item i ON i.made = w.id WHERE w.status = 'inactive'`);
      expect(off.map(({ opening_msat }) => Number(opening_msat))).toEqual([userOf('deactivated').balance * 1000]);
      // The ledger owes what lndhub.go did.
      const imported = report.wallets.filter(({ action }) => action === 'import');
      expect(owed_msat - owed).toBe(imported.reduce((sum, { computed_balance_msat }) => sum + computed_balance_msat, 0));
      expect(await earned()).toBe(fees - 9000);
      expect(await problems()).toEqual([]);
    });

    it('lists in apps what each user received and sent before, in pages, and the lists add up to the balance', async () => {
      const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
      let listed = 0;
      for (const user of USERS.filter((one) => !isOff(one) && one.balance >= 0)) {
        const { login, password } = userOf(user.name);
        const { body } = await client.request('POST', '/auth', { json: { login, password } });
        const headers = { authorization: `Bearer ${body.access_token}` };
        const list = async (path: string): Promise<Json[]> => (await client.request('GET', path, { headers })).body;
        const [received, sent] = [await list('/getuserinvoices?limit=200'), await list('/gettxs?limit=200')];
        const sat = sum(received.filter(({ ispaid }) => ispaid).map(({ amt }) => amt)) - sum(sent.map(({ value }) => value));
        expect([user.name, sat]).toEqual([user.name, user.balance]);
        for (const [path, all] of [
          ['/getuserinvoices', received],
          ['/gettxs', sent],
        ] as const) {
          const pages: Json[] = [];
          for (let offset = 0; offset < all.length; offset += 2) pages.push(...(await list(`${path}?limit=2&offset=${offset}`)));
          expect(pages).toEqual(all);
        }
        listed += received.length + sent.length;
      }
      const [{ n = 0 } = {}] = await rows("SELECT count(*) AS n FROM imported_transaction WHERE state = 'settled'");
      expect(listed).toBeGreaterThan(Number(n) / 2);
    });

    it('lets BlueWallet go on with the link of the user', async () => {
      const wallet = await blueWallet('payer');
      expect(await wallet.fetchBalance()).toBe(77_546);
      const { payReq } = await wallet.addInvoice(21, 'tea');
      await net.outside.pay({ paymentRequest: payReq });
      await expect.poll(() => wallet.fetchBalance()).toBe(77_567);
      await wallet.payInvoice(net.outside.invoice({ amountMsat: 5_000 }).paymentRequest);
      expect((await wallet.refresh()).payments).toHaveLength(6);
      wallet.loseToken();
      expect(await wallet.fetchBalance()).toBe(77_562);
      await expect(blueWallet('deactivated')).rejects.toThrow('bad auth');
    });

    it('M2: credits an invoice that was open in lndhub.go once, to its user', async () => {
      const source = await open();
      const invoices = (await collect(source.history())).filter(({ memo }) => memo === 'open invoice');
      await source.close();
      const [{ preimage = '', paymentRequest = '' } = {}] = invoices;
      const before = await balanceOf('shop');
      // The node has the invoice, because lndhub.go has created it there.
      const node = net.connect();
      await node.createInvoice({ preimage, amountMsat: msat(1_234_000), description: 'open invoice', expirySeconds: 3600 });
      await node.close();
      await net.outside.pay({ paymentRequest });
      await expect.poll(() => balanceOf('shop')).toBe(before + 1234);
      expect(await problems()).toEqual([]);
    });

    it('is compared with the ledger by verify', async () => {
      const forgiven = 'WHERE forgiven_transfer_id IS NOT NULL';
      const notOwned = await app.problemsAfter(`UPDATE import_item SET forgiven_transfer_id = NULL ${forgiven}`);
      expect(notOwned).toEqual([expect.stringMatching(/differs from the recorded fees of the service/)]);
      const otherAmount = await app.problemsAfter(`UPDATE import_item SET shortfall_msat = 8000 ${forgiven}`);
      expect(otherAmount).toEqual([expect.stringMatching(/opening balance differs from what was imported/)]);
    });

    it('changes nothing when it is repeated', async () => {
      const state = () =>
        rows(
          `SELECT (SELECT count(*) FROM wallet) AS wallets, (SELECT count(*) FROM access_key) AS keys, (SELECT count(*) FROM lndhub_login) AS logins,
             (SELECT count(*) FROM imported_transaction) AS history, (SELECT count(*) FROM ledger_transfer) AS transfers,
             (SELECT count(*) FROM invoice) AS invoices, (SELECT count(*) FROM payment) AS payments`,
        );
      const before = await state();
      expect(before[0]).toMatchObject({ logins: 5, history: 20 });
      expect((await importInto(app, open, { negative: 'forgive' })).problems).toEqual([]);
      expect(await state()).toEqual(before);
    });
  },
  SETTINGS,
);
