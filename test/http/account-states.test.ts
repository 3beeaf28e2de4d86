import { expect, it } from 'vitest';
import { ACCOUNT_STATUSES, type AccountAction, type AccountStatus, allows } from '../../src/core/accounts/account-states.ts';
import { appOf } from '../lndhub/app.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json } from '../support/client.ts';

/** What each state must allow: the table of the product, apart from the code. */
const EXPECTED: Readonly<Record<AccountStatus, readonly AccountAction[]>> = {
  active: ['send', 'receive', 'manage'],
  receive_only: ['receive', 'manage'],
  frozen: [],
  closing: ['send'],
  closed: [],
};

it('allows what the states of accounts promise', () => {
  for (const status of ACCOUNT_STATUSES)
    for (const action of ['send', 'receive', 'manage'] as const)
      expect([status, action, allows(status, action)]).toEqual([status, action, EXPECTED[status].includes(action)]);
});

onFakeNode(
  'the state of an account',
  (service) => {
    const { client, net, problems, rows } = service;
    const outside = () => net.outside.invoice({ amountMsat: 5_000, script: { fee: 0 } }).paymentRequest;
    const set = (id: string, status: string, reason = 'test'): Promise<HttpResponse> =>
      client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json: { status, reason } });

    /** Creates a customer with two wallets, and what others can use while the account allows it. */
    async function customer(sat = 1000) {
      const { id, secret_key: key } = await client.post('/v1/accounts', {});
      const send = (method: string, path: string, json?: object) =>
        client.request(method, path, { key, ...(json !== undefined && { json }) });
      const [wallet, second] = [(await send('POST', '/v1/wallet', {})).body, (await send('POST', '/v1/wallet', {})).body];
      if (sat > 0) await send('POST', '/playground/fund', { wallet_id: wallet.id, num_satoshis: sat });
      const admin: string = wallet.access_keys['Wallet Admin'][0];
      const path = `/v1/wallet/${wallet.id}`;
      const invoice = async (): Promise<string> => (await send('POST', `${path}/invoice`, { num_satoshis: 5 })).body.payment_request;
      const [{ id: payLink }] = (await send('GET', `${path}/lnurlp`)).body;
      const withdrawLink = async (): Promise<URL> => new URL((await send('POST', `${path}/lnurl/withdraw`, { num_satoshis: 5 })).body.url);
      return { id, key, send, wallet, second, path, invoice, payLink, withdrawLink, admin, app: appOf(client, admin) };
    }

    type Customer = Awaited<ReturnType<typeof customer>>;

    /** Returns a request of each kind, and the action that it needs. They use what the customer gave out while the account was active. */
    async function requestsOf({ send, path, wallet, second, invoice, withdrawLink, app, payLink, admin }: Customer, payer: Customer) {
      const { nodes } = await client.get('/playground');
      const { pubkey } = nodes.find(({ name }: Json) => name === 'alice');
      const [first, other, claimed] = [await invoice(), await invoice(), await withdrawLink()];
      const { url } = (await send('GET', `/v1/lnurlp/${payLink}`)).body;
      const ok = async (sent: Promise<HttpResponse>) => {
        const { status, body } = await sent;
        return status < 300 && body?.status !== 'ERROR' && body?.error !== true;
      };
      const key = admin;
      const requests: [name: string, action: AccountAction | 'transfer' | 'read', request: () => Promise<boolean>][] = [
        ['withdraw', 'send', () => ok(send('POST', `${path}/withdraw`, { payment_request: outside() }))],
        ['keysend', 'send', () => ok(client.request('POST', `${path}/keysend`, { key, json: { dest_pubkey: pubkey, num_satoshis: 5 } }))],
        ['transfer', 'transfer', () => ok(send('POST', `${path}/transfer`, { dest_wallet_id: second.id, num_satoshis: 5 }))],
        ['internal payment', 'send', async () => ok(send('POST', `${path}/withdraw`, { payment_request: await payer.invoice() }))],
        ['withdraw link', 'send', () => ok(send('POST', `${path}/lnurl/withdraw`, { num_satoshis: 5 }))],
        [
          'claim',
          'send',
          () => {
            claimed.searchParams.set('pr', outside());
            return ok(client.request('GET', `${claimed.pathname}${claimed.search}`));
          },
        ],
        ['payment of a wallet app', 'send', () => ok(app.pay(outside()))],
        ['invoice', 'receive', () => ok(send('POST', `${path}/invoice`, { num_satoshis: 5 }))],
        ['invoice of a wallet app', 'receive', () => ok(app.addInvoice({ amt: 5, memo: '' }))],
        ['invoice of a pay link', 'receive', () => ok(client.request('GET', `${new URL(url).pathname}?amount=5000`))],
        ['internal receipt', 'receive', () => ok(payer.send('POST', `${payer.path}/withdraw`, { payment_request: first }))],
        ['receipt from outside', 'receive', async () => (await net.outside.pay({ paymentRequest: other })).state === 'succeeded'],
        [
          'keysend in',
          'receive',
          async () => {
            const customRecords = { 696969: Buffer.from(wallet.id).toString('hex') };
            return (await net.outside.keysend({ amountMsat: 5_000, customRecords })).state === 'succeeded';
          },
        ],
        ['wallet', 'manage', () => ok(send('POST', '/v1/wallet', {}))],
        ['label', 'manage', () => ok(send('PATCH', `/v1/wallet/${second.id}`, { user_label: 'new' }))],
        ['key', 'manage', () => ok(send('POST', '/v1/keys', { kind: 'secret_api' }))],
        ['wallet key', 'manage', () => ok(send('POST', `${path}/keys`, { kind: 'wallet_read' }))],
        ['pay link', 'manage', () => ok(send('POST', `${path}/lnurlp`, {}))],
        ['webhook', 'manage', () => ok(send('POST', '/v1/webhooks', { url: 'https://hooks.example.com/' }))],
        ['balance', 'read', () => ok(send('GET', path))],
        ['list', 'read', () => ok(send('GET', `${path}/transactions`))],
        ['account', 'read', () => ok(send('GET', '/v1/account'))],
        ['balance of a wallet app', 'read', () => ok(app.send('GET', '/balance'))],
      ];
      return requests;
    }

    for (const status of ['active', 'receive_only', 'frozen', 'closing'] as const) {
      it(`A7: \`${status}\` allows exactly what the table of states says`, async () => {
        const [one, payer] = [await customer(), await customer()];
        const requests = await requestsOf(one, payer);
        if (status !== 'active') expect((await set(one.id, status)).body).toMatchObject({ status });
        const before = await one.send('GET', one.path);
        for (const [name, action, request] of requests) {
          const allowed = EXPECTED[status];
          const isAllowed =
            action === 'read' ||
            (action === 'transfer' ? allowed.includes('send') && allowed.includes('receive') : allowed.includes(action));
          expect([status, name, await request()]).toEqual([status, name, isAllowed]);
        }
        const after = await one.send('GET', one.path);
        if (EXPECTED[status].length === 0) expect(after.body).toEqual(before.body);
        // Everything works again, so no refused request has left anything behind.
        await set(one.id, 'active');
        for (const [name, , request] of await requestsOf(one, payer)) expect([name, await request()]).toEqual([name, true]);
        expect(await problems()).toEqual([]);
      });
    }

    it('A7: `closed` needs empty wallets, and allows only reading', async () => {
      const [one, payer] = [await customer(20), await customer()];
      const requests = await requestsOf(one, payer);
      await set(one.id, 'closing');
      const refused = await set(one.id, 'closed');
      expect(refused.body).toMatchObject({ status: 409, type: 'action_refused' });
      expect((await client.get(`/v1/accounts/${one.id}`)).status).toBe('closing');
      const { paymentRequest } = net.outside.invoice({ amountMsat: 20_000, script: { fee: 0 } });
      const emptied = await one.send('POST', `${one.path}/withdraw`, { payment_request: paymentRequest, fee_limit_msat: 0 });
      expect(emptied.status).toBe(201);
      expect((await set(one.id, 'closed')).body).toMatchObject({ status: 'closed' });
      for (const [name, action, request] of requests) expect([name, await request()]).toEqual([name, action === 'read']);
      expect(await problems()).toEqual([]);
    });

    it('A7: names the reason to the owner, and nothing of it to payers', async () => {
      const [one, payer] = [await customer(), await customer()];
      const invoice = await one.invoice();
      await set(one.id, 'frozen');
      const refused = await one.send('POST', '/v1/wallet', {});
      expect(refused.body).toMatchObject({ status: 403, type: 'account_restricted', message: expect.stringContaining('`frozen`') });
      const paid = await payer.send('POST', `${payer.path}/withdraw`, { payment_request: invoice });
      expect(paid.body).toMatchObject({ status: 400, type: 'payee_restricted' });
      expect(paid.text).not.toContain('frozen');
      expect((await payer.send('GET', payer.path)).body).toMatchObject({ balance: 1000, pending_msat: 0 });
      expect(await problems()).toEqual([]);
    });

    it('A7: lets the owner cancel invoices and revoke withdraw links while it is frozen', async () => {
      const one = await customer();
      await one.invoice();
      const [link] = [await one.withdrawLink()];
      expect(link.pathname).toContain('/lnurl');
      await set(one.id, 'frozen');
      const [open] = (await one.send('GET', `${one.path}/transactions?status=open`)).body;
      const lntx: string = open.lnTx.id;
      expect((await one.send('DELETE', `/v1/lntx/${lntx}`)).status).toBeLessThan(300);
      const [made] = (await one.send('GET', `${one.path}/lnurl/withdraws`)).body;
      expect((await one.send('DELETE', `${one.path}/lnurl/withdraws/${made.id}`)).status).toBeLessThan(300);
      expect(await problems()).toEqual([]);
    });

    it('needs a reason for each change', async () => {
      const { id } = await client.post('/v1/accounts', {});
      for (const json of [{ status: 'frozen' }, { status: 'frozen', reason: ' ' }]) {
        const { body } = await client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json });
        expect(body).toMatchObject({ status: 400, type: 'validation_failed', message: expect.stringContaining('`reason`') });
      }
      expect((await client.get(`/v1/accounts/${id}`)).status).toBe('active');
    });

    it('A7: lets nothing leave after a freeze is acknowledged, whatever is being sent', async () => {
      const one = await customer(5000);
      const links = await Promise.all(Array.from({ length: 5 }, () => one.withdrawLink()));
      const claim = (link: URL) => {
        link.searchParams.set('pr', outside());
        return client.request('GET', `${link.pathname}${link.search}`);
      };
      const pay = () => one.send('POST', `${one.path}/withdraw`, { payment_request: outside(), fee_limit_msat: 0 });
      const transfer = () => one.send('POST', `${one.path}/transfer`, { dest_wallet_id: one.second.id, num_satoshis: 5 });
      /** The payments, with those that are pending, and transfers that have left the wallet. */
      const left = async () =>
        (await rows('SELECT id FROM wallet_transaction WHERE wallet_id = $1 AND amount_msat < 0', one.wallet.id)).length;
      const racing = [...links.map(claim), ...Array.from({ length: 10 }, () => [pay(), transfer()]).flat()];
      const frozen = set(one.id, 'frozen');
      const late = Array.from({ length: 10 }, () => [pay(), transfer()]).flat();
      expect((await frozen).status).toBe(200);
      const acknowledged = await left();
      await Promise.all([...racing, ...late, pay(), transfer(), one.app.pay(outside())]);
      await expect.poll(async () => (await one.send('GET', one.path)).body.pending_msat).toBe(0);
      expect(await left()).toBe(acknowledged);
      expect((await pay()).body).toMatchObject({ status: 400, type: 'wallet_inactive' });
      expect(await problems()).toEqual([]);
    });

    it('A7: changes no keys, links, limits, webhooks or wallets after a freeze is acknowledged', async () => {
      const one = await customer(0);
      const changes = (n: number) => [
        one.send('POST', '/v1/keys', {}),
        one.send('POST', `${one.path}/keys`, { kind: 'wallet_read' }),
        one.send('POST', `${one.path}/lnurlp`, {}),
        one.send('POST', `/v1/lnurlp/${one.payLink}`, { user_label: `link ${n}` }),
        one.send('PUT', `/v1/wallets/${one.wallet.id}/limits`, { max_pending: n }),
        one.send('POST', '/v1/webhooks', { url: `https://hooks.example.com/${n}` }),
        one.send('POST', '/v1/wallet', {}),
        one.send('PATCH', one.path, { user_label: `wallet ${n}` }),
      ];
      /** Everything that the account has, apart from its money. */
      const read = async () =>
        await rows(
          `SELECT (SELECT count(*) FROM access_key WHERE account_id = $1) AS keys, (SELECT count(*) FROM wallet WHERE account_id = $1) AS wallets,
             (SELECT count(*) FROM webhook WHERE account_id = $1) AS webhooks, (SELECT count(*) FROM pay_link WHERE wallet_id = $2) AS links,
             (SELECT user_label FROM pay_link WHERE id = $3) AS link, (SELECT user_label FROM wallet WHERE id = $2) AS label,
             (SELECT max_pending FROM spending_limit WHERE owner_id = $2) AS max_pending`,
          one.id,
          one.wallet.id,
          one.payLink,
        );
      const racing = [1, 2].flatMap(changes);
      const frozen = set(one.id, 'frozen');
      const late = [3, 4].flatMap(changes);
      expect((await frozen).status).toBe(200);
      const acknowledged = await read();
      for (const { status, body } of await Promise.all([...racing, ...late]))
        if (status >= 300) expect([status, body.type]).toEqual([403, 'account_restricted']);
      expect(await read()).toEqual(acknowledged);
    });
  },
  { LNDHUB: 'true', PAYMENT_WAIT_SECONDS: '2' },
);
