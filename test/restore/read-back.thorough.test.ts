import { beforeAll, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { endQuarantine } from '../../src/core/quarantine/quarantine.ts';
import { objectionTo } from '../../src/features/restore/restore.ts';
import type { Restore } from '../../src/features/restore/restore-object.ts';
import { type FakeNodeApp, MEASURES_AT_ONCE, onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { silentLog } from '../support/ledger.ts';
import { rewindOf } from '../support/rewind.ts';

const TIMING = { ...MEASURES_AT_ONCE, readBackMs: 20, resumeMs: 50 };

async function complete({ client }: FakeNodeApp): Promise<Restore> {
  const read = (): Promise<Restore> => client.get('/v1/operator/restore');
  await vi.waitUntil(async () => (await read()).read_back.status === 'complete', { timeout: 150_000, interval: 20 });
  await vi.waitUntil(async () => (await read()).reconciliation.status !== 'waiting', { timeout: 150_000, interval: 20 });
  return read();
}

async function accept({ databaseUrl }: FakeNodeApp): Promise<void> {
  const database = await openDatabase(databaseUrl, { withoutLock: true, log: silentLog });
  await endQuarantine(database, 'a test', systemClock).finally(() => database.close());
}

onFakeNode(
  'a restored service',
  (app) => {
    const { client, net } = app;
    const { save, rewind } = rewindOf(app);
    let [payer, payee] = [] as unknown as [TestWallet, TestWallet];

    const invoice = async (wallet: TestWallet, sats: number): Promise<Json> =>
      client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: sats });
    const receive = async (wallet: TestWallet, sats: number) =>
      net.outside.pay({ paymentRequest: (await invoice(wallet, sats)).payment_request });
    /** Pays an outside invoice. A payment that fails at once has no object in the response. */
    const pay = async (wallet: TestWallet, amountMsat: number, options: object = {}) => {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat, ...options });
      const json = { payment_request: paymentRequest };
      const headers = { prefer: 'respond-async' };
      await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json, headers });
      const [row] = await app.rows('SELECT id FROM payment WHERE payment_hash = $1', paymentHash);
      expect(row).toBeDefined();
      return { id: String(row?.id), paymentHash };
    };
    const balance = async ({ id }: TestWallet): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance_msat;
    const received = (wallet: TestWallet, atLeast: number) =>
      vi.waitUntil(async () => (await balance(wallet)) >= atLeast, { timeout: 150_000, interval: 20 });
    const stateOf = async (id: string) => (await app.rows('SELECT state FROM payment WHERE id = $1', id))[0]?.state;
    const ended = (id: string) => vi.waitUntil(async () => (await stateOf(id)) !== 'pending', { timeout: 150_000, interval: 20 });

    beforeAll(async () => {
      payer = await client.wallet(1000);
      payee = await client.wallet(0);
    });

    it('has every receipt and payment of the time after the backup, under the same ids, exactly once', async () => {
      const before = await invoice(payee, 7);
      await save();
      await net.outside.pay({ paymentRequest: before.payment_request });
      await receive(payee, 11);
      const paid = await pay(payer, 50_123, { script: { fee: 17 } });
      const failed = await pay(payer, 60_000, { script: { fail: 'NO_ROUTE' } });
      await Promise.all([paid, failed].map(({ id }) => ended(id)));
      await received(payee, 18_000);
      const balances = await Promise.all([payer, payee].map(balance));
      await rewind();
      const restore = await complete(app);
      expect(await Promise.all([payer, payee].map(balance))).toEqual(balances);
      expect(restore).toMatchObject({
        quarantined: true,
        receipts: { count: 2, num_msat: 18_000 },
        payments: { count: 1, num_msat: 50_123, fee_msat: 17, pending: 0 },
        shortfalls: { num_msat: 0, items: [] },
        recovered_wallets: { count: 0 },
        reconciliation: { status: 'agrees' },
      });
      expect(objectionTo(restore)).toBeUndefined();
      expect(await client.get(`/v1/lntx/${paid.id}`)).toMatchObject({ settled: 1, num_satoshis: 50 });
      expect(await stateOf(failed.id)).toBeUndefined();
      await accept(app);
      expect(await app.problems()).toEqual([]);
    });

    it('gives wallets that were created after the backup their money under an account of their own', async () => {
      await save();
      const created = await client.wallet(0);
      await receive(created, 500);
      await received(created, 500_000);
      const paid = await pay(created, 100_000, { script: { fee: 5 } });
      await ended(paid.id);
      await rewind();
      const { recovered_wallets: recovered, shortfalls } = await complete(app);
      expect(recovered).toMatchObject({ count: 1, items: [created.id] });
      expect(shortfalls.num_msat).toBe(0);
      expect(await app.rows('SELECT account_id, user_label FROM wallet WHERE id = $1', created.id)).toEqual([
        { account_id: recovered.account_id, user_label: 'recovered' },
      ]);
      const [row] = await app.rows(
        "SELECT sum(amount_msat) AS n FROM wallet_transaction WHERE status = 'settled' AND wallet_id = $1",
        created.id,
      );
      expect(Number(row?.n)).toBe(399_995);
      await accept(app);
      expect(await app.problems()).toEqual([]);
    });

    it('keeps trying while a node cannot be reached, shows why, and must not be accepted', async () => {
      const wallet = await client.wallet(0);
      await save();
      await receive(wallet, 9);
      await received(wallet, 9_000);
      await rewind(() => net.down());
      const read = (): Promise<Restore> => client.get('/v1/operator/restore');
      await vi.waitUntil(async () => (await read()).read_back.nodes[0]?.error, { timeout: 150_000, interval: 20 });
      expect(objectionTo(await read())).toContain('could not be read back');
      net.up();
      expect(objectionTo(await complete(app))).toBeUndefined();
      expect(await balance(wallet)).toBe(9_000);
      await accept(app);
      expect(await app.problems()).toEqual([]);
    });

    it('charges a wallet whose money from another wallet was lost down to zero, and shows the shortfall to the operator', async () => {
      const poor = await client.wallet(0);
      await save();
      await client.post(`/v1/wallet/${payer.id}/transfer`, { dest_wallet_id: poor.id, num_satoshis: 30 });
      const paid = await pay(poor, 20_000, { script: { fee: 3 } });
      await ended(paid.id);
      await rewind();
      const restore = await complete(app);
      expect(await balance(poor)).toBe(0);
      expect(restore.shortfalls).toEqual({ num_msat: 20_003, items: [{ wallet_id: poor.id, payment_id: paid.id, num_msat: 20_003 }] });
      expect(restore.reconciliation.status).toBe('agrees');
      expect(await app.openAlerts()).toContainEqual(expect.objectContaining({ kind: 'restore_shortfall', subject: poor.id }));
      await accept(app);
      expect(await app.problems()).toEqual([]);
    });

    it('keeps payments in flight pending, and gives a shortfall back that they do not need', async () => {
      const poor = await client.wallet(0);
      await save();
      await client.post(`/v1/wallet/${payer.id}/transfer`, { dest_wallet_id: poor.id, num_satoshis: 100 });
      const [cancelled, settled] = [await pay(poor, 20_000, { hold: true }), await pay(poor, 30_000, { hold: true, script: { fee: 3 } })];
      const alsoPaid = await pay(payer, 5_000, { hold: true });
      const payerBefore = await balance(payer);
      await rewind();
      expect((await complete(app)).payments.pending).toBe(3);
      expect((await complete(app)).shortfalls.num_msat).toBeGreaterThanOrEqual(50_000);
      await client.decideHold(cancelled.paymentHash, 'cancel');
      await client.decideHold(settled.paymentHash, 'settle');
      await client.decideHold(alsoPaid.paymentHash, 'cancel');
      await Promise.all([cancelled, settled, alsoPaid].map(({ id }) => ended(id)));
      const { shortfalls } = await client.get('/v1/operator/restore');
      expect(await balance(poor)).toBe(0);
      expect(shortfalls.items.filter((one: Json) => one.wallet_id === poor.id)).toEqual([
        { wallet_id: poor.id, payment_id: settled.id, num_msat: expect.any(Number) },
      ]);
      // The lost transfer of 100 sat is the payer's again, and so is what was held: 5 sat and the fee reserve.
      expect(await balance(payer)).toBe(payerBefore + 100_000 + 15_000);
      await accept(app);
      expect(await app.problems()).toEqual([]);
    });
  },
  {},
  TIMING,
);
