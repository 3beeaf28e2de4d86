import { afterAll, beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';
import { codeOf, QUICK } from './timing.ts';

const HASH = 'ab'.repeat(32);
const BAD_AMOUNTS = [-1, 1.5, 2 ** 53, 1e300, '1000', true, {}, [1]];

onFakeNode(
  'methods of apps that read and create invoices',
  ({ client, net, problems, execute, rows }) => {
    let wallet: TestWallet;
    let other: TestWallet;
    let app: NwcApp;
    const make = async (params: object): Promise<Json> => (await app.call('make_invoice', params)).result;
    const list = async (params: object): Promise<Json[]> => (await app.call('list_transactions', params)).result.transactions;

    beforeAll(async () => {
      wallet = await client.wallet(1000);
      other = await client.wallet(1000);
      app = await connectApp(client, wallet.id, { budget_msat: 500_000, budget_period: 'month' });
    });

    afterAll(() => app.close());

    it('returns facts about the wallet and what the app may do', async () => {
      const { result } = await app.call('get_info');
      expect(result).toMatchObject({ network: 'regtest', pubkey: expect.stringMatching(/^0[23][0-9a-f]{64}$/), metadata: { id: app.id } });
      expect(result.methods.sort()).toEqual(
        [
          ...['get_info', 'get_balance', 'get_budget', 'lookup_invoice', 'list_transactions', 'make_invoice', 'receive'],
          ...['pay', 'pay_invoice', 'pay_keysend'],
          ...['make_hold_invoice', 'settle_hold_invoice', 'cancel_hold_invoice'],
        ].sort(),
      );
      expect(result.notifications).toEqual(['payment_received', 'payment_sent', 'hold_invoice_accepted']);
    });

    it('rejects every amount that is no whole number of millisatoshis, and creates nothing', async () => {
      for (const amount of BAD_AMOUNTS) expect([amount, await codeOf(app, 'make_invoice', { amount })]).toEqual([amount, 'BAD_REQUEST']);
      for (const amount of BAD_AMOUNTS) expect([amount, await codeOf(app, 'receive', { amount })]).toEqual([amount, 'BAD_REQUEST']);
      expect(await list({ unpaid: true, type: 'incoming', limit: 50 })).toHaveLength(1);
    });

    it('creates an invoice whose payer chooses the amount, for the amounts 0, null and none', async () => {
      for (const params of [{ amount: 0 }, { amount: null }, {}, undefined]) {
        const { result } = await app.call('make_invoice', params);
        expect(result).toMatchObject({ state: 'pending', amount: 0, description: '', settled_at: null });
      }
    });

    it('rejects other invalid fields of an invoice', async () => {
      const invalid = [
        { description: 'x'.repeat(640) },
        { description: 5 },
        { description: 'a\u0000b' },
        { description_hash: 'ab' },
        { description_hash: 'zz'.repeat(32) },
        { expiry: -1 },
        { expiry: 1e10 },
        { expiry: 'day' },
      ];
      for (const field of invalid)
        expect([field, await codeOf(app, 'make_invoice', { amount: 1000, ...field })]).toEqual([field, 'BAD_REQUEST']);
    });

    it('ignores unknown fields and metadata that is too large', async () => {
      const made = await make({
        amount: 1000,
        expiry: 60,
        unknown: { x: 1 },
        metadata: { comment: 'x'.repeat(5000) },
        description_hash: HASH,
      });
      expect(made).toMatchObject({ metadata: null, description_hash: HASH, amount: 1000 });
      expect(made.expires_at - made.created_at).toBe(60);
    });

    it('finds its own invoices by hash and by text in upper case, and those of no other wallet', async () => {
      const made = await make({ amount: 2000 });
      for (const params of [
        { payment_hash: made.payment_hash.toUpperCase() },
        { invoice: made.invoice },
        { invoice: made.invoice.toUpperCase() },
      ])
        expect((await app.call('lookup_invoice', params)).result).toEqual(made);
      const foreign = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 5 });
      expect(await codeOf(app, 'lookup_invoice', { invoice: foreign.payment_request })).toBe('NOT_FOUND');
      expect(await codeOf(app, 'lookup_invoice', { payment_hash: HASH })).toBe('NOT_FOUND');
      for (const params of [{}, { payment_hash: 'ab' }, { payment_hash: 5 }, { invoice: 'lnbcrt1' }, { invoice: 'x'.repeat(8000) }])
        expect([params, await codeOf(app, 'lookup_invoice', params)]).toEqual([params, 'BAD_REQUEST']);
    });

    it('reports an expired invoice as expired', async () => {
      const made = await make({ amount: 2000 });
      await execute('UPDATE invoice SET expires_at = created_at - 1 WHERE payment_hash = $1', made.payment_hash);
      expect((await app.call('lookup_invoice', { payment_hash: made.payment_hash })).result.state).toBe('expired');
      await execute('UPDATE invoice SET expires_at = created_at + 86400 WHERE payment_hash = $1', made.payment_hash);
    });

    it('finds payments in each state, and its own before a failed one of another wallet', async () => {
      const paid = net.outside.invoice({ amountMsat: 1000 });
      const failing = net.outside.invoice({ amountMsat: 1000, memo: 'fail=NO_ROUTE' });
      await app.call('pay_invoice', { invoice: paid.paymentRequest });
      expect(await codeOf(app, 'pay_invoice', { invoice: failing.paymentRequest })).toBe('PAYMENT_FAILED');
      const found = async (payment_hash: string) => (await app.call('lookup_invoice', { payment_hash })).result;
      expect(await found(paid.paymentHash)).toMatchObject({
        type: 'outgoing',
        state: 'settled',
        preimage: expect.stringMatching(/^\w{64}$/),
      });
      expect(await found(failing.paymentHash)).toMatchObject({ type: 'outgoing', state: 'failed', preimage: '', settled_at: null });
    });

    it('returns a real preimage of a payment between two wallets to both apps', async () => {
      const { payment_request, r_hash_decoded } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 2 });
      const { result } = await app.call('pay_invoice', { invoice: payment_request.toUpperCase() });
      expect(result).toEqual({ preimage: expect.stringMatching(/^[0-9a-f]{64}$/), fees_paid: 0 });
      const payee = await connectApp(client, other.id);
      const found = await payee.call('lookup_invoice', { payment_hash: r_hash_decoded });
      expect(found.result).toMatchObject({ type: 'incoming', state: 'settled', preimage: result.preimage, settled_at: expect.any(Number) });
      payee.close();
      expect(await problems()).toEqual([]);
    });

    it('lists the budget with the payments that used it', async () => {
      const { result } = await app.call('get_budget');
      expect(result).toMatchObject({ total_budget: 500_000, renewal_period: 'monthly', renews_at: expect.any(Number) });
      expect(result.used_budget).toBeGreaterThanOrEqual(3000);
      const next = new Date(result.renews_at * 1000);
      expect([next.getUTCDate(), next.getUTCHours(), next.getUTCMinutes()]).toEqual([1, 0, 0]);
      for (const [budget_period, renewal_period] of [
        ['day', 'daily'],
        ['week', 'weekly'],
        ['ever', 'never'],
      ] as const) {
        const limited = await connectApp(client, other.id, { budget_msat: 1000, budget_period });
        const budget = (await limited.call('get_budget')).result;
        expect(budget).toMatchObject({ used_budget: 0, total_budget: 1000, renewal_period });
        expect('renews_at' in budget).toBe(budget_period !== 'ever');
        limited.close();
      }
      const free = await connectApp(client, other.id);
      expect((await free.call('get_budget')).result).toEqual({});
      free.close();
    });

    it('lists transactions without fees, newest first, and pages through them without gaps', async () => {
      const own = await client.wallet(1000);
      const lister = await connectApp(client, own.id);
      const created = await lister.call('make_invoice', { amount: 3000, description: 'first' });
      for (let i = 1; i <= 4; i++)
        await lister.call('pay_invoice', { invoice: net.outside.invoice({ amountMsat: i * 1000, memo: 'fee=7' }).paymentRequest });
      await client.post(`/v1/wallet/${own.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 9 });
      // It was created before and is paid after the payments.
      await net.outside.pay({ paymentRequest: created.result.invoice });
      const hash = created.result.payment_hash;
      await expect.poll(async () => (await lister.call('lookup_invoice', { payment_hash: hash })).result.state).toBe('settled');
      const all = (await lister.call('list_transactions')).result;
      expect(all.transactions.map(({ amount }: Json) => amount)).toEqual([3000, 9000, 4000, 3000, 2000, 1000, 1_000_000]);
      expect(all.total_count).toBe(7);
      expect(all.transactions[2]).toMatchObject({ type: 'outgoing', fees_paid: 7, state: 'settled' });
      expect(all.transactions[1]).toMatchObject({ type: 'outgoing', payment_hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
      for (const limit of [1, 2, 3, 5]) {
        const paged: Json[] = [];
        for (let offset = 0; offset < 7; offset += limit)
          paged.push(...(await lister.call('list_transactions', { limit, offset })).result.transactions);
        expect(paged).toEqual(all.transactions);
      }
      const incoming = (await lister.call('list_transactions', { type: 'incoming' })).result.transactions;
      expect(incoming.map(({ amount }: Json) => amount)).toEqual([3000, 1_000_000]);
      lister.close();
      expect(await problems()).toEqual([]);
    });

    it('lists unpaid invoices and failed payments only on request', async () => {
      const own = await client.wallet(1000);
      const lister = await connectApp(client, own.id);
      await lister.call('make_invoice', { amount: 5000 });
      await lister.call('pay_invoice', { invoice: net.outside.invoice({ amountMsat: 4000, memo: 'fail=NO_ROUTE' }).paymentRequest });
      const amounts = async (params: object) =>
        (await lister.call('list_transactions', params)).result.transactions.map(({ amount, state }: Json) => `${amount} ${state}`);
      expect(await amounts({})).toEqual(['1000000 settled']);
      expect((await amounts({ unpaid: true })).sort()).toEqual(['1000000 settled', '4000 failed', '5000 pending']);
      expect((await amounts({ unpaid_incoming: true })).sort()).toEqual(['1000000 settled', '5000 pending']);
      expect((await amounts({ unpaid_outgoing: true })).sort()).toEqual(['1000000 settled', '4000 failed']);
      lister.close();
    });

    it('lists from and until inclusively, and rejects invalid filters', async () => {
      const [newest] = await list({ limit: 1, type: 'outgoing' });
      const [row] = await rows(
        'SELECT w.placed_at_ms AS ms FROM wallet_transaction w JOIN payment p ON p.id = w.lntx WHERE p.payment_hash = $1',
        newest.payment_hash,
      );
      const at = Math.floor(Number(row?.ms) / 1000);
      const hashes = async (params: object) => (await list(params)).map(({ payment_hash }) => payment_hash);
      expect(await hashes({ from: at })).toContain(newest.payment_hash);
      expect(await hashes({ until: at })).toContain(newest.payment_hash);
      expect(await hashes({ from: at + 1 })).not.toContain(newest.payment_hash);
      expect(await hashes({ until: at - 1 })).not.toContain(newest.payment_hash);
      expect(await list({ from: at + 3600 })).toEqual([]);
      expect(await list({ until: 1000 })).toEqual([]);
      expect(await list({ from: Number.MAX_SAFE_INTEGER })).toEqual([]);
      for (const params of [
        { limit: -1 },
        { offset: 'x' },
        { offset: 1e9 },
        { from: 1.5 },
        { until: -1 },
        { type: 'both' },
        { unpaid: 'yes' },
      ])
        expect([params, await codeOf(app, 'list_transactions', params)]).toEqual([params, 'BAD_REQUEST']);
    });

    it('keeps the event of a list of long descriptions below 60 KiB, and continues with offset', async () => {
      const own = await client.wallet();
      const lister = await connectApp(client, own.id, {}, 'nip04');
      const metadata = { comment: 'ü"'.repeat(1000) };
      for (let i = 0; i < 30; i++) await lister.call('make_invoice', { amount: 1000 + i, description: '"'.repeat(639), metadata });
      const seen: number[] = [];
      while (seen.length < 30) {
        const event = lister.request('list_transactions', { unpaid: true, offset: seen.length });
        await lister.send(event);
        const { transactions } = (await lister.responseTo(event)).result;
        expect(transactions.length).toBeGreaterThan(0);
        expect(JSON.stringify(lister.responsesTo(event)[0]?.event).length).toBeLessThan(61_440);
        seen.push(...transactions.map(({ amount }: Json) => amount));
      }
      expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => 1029 - i));
      lister.close();
    });
  },
  {},
  QUICK,
);
