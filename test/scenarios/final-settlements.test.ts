import { expect, it } from 'vitest';
import type { AfterReport } from '../../devnet/fake/tables.ts';
import { msat } from '../../src/core/kernel/money.ts';
import type { JobTiming } from '../../src/jobs.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';

const TIMING: JobTiming = { arriving: { roundMs: 20, alertEvery: 2, waitSeconds: () => 0 }, probe: { againMs: 1, arrivalMs: 1 } };

/** Moves the reports, their next lookups and what operators have accepted into the past. The service uses the clock of the system. */
async function age({ execute }: FakeNodeApp, seconds: number, paymentHash = '%') {
  const moved = 'reported_at = reported_at - $1, next_check_at = next_check_at - $2';
  await execute(`UPDATE arriving_payment SET ${moved} WHERE payment_hash LIKE $3`, seconds, seconds, paymentHash);
  await execute('UPDATE alert SET last_seen_at = last_seen_at - $1 WHERE cleared_at IS NOT NULL', seconds);
}

/** Reports a payment of 5 sat to the node's invoice, which then ends as planned. */
async function reported({ client, net }: FakeNodeApp, after: AfterReport) {
  const wallet = await client.wallet();
  const invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5, memo: 'tea' });
  void net.outside.pay({ paymentRequest: invoice.payment_request, after });
  const lntx = (query = '') => client.get(`/v1/lntx/${invoice.id}${query}`);
  const until = (status: string) => expect.poll(async () => (await lntx()).status).toBe(status);
  const balance = async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat;
  const events = async () =>
    (await client.get(`/v1/wallet/${wallet.id}/events`)).map(({ event }: { event: { name: string } }) => event.name) as string[];
  return { wallet, invoice, hash: invoice.r_hash_decoded as string, lntx, until, balance, events };
}

