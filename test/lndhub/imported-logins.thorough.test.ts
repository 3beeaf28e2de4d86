import { expect, it } from 'vitest';
import { BlueWallet, isServer } from '../clients/lndhub/bluewallet.ts';
import { onFakeNode } from '../support/app.ts';

/** A hash that lndhub.go has made. */
const HASH = '$2a$10$OIPz3pbnaHxmFCrgQbwDkuhSyHTrV8UxDplBoLrEh2LXk87jTtyOm';
const PASSWORD = 'correct horse battery staple';

onFakeNode(
  'a login that another program had issued',
  ({ client, execute, rows, net, problems }) => {
    let count = 0;

    /** Gives a wallet with 1,000 sat a login. The import creates the key with a secret that nobody has. */
    async function issue(login = `user${++count}`) {
      const wallet = await client.wallet(1000);
      const { id } = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' });
      await execute('INSERT INTO lndhub_login (login, key_id, password_hash, created_at) VALUES ($1, $2, $3, 1)', login, id, HASH);
      const hash = async () => (await rows('SELECT password_hash FROM lndhub_login WHERE login = $1', login))[0]?.password_hash;
      const logIn = (json: object) => client.request('POST', '/auth?type=auth', { json: { login, password: PASSWORD, ...json } });
      return { wallet, login, hash, logIn, revoke: () => execute('UPDATE access_key SET revoked_at = 1 WHERE id = $1', id) };
    }

    it('works with the link of the old server, which has no path', async () => {
      const { login, hash, revoke } = await issue('shop');
      expect(await isServer(client.url)).toBe(true);
      const app = new BlueWallet(`lndhub://${login}:${PASSWORD}@${client.url}`);
      await app.authorize();
      expect(await hash()).toMatch(/^scrypt/);
      await app.refreshTokens();
      expect(await app.fetchBalance()).toBe(1000);
      const { payReq } = await app.addInvoice(21, 'tea');
      await net.outside.pay({ paymentRequest: payReq });
      await expect.poll(async () => app.fetchBalance()).toBe(1021);
      await app.payInvoice(net.outside.invoice({ amountMsat: 5_000 }).paymentRequest);
      const { payments, invoices, addresses, pending } = await app.refresh();
      expect([payments.length, invoices.length, pending, addresses]).toEqual([1, 2, [], []]);
      app.loseToken();
      expect(await app.fetchBalance()).toBe(1016);
      expect((await app.fetchInfo()).identity_pubkey).toMatch(/^0[23]/);
      await revoke();
      await expect(app.fetchBalance()).rejects.toThrow('bad auth');
      expect(await problems()).toEqual([]);
    });

    it('is refused with a wrong password, for another login, and without one, and keeps its hash', async () => {
      const { hash, logIn } = await issue();
      for (const json of [{ password: 'wrong' }, { login: 'nobody' }, { login: '' }, { password: '' }, { password: HASH }]) {
        const { status, body } = await logIn(json);
        expect([status, body.code]).toEqual([401, 1]);
      }
      expect(await hash()).toBe(HASH);
    });

    it('survives two first logins at once, and keeps the hash that one of them has made', async () => {
      const { hash, logIn } = await issue();
      expect((await Promise.all([logIn({}), logIn({})])).map(({ status }) => status)).toEqual([200, 200]);
      const made = await hash();
      expect(made).toMatch(/^scrypt/);
      expect((await logIn({})).status).toBe(200);
      expect(await hash()).toBe(made);
      expect((await logIn({ password: 'wrong' })).status).toBe(401);
    });

    it('names the wallet of a keysend, as in lndhub.go', async () => {
      const { wallet, login } = await issue();
      const records = (text: string) => ({ 696969: Buffer.from(text).toString('hex') });
      expect(await net.outside.keysend({ amountMsat: 9_000, customRecords: records(login) })).toMatchObject({ state: 'succeeded' });
      await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(1009);
      expect(await net.outside.keysend({ amountMsat: 9_000, customRecords: records('nobody') })).toMatchObject({ state: 'failed' });
      expect(await problems()).toEqual([]);
    });

    it('ends when its key is revoked', async () => {
      const { logIn, revoke } = await issue();
      await revoke();
      expect((await logIn({})).status).toBe(401);
    });
  },
  { LNDHUB: 'true', LNDHUB_AT_ROOT: 'true', PAYMENT_WAIT_SECONDS: '1', UNLIMITED_LOGINS: 'true' },
);
