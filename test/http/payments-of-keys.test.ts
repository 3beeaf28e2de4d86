import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

const DIFFERS = 'its wallet transaction is missing, or shows something else';

onFakeNode(
  'payments of a key',
  (service) => {
    const { client, net, problems, problemsAfter } = service;
    const list = (query: string): Promise<Json[]> => client.list(`/v1/wallet-transactions?${query}`);
    const listed = async (query: string): Promise<string[]> => (await list(query)).map(({ id }) => id);
    const newKey = (wallet: TestWallet, fields: object = {}): Promise<Json> =>
      client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin', ...fields });
    const pay = payments(service);

    it('are listed newest first, whether or not the key has a budget', async () => {
      const [wallet, other] = [await client.wallet(1000), await client.wallet()];
      const [free, limited] = [await newKey(wallet), await newKey(wallet, { budget_msat: 500_000, budget_period: 'day' })];
      for (const key of [free, limited]) {
        const made = [await pay.invoice(key.key, wallet), await pay.wallet(key.key, wallet, other), await pay.bulk(key.key, wallet, other)];
        await pay.invoice(wallet.admin, wallet);
        expect(await listed(`key_id=${key.id}`)).toEqual(made.toReversed());
        expect(await listed(`key_id=${key.id}&order=asc&per-page=1`)).toEqual(made);
        expect(await listed(`key_id=${key.id}&type=ln_withdrawal`)).toEqual([made[0]]);
        expect(await listed(`key_id=${key.id}&min_satoshis=4&max_satoshis=4`)).toEqual([made[1]]);
        expect(await client.get(`/v1/keys/${key.id}`)).toMatchObject({ id: key.id, num_paid: 3, paid_msat: 12_000 });
      }
      expect(await problems()).toEqual([]);
    });

    it('are listed in every state, and counted', async () => {
      const wallet = await client.wallet(1000);
      const key = await newKey(wallet);
      const settled = await pay.invoice(key.key, wallet);
      const failed = await pay.invoice(key.key, wallet, { fail: 'NO_ROUTE' });
      const held = net.outside.invoice({ amountMsat: 5_000, script: { hold: true } });
      const pending = await pay.text(key.key, wallet, held.paymentRequest);
      expect(await listed(`key_id=${key.id}&status=all`)).toEqual([pending, failed, settled]);
      for (const [status, id] of Object.entries({ settled, failed, pending })) {
        const { body, headers } = await client.request('GET', `/v1/wallet-transactions?key_id=${key.id}&status=${status}`, {
          key: client.secretKey,
        });
        expect(body.map((one: Json) => one.id)).toEqual([id]);
        expect(headers.get('x-pagination-total-count')).toBe('1');
      }
      expect(await listed(`key_id=${key.id}&status=open`)).toEqual([]);
      expect(await listed(`key_id=${key.id}&status=all&payment_hash=${held.paymentHash}`)).toEqual([pending]);
      await client.decideHold(held.paymentHash, 'settle');
      await expect.poll(() => listed(`key_id=${key.id}`)).toEqual([pending, settled]);
      expect(await problems()).toEqual([]);
    });

    it('include those of the keys that a rotation replaced, and claims of the withdraw links that they made', async () => {
      const wallet = await client.wallet(1000);
      const old = await newKey(wallet);
      const before = await pay.invoice(old.key, wallet);
      const link = await client.request('POST', `/v1/wallet/${wallet.id}/lnurl/withdraw`, { key: old.key, json: { num_satoshis: 7 } });
      const replacing = await client.post(`/v1/wallet/${wallet.id}/keys/${old.id}/rotate`, {});
      const after = await pay.invoice(replacing.key, wallet);
      await client.post('/playground/claim', { lnurl: link.body.lnurl });
      await expect.poll(async () => (await list(`key_id=${replacing.id}&status=all`)).length).toBe(3);
      const [claim, ...paid] = await list(`key_id=${old.id}&status=all`);
      expect([claim?.wtxType.name, ...paid.map(({ id }) => id)]).toEqual(['ln_lnurl_withdraw', after, before]);
    });

    it('do not include what other keys, sessions and payers did in the wallet', async () => {
      const wallet = await client.wallet(1000);
      const key = await newKey(wallet);
      await pay.invoice(wallet.admin, wallet);
      await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 1 });
      expect(await listed(`key_id=${key.id}&status=all`)).toEqual([]);
      expect(await client.get(`/v1/keys/${key.id}`)).toMatchObject({ num_paid: 0, paid_msat: 0 });
    });

    it('are read by the account of the key alone, and not of a wallet at the same time', async () => {
      const wallet = await client.wallet(1000);
      const key = await newKey(wallet);
      const status = async (path: string, by = client.secretKey) => (await client.request('GET', path, { key: by })).status;
      for (const path of [`/v1/wallet-transactions?key_id=${key.id}`, `/v1/keys/${key.id}`]) {
        expect(await status(path)).toBe(200);
        expect(await status(path, service.neighbour.secretKey)).toBe(404);
        expect(await status(path, wallet.admin)).toBe(403);
      }
      for (const unknown of ['key_unknown', '%00', 'key_0Vbb6A3n00wC8pZuKt9eE6'])
        expect(await status(`/v1/wallet-transactions?key_id=${unknown}`)).toBe(404);
      expect(await status(`/v1/wallet-transactions?key_id=${key.id}&wallet_id=${wallet.id}`)).toBe(400);
      expect(await status(`/v1/wallet-transactions?key_id=${wallet.admin}`)).toBe(400);
    });

    it('are counted and summed up to 10,000', async () => {
      const wallet = await client.wallet();
      const key = await newKey(wallet);
      await service.execute(
        `WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 10000)
         INSERT INTO wallet_transaction (position, id, wallet_id, ledger_account, account_id, type, status, amount_msat, entry, balance_msat,
           placed_at_ms, label, key_lineage_id)
         SELECT 1000000 + n, 'many_' || n, 'wal_none', 0, 'acc_none', 'transfer_out', 'settled', -2, n, 0, 0, '', $1 FROM number`,
        key.id,
      );
      try {
        expect(await client.get(`/v1/keys/${key.id}`)).toMatchObject({ num_paid: 10_000, paid_msat: 20_000 });
        await service.execute(
          `INSERT INTO wallet_transaction (position, id, wallet_id, ledger_account, account_id, type, status, amount_msat, entry, balance_msat,
             placed_at_ms, label, key_lineage_id)
           VALUES (2000000, 'many_0', 'wal_none', 0, 'acc_none', 'transfer_out', 'settled', -2, 10001, 0, 0, '', $1)`,
          key.id,
        );
        expect(await client.get(`/v1/keys/${key.id}`)).toMatchObject({ num_paid: null, paid_msat: null });
      } finally {
        await service.execute(`DELETE FROM wallet_transaction WHERE id LIKE 'many_%'`);
      }
    });

    it('are verified: another key of a transfer or of a payment with a budget is found', async () => {
      const [wallet, other] = [await client.wallet(1000), await client.wallet()];
      const key = await newKey(wallet, { budget_msat: 500_000, budget_period: 'day' });
      const ids = [await pay.invoice(key.key, wallet), await pay.wallet(key.key, wallet, other)];
      for (const id of ids) {
        const found = await problemsAfter(`UPDATE wallet_transaction SET key_lineage_id = 'key_other' WHERE id = $1`, id);
        expect(found.join('\n')).toContain(DIFFERS);
      }
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
);

/** Each payment returns the id of its wallet transaction. */
function payments({ client, net }: FakeNodeApp) {
  async function send(key: string, path: string, json: object): Promise<Json> {
    const { status, body, text } = await client.request('POST', path, { key, json });
    if (status >= 300 && body.wtx_id === undefined) throw new Error(text);
    return body;
  }
  const text = async (key: string, wallet: TestWallet, paymentRequest: string): Promise<string> => {
    const body = await send(key, `/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
    return body.id ?? body.wtx_id;
  };
  return {
    text,
    invoice: (key: string, wallet: TestWallet, script: { fail?: 'NO_ROUTE' } = {}) =>
      text(key, wallet, net.outside.invoice({ amountMsat: 5_000, memo: 'fee=0', script }).paymentRequest),
    wallet: async (key: string, wallet: TestWallet, to: TestWallet): Promise<string> =>
      (await send(key, `/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 4 })).wtx_transfer_out.id,
    bulk: async (key: string, wallet: TestWallet, to: TestWallet): Promise<string> => {
      const body = await send(key, `/v1/wallet/${wallet.id}/transfers`, { lines: [{ dest_wallet_id: to.id, num_satoshis: 3 }] });
      return body.transfers[0].wtx_transfer_out_id;
    },
  };
}