onFakeNode(
  'a settlement that the node has reported',
  (service) => {
    const { client, net } = service;
    const alerts = async () => (await service.openAlerts()).map(({ kind, subject }) => `${kind} ${subject}`);

    it('is credited in one booking when it is final at once', async () => {
      const { until, balance, events } = await reported(service, { end: 'final', afterMs: 0 });
      await until('settled');
      expect(await balance()).toBe(5000);
      expect(await events()).toEqual(['wallet_created', 'invoice_created', 'wallet_receive']);
      expect(await service.rows('SELECT payment_hash FROM arriving_payment')).toEqual([]);
      expect(await service.problems()).toEqual([]);
    });

    it('is not credited while it is not final, and is shown as arriving', async () => {
      const { wallet, invoice, lntx, until, balance, events, hash } = await reported(service, { end: 'final' });
      await until('arriving');
      expect(await lntx()).toMatchObject({ settled: 0, settled_at: null, payment_preimage: null, num_satoshis: 5, failure_reason: null });
      expect(await balance()).toBe(0);
      const [listed] = await client.get(`/v1/wallet/${wallet.id}/transactions?status=pending`);
      expect(listed).toMatchObject({
        status: 'pending',
        num_satoshis: 5,
        balance_after_msat: null,
        lnTx: { id: invoice.id, status: 'arriving' },
      });
      expect(await client.get(`/v1/wallet/${wallet.id}/transactions?status=open`)).toEqual([]);
      expect(await events()).toEqual(['wallet_created', 'invoice_created', 'wallet_receive_pending']);
      const payer = await client.wallet(100);
      const paid = { key: client.secretKey, json: { payment_request: invoice.payment_request } };
      expect(await client.request('POST', `/v1/wallet/${payer.id}/withdraw`, paid)).toMatchObject({
        status: 400,
        body: { type: 'invoice_paid' },
      });
      expect(await service.problems()).toEqual([]);

      net.endSettlement(hash, 'final');
      await until('settled');
      expect(await balance()).toBe(5000);
      const [booked] = await client.get(`/v1/wallet/${wallet.id}/transactions`);
      expect(booked).toMatchObject({ id: listed.id, status: 'settled', balance_after_msat: 5000, lnTx: { status: 'settled' } });
      expect(await events()).toEqual(['wallet_created', 'invoice_created', 'wallet_receive_pending', 'wallet_receive']);
      const [event] = await client.get(`/v1/wallet/${wallet.id}/events?type=wallet_receive_pending`);
      const then = { status: 'arriving', settled: 0, settled_at: null, payment_preimage: null };
      expect(event.data.wtx).toMatchObject({ id: listed.id, status: 'pending', balance_after_msat: null, lnTx: then });
      expect(await service.problems()).toEqual([]);
    });

    it('is never credited when it never arrives, and the operator is alerted', async () => {
      const { wallet, invoice, lntx, until, balance, events } = await reported(service, { end: 'lost', afterMs: 0 });
      await until('failed');
      expect(await lntx()).toMatchObject({ settled: 0, settled_at: null, payment_preimage: null, failure_reason: 'NOT_RECEIVED' });
      expect(await balance()).toBe(0);
      expect(await alerts()).toEqual([`invoice_contradicted ${invoice.id}`]);
      expect(await events()).toEqual(['wallet_created', 'invoice_created', 'wallet_receive_failure']);
      const [listed] = await client.get(`/v1/wallet/${wallet.id}/transactions?status=failed`);
      expect(listed).toMatchObject({ status: 'failed', failure_reason: 'NOT_RECEIVED', num_satoshis: 5 });
      const [event] = await client.get(`/v1/wallet/${wallet.id}/events?type=wallet_receive_failure`);
      expect(event.data.wtx).toMatchObject({ id: listed.id, status: 'failed', lnTx: { status: 'failed', failure_reason: 'NOT_RECEIVED' } });
      expect(net.outside.payments().at(-1)).toMatchObject({ state: 'failed' });
      expect(await service.problems()).toEqual([]);
    });

    it('of a keysend for no wallet ends when it never arrives, although a wallet takes it by then', async () => {
      const [none, taker] = ['wal_none', (await client.wallet()).id].map((id) => Buffer.from(id).toString('hex'));
      const [paymentHash, preimage] = ['ab'.repeat(32), 'cd'.repeat(32)];
      const rows = () => service.rows('SELECT state, invoice_id FROM arriving_payment WHERE payment_hash = $1', paymentHash);
      net.always('settlementFinality', { instead: { state: 'unknown' } });
      const customRecords = { '696969': none ?? '' };
      net.tell({ type: 'settlement', paymentHash, preimage, amountMsat: msat(5000), settledAt: 1, keysend: true, customRecords });
      await expect.poll(rows).toEqual([{ state: 'arriving', invoice_id: null }]);
      const sql = 'UPDATE arriving_payment SET settlement = replace(settlement, $1, $2) WHERE payment_hash = $3';
      await service.execute(sql, none ?? '', taker ?? '', paymentHash);
      net.always('settlementFinality', { instead: { state: 'failed' } });
      await expect.poll(rows).toEqual([{ state: 'failed', invoice_id: null }]);
      net.always('settlementFinality', undefined);
      expect(await service.problems()).toEqual([]);
    });

    it('is ended by an operator when the node can never say whether it arrived', async () => {
      const received = await reported(service, { end: 'unproven', afterMs: 0 });
      const lost = await reported(service, { end: 'lost' });
      for (const { until } of [received, lost]) await until('arriving');
      const resolve = (id: string, outcome: string) =>
        client.post(`/v1/operator/payments/${id}/resolve`, { outcome, reason: 'the payer says so' });
      expect(await resolve(received.invoice.id, 'settled')).toMatchObject({ status: 'done' });
      expect(await resolve(lost.invoice.id, 'failed')).toMatchObject({ status: 'done' });
      expect(await resolve(received.invoice.id, 'settled')).toMatchObject({ status: 'done' });
      expect(await received.lntx()).toMatchObject({ status: 'settled' });
      expect(await lost.lntx()).toMatchObject({ status: 'failed' });
      expect([await received.balance(), await lost.balance()]).toEqual([5000, 0]);
      expect(await service.problems()).toEqual([]);
    });

    it('is credited after all when the node proves a payment that an operator had ended as failed', async () => {
      const { invoice, until, balance, hash } = await reported(service, { end: 'final' });
      await until('arriving');
      expect(await service.act({ kind: 'resolve', subject: invoice.id, target: 'failed' })).toMatchObject({ state: 'done' });
      await until('failed');
      const received = async () =>
        (await service.openAlerts()).filter(({ subject }) => subject === invoice.id).map(({ message }) => message);
      expect(await received()).toEqual([expect.stringContaining('nothing was credited')]);
      net.endSettlement(hash, 'final');
      await age(service, 60, hash);
      await until('settled');
      expect(await balance()).toBe(5000);
      expect(await received()).toEqual([expect.stringContaining('the node reports now that they arrived, and they were credited')]);
      expect(await service.problems()).toEqual([]);
    });

    it.each(['settled', 'failed'] as const)('of a keysend for no wallet is ended as %s by an operator', async (target) => {
      const paymentHash = (target === 'settled' ? '1a' : '2b').repeat(32);
      const rows = () => service.rows('SELECT state FROM arriving_payment WHERE payment_hash = $1', paymentHash);
      const suspense = await service.suspenseMsat();
      net.always('settlementFinality', { instead: { state: 'unknown', reason: 'it has no record' } });
      const keysend = { paymentHash, preimage: 'cd'.repeat(32), amountMsat: msat(5000), keysend: true, customRecords: {} };
      net.tell({ type: 'settlement', settledAt: 1, ...keysend });
      await expect.poll(rows).toEqual([{ state: 'arriving' }]);
      const action = await client.post(`/v1/operator/payments/${paymentHash}/resolve`, { outcome: target, reason: 'the payer says so' });
      net.always('settlementFinality', { instead: { state: 'failed' } });
      expect(action).toMatchObject({ status: 'done', evidence: 'the node reports: unknown (it has no record)' });
      expect(await rows()).toEqual(target === 'settled' ? [] : [{ state: 'failed' }]);
      expect((await service.suspenseMsat()) - suspense).toBe(target === 'settled' ? 5000 : 0);
      expect(await service.problems()).toEqual([]);
      await age(service, 60, paymentHash);
      const planned = 'SELECT 1 AS n FROM arriving_payment WHERE payment_hash = $1 AND next_check_at IS NOT NULL';
      await expect.poll(() => service.rows(planned, paymentHash)).toEqual([]);
      net.always('settlementFinality', undefined);
    });

    it('is reported to the operator after ten minutes, with the reason of the node in at most 200 characters', async () => {
      net.always('settlementFinality', { instead: { state: 'unknown', reason: 'x'.repeat(300) } });
      const { until, hash } = await reported(service, { end: 'final' });
      await until('arriving');
      const reason = async () => {
        const found = (await service.openAlerts()).find(({ kind }) => kind === 'payments_arriving');
        return /; the node: (x+)$/.exec(found?.message ?? '')?.[1];
      };
      await age(service, 601, hash);
      await expect.poll(reason).toBe('x'.repeat(200));
      net.always('settlementFinality', undefined);
    });

    it('is not ended by an operator while the node does not answer', async () => {
      const { invoice, until, balance, hash, lntx } = await reported(service, { end: 'final' });
      await until('arriving');
      for (const call of ['info', 'settlementFinality'] as const) net.always(call, { unavailable: true });
      const ended = await service.act({ kind: 'resolve', subject: invoice.id, target: 'failed' });
      for (const call of ['info', 'settlementFinality'] as const) net.always(call, undefined);
      expect(ended).toMatchObject({ state: 'refused', answer: expect.stringContaining('The node did not answer') });
      expect(await lntx()).toMatchObject({ status: 'arriving' });
      net.endSettlement(hash, 'final');
      await until('settled');
      expect(await balance()).toBe(5000);
      expect(await service.problems()).toEqual([]);
    });

    it('is credited by an operator action whose evidence was not stored at first', async () => {
      const { invoice, balance, until } = await reported(service, { end: 'unproven', afterMs: 0 });
      await until('arriving');
      let failures = 1;
      service.writeFailsAt = (name) => name === 'operator_keep_evidence' && failures-- > 0;
      const ended = await service.act({ kind: 'resolve', subject: invoice.id, target: 'settled' });
      service.writeFailsAt = undefined;
      expect(ended).toMatchObject({ state: 'done', evidence: 'the node reports: unknown' });
      expect(await balance()).toBe(5000);
      expect(await service.problems()).toEqual([]);
    });

    it('is ended by the answer of the node if an operator says otherwise', async () => {
      const { invoice, until, balance } = await reported(service, { end: 'lost' });
      await until('arriving');
      net.always('settlementFinality', { instead: { state: 'failed' } });
      const json = { outcome: 'settled', reason: 'a mistake' };
      const { status } = await client.request('POST', `/v1/operator/payments/${invoice.id}/resolve`, { key: client.secretKey, json });
      net.always('settlementFinality', undefined);
      expect(status).toBe(409);
      await until('failed');
      expect(await balance()).toBe(0);
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  TIMING,
);

onFakeNode(
  'an arriving payment that an operator calls received',
  (service) => {
    it('is ended as the node reports, and the operator reads its status', async () => {
      const { invoice, until, balance } = await reported(service, { end: 'lost' });
      await until('arriving');
      service.net.always('settlementFinality', { instead: { state: 'failed' } });
      const ended = await service.act({ kind: 'resolve', subject: invoice.id, target: 'settled' });
      service.net.always('settlementFinality', undefined);
      const text = 'ended the payment with the other outcome. Its status is now `failed`: it never arrived, and nothing is credited.';
      expect(ended).toMatchObject({ state: 'refused', answer: expect.stringContaining(text) });
      const again = await service.act({ kind: 'resolve', subject: invoice.id, target: 'settled' });
      expect(again).toMatchObject({
        state: 'refused',
        answer: expect.stringContaining('this request changed nothing. Its status is `failed`'),
      });
      expect(await balance()).toBe(0);
    });

    it.each([1, 2, 3, 4, 5])('is not credited when it fails after the %s. time that it is read', async (atRead) => {
      const { invoice, until, balance } = await reported(service, { end: 'lost' });
      await until('arriving');
      let reads = 0;
      service.delaysAfter = (name) => {
        if (name !== 'arriving_payment_find' || ++reads !== atRead) return;
        service.delaysAfter = undefined;
        const fail = async (table: string, column: string) =>
          service.execute(`UPDATE ${table} SET state = 'failed' WHERE ${column} = $1`, invoice.id);
        return fail('arriving_payment', 'invoice_id').then(() => fail('invoice', 'id'));
      };
      const json = { outcome: 'settled', reason: 'a mistake' };
      const request = { key: service.client.secretKey, json };
      expect(await service.client.request('POST', `/v1/operator/payments/${invoice.id}/resolve`, request)).toMatchObject({ status: 409 });
      expect(reads).toBe(atRead);
      await until('failed');
      expect(await balance()).toBe(0);
    });
  },
  {},
  // The background job asks the node only at the start.
  { ...TIMING, arriving: { roundMs: 3_600_000, alertEvery: 1, waitSeconds: () => 0 } },
);

onFakeNode(
  'with CREDIT_BEFORE_FINAL_MSAT, a settlement',
  (service) => {
    const { net } = service;
    const rows = () => service.rows('SELECT state, is_credited FROM arriving_payment');

    it('up to the limit is credited at its report, and forgotten when it is final', async () => {
      await service.reconcile();
      const { until, balance, hash } = await reported(service, { end: 'final' });
      await until('settled');
      expect(await balance()).toBe(5000);
      expect(await rows()).toEqual([{ state: 'arriving', is_credited: 1 }]);
      expect(await service.reconcile()).toMatchObject({ balance_status: 'measured', in_flight_msat: 5000, fell_msat: 0 });
      expect(await service.problems()).toEqual([]);
      net.endSettlement(hash, 'final');
      await expect.poll(rows).toEqual([]);
      expect(await balance()).toBe(5000);
      expect(await service.openAlerts()).toEqual([]);
    });

    it('that never arrives after its credit raises an alert with the amount', async () => {
      const { invoice, until, balance, hash } = await reported(service, { end: 'lost' });
      await until('settled');
      net.endSettlement(hash, 'lost');
      await expect
        .poll(async () => (await service.openAlerts()).map(({ kind, subject }) => `${kind} ${subject}`))
        .toEqual([`invoice_contradicted ${invoice.id}`]);
      // The node still reports it as settled, like the ledger.
      await service.reconcile();
      const open = (await service.openAlerts()).find(({ kind }) => kind === 'invoice_contradicted');
      expect(open?.message).toContain('5 sat were credited before they were final');
      expect(await balance()).toBe(5000);
      expect(await service.problems()).toEqual([]);
    });
  },
  { CREDIT_BEFORE_FINAL_MSAT: '5000' },
  TIMING,
);

onFakeNode(
  'a payment that was credited before it was final and that the node never proves',
  (service) => {
    const { client } = service;
    const alerts = async () => (await service.openAlerts()).filter(({ kind }) => kind === 'credits_unproven');
    const checks = () => service.rows('SELECT reported_at, next_check_at FROM arriving_payment ORDER BY payment_hash');

    it('raises an alert that stays closed when an operator has closed it, and is looked up less and less often', async () => {
      const { until, invoice } = await reported(service, { end: 'unproven', afterMs: 0 });
      await until('settled');
      await age(service, 601);
      await expect.poll(async () => (await alerts()).length).toBe(1);
      const [alert] = await alerts();
      expect(alert?.message).toContain(`: 1, with 5 sat in total; the oldest, ${invoice.id}, was reported at`);
      await client.post(`/v1/operator/alerts/${alert?.id}/close`, { reason: 'the channel has it' });
      await age(service, 601);
      const secondsToNext = async () => {
        const [{ reported_at = 0, next_check_at = 0 } = {}] = await checks();
        return Number(next_check_at) - Number(reported_at);
      };
      // A fifth of its age later.
      await expect.poll(secondsToNext).toBeGreaterThanOrEqual(1202 + 240);
      // A round that began before the alert was closed can open it once more. The next round closes that one.
      await expect.poll(alerts).toEqual([]);
      const later = await reported(service, { end: 'unproven', afterMs: 0 });
      await later.until('settled');
      await age(service, 601);
      await expect.poll(async () => (await alerts())[0]?.message).toContain(': 1, with 5 sat');
      for (const [id, target] of [
        [invoice.id, 'settled'],
        [later.invoice.id, 'failed'],
      ]) {
        expect(await service.act({ kind: 'resolve', subject: id, target })).toMatchObject({ state: 'done' });
      }
      await expect.poll(alerts).toEqual([]);
      expect((await service.openAlerts()).map(({ kind, subject }) => [kind, subject])).toEqual([
        ['invoice_contradicted', later.invoice.id],
      ]);
      expect(await service.problems()).toEqual([]);
    });
  },
  { CREDIT_BEFORE_FINAL_MSAT: '5000' },
  { arriving: { roundMs: 20, alertEvery: 1, waitSeconds: (ageSeconds) => Math.floor(ageSeconds / 5) } },
);

const OLD = 10_000;

onFakeNode(
  '10,000 old payments that are arriving',
  (service) => {
    const { client, net } = service;
    const planned = async () => Number((await service.rows('SELECT count(*) AS n FROM arriving_payment WHERE next_check_at > 1'))[0]?.n);

    it('do not delay a new one, and at most 200 of them are looked up in a round', async () => {
      const wallet = await client.wallet();
      const invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 });
      await service.execute(
        `WITH RECURSIVE old (n) AS (SELECT ${OLD} UNION ALL SELECT n + 1 FROM old WHERE n < ${2 * OLD - 1})
         INSERT INTO arriving_payment (payment_hash, node_id, state, transfer_id, amount_msat, is_credited, settlement, reported_at, next_check_at)
         SELECT '${'0'.repeat(59)}' || n, i.node_id, 'arriving', 'old' || n, 1000, 0,
           '{"paymentHash":"${'0'.repeat(59)}' || n || '","amountMsat":1000,"preimage":"","settledAt":1}', n, 1
         FROM old CROSS JOIN invoice i WHERE i.id = $1`,
        invoice.id,
      );
      net.always('settlementFinality', { instead: { state: 'unknown' } });
      await service.restart();
      await expect.poll(planned).toBe(200);
      net.always('settlementFinality', undefined);
      void net.outside.pay({ paymentRequest: invoice.payment_request });
      await expect.poll(async () => (await client.get(`/v1/lntx/${invoice.id}`)).status).toBe('settled');
      expect(await planned()).toBe(200);
    });

    it('are counted in one alert, and the service can be measured and compared with its node', async () => {
      const oldest = `the payment hash ${String(OLD).padStart(64, '0')}`;
      const message = () => service.openAlerts().then((open) => open.find(({ kind }) => kind === 'payments_arriving')?.message);
      await expect.poll(message).toContain(`: at least 1000, with at least 1,000 sat in total; the oldest, ${oldest}, was reported at`);
      const { text } = await client.request('GET', '/metrics', { key: client.secretKey });
      expect(text).toContain('satchel_alerts_open{kind="payments_arriving"} 1');
      expect(await service.reconcile()).toMatchObject({ balance_status: 'measured' });
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  { arriving: { roundMs: 3_600_000, alertEvery: 1, waitSeconds: () => 3600 }, probe: { againMs: 1, arrivalMs: 1 } },
);
