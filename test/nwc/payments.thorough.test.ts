import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { tagValue } from '../../src/core/nostr/event.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';
import { codeOf, QUICK } from './timing.ts';

const BAD_AMOUNTS = [-1, 1.5, 2 ** 53, '1000', true];

onFakeNode(
  'payments of apps',
  ({ client, net, problems, rows }) => {
    let wallet: TestWallet;
    let app: NwcApp;
    const balance = async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat;
    const invoice = (amountMsat?: number, memo = '') =>
      net.outside.invoice({ ...(amountMsat !== undefined && { amountMsat }), memo }).paymentRequest;

    beforeAll(async () => {
      wallet = await client.wallet(10_000);
      app = await connectApp(client, wallet.id);
    });

    afterAll(() => app.close());

    it('rejects invalid parameters of pay_invoice, and pays nothing', async () => {
      const before = await balance();
      const open = invoice();
      for (const amount of BAD_AMOUNTS)
        expect([amount, await codeOf(app, 'pay_invoice', { invoice: open, amount })]).toEqual([amount, 'BAD_REQUEST']);
      for (const params of [
        { invoice: open },
        { invoice: open, amount: 0 },
        {},
        { invoice: 5 },
        { invoice: 'lnbcrt1x' },
        { invoice: invoice(1000), amount: 2000 },
      ])
        expect([params, await codeOf(app, 'pay_invoice', params)]).toEqual([params, 'BAD_REQUEST']);
      expect(await balance()).toBe(before);
    });

    it('pays an invoice without an amount, and one in upper case with a repeated amount', async () => {
      const before = await balance();
      const first = await app.call('pay_invoice', { invoice: invoice(undefined, 'fee=3'), amount: 1500 });
      expect(first.result).toEqual({ preimage: expect.stringMatching(/^\w{64}$/), fees_paid: 3 });
      const upper = invoice(2000, 'fee=0').toUpperCase();
      expect((await app.call('pay_invoice', { invoice: upper, amount: 2000 })).result.fees_paid).toBe(0);
      expect(await balance()).toBe(before - 3503);
      expect(await problems()).toEqual([]);
    });

    it('maps each refusal to a code of NIP-47', async () => {
      const own = await app.call('make_invoice', { amount: 1000 });
      expect(await codeOf(app, 'pay_invoice', { invoice: own.result.invoice })).toBe('OTHER');
      expect(await codeOf(app, 'pay_invoice', { invoice: invoice(90_000_000) })).toBe('INSUFFICIENT_BALANCE');
      expect(await codeOf(app, 'pay_invoice', { invoice: invoice(1000, 'fail=TIMEOUT') })).toBe('PAYMENT_FAILED');
      const capped = await connectApp(client, wallet.id, { max_payment_msat: 5000, budget_msat: 8000, budget_period: 'ever' });
      expect(await codeOf(capped, 'pay_invoice', { invoice: invoice(6000) })).toBe('QUOTA_EXCEEDED');
      expect(await codeOf(capped, 'pay_invoice', { invoice: invoice(4000) })).toBe(undefined);
      expect(await codeOf(capped, 'pay_invoice', { invoice: invoice(4500) })).toBe('QUOTA_EXCEEDED');
      capped.close();
      expect(await problems()).toEqual([]);
    });

    it('sends a keysend with records, and rejects what it cannot send', async () => {
      const [alice] = (await client.get('/playground')).nodes.filter(({ name }: Json) => name === 'alice');
      const sent = await app.call('pay_keysend', {
        amount: 1000,
        pubkey: alice.pubkey.toUpperCase(),
        tlv_records: [{ type: 65_537, value: 'AB' }],
      });
      expect(sent.result.preimage).toMatch(/^[0-9a-f]{64}$/);
      const invalid = [
        {},
        { amount: 0 },
        { amount: -5 },
        { pubkey: 'ab' },
        { pubkey: `05${'ab'.repeat(32)}` },
        { preimage: 'ab' },
        { tlv_records: 'x' },
        { tlv_records: [{ type: 1, value: '00' }] },
        { tlv_records: [{ type: 5_482_373_484, value: '00' }] },
        { tlv_records: [{ type: 70_000, value: 'zz' }] },
        { tlv_records: Array.from({ length: 21 }, (_, i) => ({ type: 70_000 + i, value: '00' })) },
      ];
      for (const change of invalid) {
        const params = {
          amount: change.amount === undefined && 'pubkey' in change ? 1 : (change.amount ?? 1000),
          pubkey: alice.pubkey,
          ...change,
        };
        if (Object.keys(change).length === 0) delete (params as Json).pubkey;
        expect([change, await codeOf(app, 'pay_keysend', params)]).toEqual([change, 'BAD_REQUEST']);
      }
      expect(await problems()).toEqual([]);
    });

    it('answers each item of multi_pay_invoice by its id or its payment hash, once', async () => {
      const [a, b, c] = [1, 2, 3].map((sat) => net.outside.invoice({ amountMsat: sat * 1000, memo: sat === 3 ? 'fail=NO_ROUTE' : '' }));
      const event = app.request('multi_pay_invoice', {
        invoices: [{ invoice: a?.paymentRequest, id: 'mine' }, { invoice: b?.paymentRequest }, { invoice: c?.paymentRequest, id: '' }],
      });
      await app.send(event);
      await vi.waitUntil(() => app.responsesTo(event).length === 3, { timeout: 150_000 });
      const answers = new Map(app.responsesTo(event).map((one) => [tagValue(one.event, 'd'), one.body]));
      expect([...answers.keys()].sort()).toEqual(['mine', b?.paymentHash, c?.paymentHash].sort());
      expect(answers.get('mine')).toMatchObject({ result_type: 'multi_pay_invoice', result: { preimage: expect.any(String) } });
      expect(answers.get(c?.paymentHash)).toMatchObject({ error: { code: 'PAYMENT_FAILED' } });
      for (const invoices of [undefined, [], [1], Array.from({ length: 21 }, () => ({ invoice: a?.paymentRequest }))])
        expect(await codeOf(app, 'multi_pay_invoice', { invoices })).toBe('BAD_REQUEST');
      expect(await problems()).toEqual([]);
    });

    it('answers each item of multi_pay_keysend by its id or its public key', async () => {
      const nodes: Json[] = (await client.get('/playground')).nodes;
      const [alice, carol] = ['alice', 'carol'].map((name) => nodes.find((node) => node.name === name).pubkey);
      const event = app.request('multi_pay_keysend', {
        keysends: [
          { id: 'k1', pubkey: alice, amount: 1000 },
          { pubkey: carol, amount: 2000 },
        ],
      });
      await app.send(event);
      await vi.waitUntil(() => app.responsesTo(event).length === 2, { timeout: 150_000 });
      expect(
        app
          .responsesTo(event)
          .map((one) => tagValue(one.event, 'd'))
          .sort(),
      ).toEqual(['k1', carol].sort());
      expect(app.responsesTo(event).every(({ body }) => body.result?.preimage)).toBe(true);
      expect(await problems()).toEqual([]);
    });

    it('pays by pay, and creates a URI by receive', async () => {
      const paid = async (payment: string, more = {}) => (await app.call('pay', { payment, ...more })).result;
      for (const form of [
        (text: string) => `bitcoin:?lightning=${text}`,
        (text: string) => `BITCOIN:BCRT1X?LIGHTNING=${text.toUpperCase()}`,
        (text: string) => `lightning:${text}`,
        (text: string) => text,
      ])
        expect(await paid(form(invoice(1000, 'fee=2')))).toMatchObject({
          state: 'settled',
          instruction_type: 'bolt11',
          amount: 1000,
          fees_paid: 2,
          preimage: expect.stringMatching(/^\w{64}$/),
          transaction_id: expect.any(String),
          settled_at: expect.any(Number),
        });
      const [first, second] = [net.outside.invoice({ amountMsat: 1000 }), net.outside.invoice({ amountMsat: 1000 })];
      const both = `bitcoin:?lightning=${first.paymentRequest}&lightning=${second.paymentRequest}`;
      expect((await app.call('pay', { payment: both })).error).toMatchObject({ code: expect.any(String) });
      expect(await paid(`bitcoin:?lightning=${first.paymentRequest}`)).toMatchObject({ payment_hash: first.paymentHash });
      const { result: made } = await app.call('receive', { amount: 7000, description: 'x' });
      expect(made).toEqual({ bip321: expect.stringMatching(/^bitcoin:\?lightning=lnbcrt70n1/), transaction_id: expect.any(String) });
      expect((await app.call('receive')).result.bip321).toMatch(/^bitcoin:\?lightning=lnbcrt1/);
      expect(await problems()).toEqual([]);
    });

    it('refuses instructions of pay that it does not support', async () => {
      const text = invoice(1000);
      for (const payment of [
        'bitcoin:?lno=lno1abc',
        'bitcoin:bcrt1qxyz',
        'lno1abc',
        'hello',
        `bitcoin:?lightning=${text}&req-pop=x`,
        `bitcoin:?lightning=${text}&req-x=1`,
      ])
        expect([payment, await codeOf(app, 'pay', { payment })]).toEqual([payment, 'UNSUPPORTED_PAYMENT_INSTRUCTION']);
      expect(await codeOf(app, 'pay', { payment: text, payer_note: 'hi' })).toBe('UNSUPPORTED_PAYMENT_INSTRUCTION');
      // The first example of BOLT 11.
      const mainnet =
        'lnbc1pvjluezsp5zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zyg3zygspp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqdpl2pkx2ctnv5sxxmmwwd5kgetjypeh2ursdae8g6twvus8g6rfwvs8qun0dfjkxaq9qrsgq357wnc5r2ueh7ck6q93dj32dlqnls087fxdwk8qakdyafkq3yap9us6v52vjjsrvywa6rt52cm9r9zqt8r2t7mlcwspyetp5h2tztugp9lfyql';
      expect(await codeOf(app, 'pay', { payment: mainnet, amount: 1000 })).toBe('UNSUPPORTED_NETWORK');
      for (const params of [
        {},
        { payment: '' },
        { payment: text, amount: 999 },
        { payment: invoice() },
        { payment: text, max_fee: -1 },
        { payment: text, max_fee: 1.5 },
      ])
        expect([params, await codeOf(app, 'pay', params)]).toEqual([params, 'BAD_REQUEST']);
      const tooDear = await app.call('pay', { payment: invoice(1000, 'fee=11'), max_fee: 10 });
      expect(tooDear.error).toMatchObject({ code: 'PAYMENT_FAILED', message: expect.stringContaining('10 msat') });
      expect(await problems()).toEqual([]);
    });

    it('answers pay with pending while the payment is held, and lookup_invoice with its outcome', async () => {
      const held = net.outside.invoice({ amountMsat: 3000, hold: true });
      const { result } = await app.call('pay', { payment: held.paymentRequest });
      expect(result).toMatchObject({ state: 'pending', payment_hash: held.paymentHash });
      expect('preimage' in result).toBe(false);
      net.outside.resolveHold(held.paymentHash, 'settle');
      const found = async () => (await app.call('lookup_invoice', { payment_hash: held.paymentHash })).result;
      await expect.poll(async () => (await found()).state).toBe('settled');
      expect(await problems()).toEqual([]);
    });

    it('counts unknown methods under one name', async () => {
      expect(await codeOf(app, 'drain_wallet\u0000')).toBe('NOT_IMPLEMENTED');
      const { text } = await client.request('GET', '/metrics', { key: client.secretKey });
      expect(text).not.toContain('drain_wallet');
      expect(await rows("SELECT method FROM nwc_request WHERE method NOT IN ('unknown') AND method LIKE 'drain%'")).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
  QUICK,
);
