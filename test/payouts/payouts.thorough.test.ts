import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { METADATA_HASH, RemoteService } from '../lnurl/payee.ts';
import { onFakeNode } from '../support/app.ts';
import { newLogin } from '../support/browser.ts';
import type { Json, TestWallet } from '../support/client.ts';

const SETTINGS = { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' };
const TIMING = { payouts: { pollMs: 10, retryMs: 20 }, resumeMs: 50 };

onFakeNode(
  'payouts',
  (app) => {
    const { client, neighbour, net, problems, problemsAfter } = app;
    const payee = RemoteService.ofSuite();
    const path = (wallet: TestWallet, rest = '') => `/v1/wallet/${wallet.id}/payouts${rest}`;
    const order = (wallet: TestWallet, lines: unknown, key = client.secretKey, name = randomUUID()) =>
      client.request('POST', path(wallet), { key, json: { lines }, headers: { 'idempotency-key': name } });
    const read = (wallet: TestWallet, id: string): Promise<Json> => client.get(path(wallet, `/${id}?per-page=100`));
    const cancel = (wallet: TestWallet, id: string): Promise<Json> => client.post(path(wallet, `/${id}/cancel`));
    const invoice = (sat: number, options = {}) => net.outside.invoice({ amountMsat: sat * 1000, ...options }).paymentRequest;

    async function untilFinished(wallet: TestWallet, id: string): Promise<Json> {
      await expect.poll(async () => (await read(wallet, id)).status, { interval: 20 }).toBe('finished');
      return read(wallet, id);
    }

    async function pay(wallet: TestWallet, lines: unknown, key?: string): Promise<Json> {
      const { status, body, text } = await order(wallet, lines, key);
      expect([status, text]).toEqual([201, text]);
      return untilFinished(wallet, body.id);
    }

    /** Each request to the payee gets another invoice. */
    function payeeSells(
      make = (query: URLSearchParams) => invoice(Number(query.get('amount')) / 1000, { descriptionHash: METADATA_HASH }),
    ) {
      payee.parameters = () => payee.payParameters();
      payee.callback = (query) => ({ pr: make(query) });
    }

    it('pay invoices, addresses, LNURLs and wallets, and name the payment of each line', async () => {
      payeeSells();
      const [wallet, friend] = [await client.wallet(1000), await client.wallet()];
      const lines = [
        { destination: invoice(10, { script: { fee: 2 } }), memo: 'rent', passThru: { order: 1 } },
        { destination: payee.address, num_satoshis: 20, comment: 'thanks' },
        { destination: payee.lnurl, num_msat: 30_000 },
        { destination: friend.id, num_satoshis: 40 },
        { destination: friend.admin, num_msat: 1500 },
      ];
      const done = await pay(wallet, lines);
      expect(done).toMatchObject({ num_lines: 5, num_paid: 5, num_failed: 0, num_msat: 101_500, paid_msat: 101_500, wallet_id: wallet.id });
      expect(done.lines.map(({ line, status }: Json) => [line, status])).toEqual([0, 1, 2, 3, 4].map((line) => [line, 'paid']));
      expect(done.lines[4].destination).toBe(friend.id);
      for (const line of done.lines) {
        const wtx = await client.get(`/v1/wallet-transactions/${line.wtx_id}`);
        expect([wtx.num_msat, wtx.lnTx?.id ?? null]).toEqual([-line.num_msat, line.lntx_id]);
      }
      expect(done.lines[0].fee_msat).toBe(2);
      expect((await client.get(`/v1/lntx/${done.lines[0].lntx_id}`)).passThru).toEqual({ order: 1 });
      expect((await client.get(`/v1/lntx/${done.lines[1].lntx_id}`)).passThru).toMatchObject({
        ln_address: payee.address,
        comment: 'thanks',
      });
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(1_000_000 - 101_502);
      const [event] = await client.get(`/v1/wallet/${wallet.id}/events?type=payout_finished`);
      expect(event.data).toMatchObject({ wal: { id: wallet.id }, payout: { id: done.id, num_paid: 5, num_failed: 0, paid_msat: 101_500 } });
      expect(await problems()).toEqual([]);
      expect(await problemsAfter('UPDATE payout_line SET amount_msat = 1 WHERE payout_id = $1 AND line = 0', done.id)).not.toEqual([]);
      expect(await problemsAfter(`UPDATE payout_line SET transfer_id = 'x' WHERE payout_id = $1 AND line = 3`, done.id)).not.toEqual([]);
    });

    it('fail a line with its reason, and pay the others', async () => {
      const [wallet, friend] = [await client.wallet(100), await client.wallet()];
      const paidBefore = invoice(1);
      await client.post(`/v1/wallet/${friend.id}/invoice`, { num_satoshis: 1 });
      payee.parameters = () => payee.payParameters({ maxSendable: 5000 });
      const done = await pay(wallet, [
        { destination: invoice(5, { script: { fail: 'NO_ROUTE' } }) },
        { destination: payee.address, num_satoshis: 6 },
        { destination: friend.id, num_satoshis: 5000 },
        { destination: friend.id, num_satoshis: 7 },
        { destination: paidBefore },
      ]);
      expect(done.lines.map(({ status, failure_reason }: Json) => [status, failure_reason])).toEqual([
        ['failed', 'NO_ROUTE'],
        ['failed', 'validation_failed'],
        ['failed', 'insufficient_balance'],
        ['paid', null],
        ['paid', null],
      ]);
      expect(done.lines[1].failure_message).toContain('the limits of 127.0.0.1');
      // The same invoice in another payout is the payment of that line, so it is not paid by another one.
      const again = await pay(wallet, [{ destination: paidBefore }]);
      expect(again.lines[0]).toMatchObject({ status: 'failed', failure_reason: 'invoice_paid' });
      expect(await problems()).toEqual([]);
    });

    it('name the line of an error, and store nothing', async () => {
      const [wallet, other] = [await client.wallet(100), await neighbour.wallet()];
      const good = { destination: invoice(1) };
      const errors: [Json, string, number?][] = [
        [{ destination: 'lnbcrt1nonsense' }, '`lines[1].destination` must be a BOLT11 invoice, a Lightning address'],
        [{ destination: invoice(1), num_satoshis: 2 }, '`lines[1]`: The invoice has an amount'],
        [{ destination: net.outside.invoice({}).paymentRequest }, '`lines[1]`: The invoice has no amount'],
        [{ destination: 'bob@example.com' }, '`lines[1].num_satoshis` is missing'],
        [{ destination: other.id, num_satoshis: 1 }, '`lines[1].destination` must be the id', 404],
        [{ destination: wallet.id, num_satoshis: 1 }, '`lines[1]`: A wallet cannot transfer to itself'],
        [good, '`lines[1].destination` must be another invoice than that of line 0'],
        [{ destination: invoice(1), fee_limit_msat: -1 }, '`lines[1].fee_limit_msat` must be a whole number'],
        [{ destination: 'bob@example.com', num_msat: Number.MAX_SAFE_INTEGER }, 'The sum of the lines must be at most'],
      ];
      for (const [line, message, status = 400] of errors) {
        const { status: found, body } = await order(wallet, [good, line]);
        expect([found, body.message]).toEqual([status, expect.stringContaining(message)]);
      }
      expect(await client.get(path(wallet))).toEqual([]);
    });

    it('keep a line `sending` until the outcome of its payment is known', async () => {
      const wallet = await client.wallet(100);
      const held = net.outside.invoice({ amountMsat: 10_000, hold: true });
      const { body } = await order(wallet, [{ destination: held.paymentRequest }, { destination: invoice(5) }]);
      await expect.poll(async () => (await read(wallet, body.id)).num_paid).toBe(1);
      const waiting = await cancel(wallet, body.id);
      // Its money is held, so it is not cancelled.
      expect(waiting).toMatchObject({ status: 'running', num_sending: 1, num_paid: 1, num_failed: 0 });
      await client.decideHold(held.paymentHash, 'settle');
      expect(await untilFinished(wallet, body.id)).toMatchObject({ num_paid: 2, num_sending: 0 });
      expect(await problems()).toEqual([]);
    });

    it('pay one invoice for each line of a link, and reject an invoice that the payee returns twice', async () => {
      const wallet = await client.wallet(100);
      const one = net.outside.invoice({ amountMsat: 5000, descriptionHash: METADATA_HASH });
      payeeSells(() => one.paymentRequest);
      const done = await pay(wallet, [
        { destination: payee.address, num_satoshis: 5 },
        { destination: payee.address, num_satoshis: 5 },
      ]);
      expect(done.lines.map(({ failure_reason }: Json) => failure_reason).sort()).toEqual(['invoice_paid', null]);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(95);
    });

    it('stop with the reason when the key is revoked, and when its budget is used up', async () => {
      const [wallet, friend] = [await client.wallet(1000), await client.wallet()];
      const limits = { budget_msat: 30_000, budget_period: 'day' };
      const limited = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin', ...limits });
      const lines = [10, 25, 15].map((num_satoshis) => ({ destination: friend.id, num_satoshis }));
      const paid = await pay(wallet, lines, limited.key);
      expect(paid.lines.map(({ failure_reason }: Json) => failure_reason).filter((reason: Json) => reason !== null)).toContain(
        'budget_exceeded',
      );
      expect(paid.paid_msat).toBeLessThanOrEqual(30_000);

      const { key, id } = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' });
      const held = net.outside.invoice({ amountMsat: 10_000, hold: true });
      payee.parameters = async () => {
        // The key is revoked while the invoice of the line is requested, and the first line is sending.
        await expect.poll(() => app.rows('SELECT id FROM payment WHERE payment_hash = $1', held.paymentHash)).toHaveLength(1);
        await client.request('DELETE', `/v1/wallet/${wallet.id}/keys/${id}`, { key: client.secretKey });
        return payee.payParameters();
      };
      payee.callback = (query) => ({ pr: invoice(Number(query.get('amount')) / 1000, { descriptionHash: METADATA_HASH }) });
      const { body } = await order(
        wallet,
        [{ destination: held.paymentRequest }, ...[1, 2].map((num_satoshis) => ({ destination: payee.address, num_satoshis }))],
        key,
      );
      await expect.poll(async () => (await read(wallet, body.id)).num_failed).toBe(2);
      const stopped = await read(wallet, body.id);
      expect(stopped.lines.map(({ status, failure_reason }: Json) => [status, failure_reason])).toEqual([
        ['sending', null],
        ['failed', 'unauthorized'],
        ['failed', 'unauthorized'],
      ]);
      await client.decideHold(held.paymentHash, 'cancel');
      expect(await untilFinished(wallet, body.id)).toMatchObject({ num_failed: 3, paid_msat: 0 });
      expect(await problems()).toEqual([]);
    });

    it.each([
      ['continue after the log-out', 'logOut', ['paid', 'paid'], null],
      ['stop when the account is frozen', 'freeze', ['failed', 'failed'], 'wallet_inactive'],
    ] as const)('of a person are authorized when they are ordered, and %s', async (_, change, statuses, reason) => {
      const { id: accountId, browser } = await newLogin(client);
      const { body: made } = await browser.send('POST', '/v1/wallet', {});
      const funding = await browser.send('POST', `/v1/wallet/${made.id}/invoice`, { num_satoshis: 100 });
      await net.outside.pay({ paymentRequest: funding.body.payment_request });
      await expect.poll(async () => (await browser.send('GET', `/v1/wallet/${made.id}`)).body.balance).toBe(100);
      let changed: Promise<number> | undefined;
      const apply = async () => {
        const { status } = await browser.send('DELETE', '/v1/session');
        if (change === 'logOut') return status;
        return (
          await client.request('PATCH', `/v1/accounts/${accountId}`, { key: client.secretKey, json: { status: 'frozen', reason: 'test' } })
        ).status;
      };
      // The session ends while the invoices of the lines are requested.
      payee.parameters = async () => {
        changed ??= apply();
        await changed;
        return payee.payParameters();
      };
      payee.callback = (query) => ({ pr: invoice(Number(query.get('amount')) / 1000, { descriptionHash: METADATA_HASH }) });
      const lines = [1, 2].map((num_satoshis) => ({ destination: payee.address, num_satoshis }));
      const { body } = await browser.send('POST', `/v1/wallet/${made.id}/payouts`, { lines });
      const states = () => app.rows('SELECT state, failure_reason FROM payout_line WHERE payout_id = $1 ORDER BY line', body.id);
      await expect.poll(async () => (await states()).map(({ state }) => state)).toEqual(statuses);
      expect([await changed, (await states()).map(({ failure_reason: one }) => one)]).toEqual([200, [reason, reason]]);
      expect(await problems()).toEqual([]);
    });

    it('do not start cancelled lines', async () => {
      const wallet = await client.wallet(100);
      let answer: (() => void) | undefined;
      payee.parameters = () => new Promise((resolve) => (answer = () => resolve(payee.payParameters())));
      payee.callback = () => ({ pr: invoice(5, { descriptionHash: METADATA_HASH }) });
      const { body } = await order(wallet, [{ destination: payee.address, num_satoshis: 5 }]);
      await expect.poll(() => answer).toBeDefined();
      expect(await cancel(wallet, body.id)).toMatchObject({ status: 'finished', num_failed: 1, cancelled_at: expect.any(Number) });
      answer?.();
      await expect.poll(() => payee.requests.at(-1)).toContain('/cb');
      expect((await read(wallet, body.id)).lines[0]).toMatchObject({ status: 'failed', failure_reason: 'cancelled' });
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(100);
      expect(await client.get(`/v1/wallet/${wallet.id}/events?type=payout_finished`)).toHaveLength(1);
    });

    it('show a line as paid whose payment succeeds after it was reported as failed', async () => {
      const wallet = await client.wallet(100);
      const failed = await pay(wallet, [{ destination: invoice(5, { script: { lateSuccessMs: 1000 } }) }]);
      expect(failed).toMatchObject({ num_failed: 1, paid_msat: 0 });
      app.time.advance(1000);
      await expect.poll(async () => (await read(wallet, failed.id)).lines[0].status).toBe('paid');
      expect(await read(wallet, failed.id)).toMatchObject({ num_paid: 1, num_failed: 0, paid_msat: 5000 });
      expect(await problems()).toEqual([]);
    });

    it('do not pay an address after a restore that may have forgotten its payment', async () => {
      payeeSells();
      const [wallet, friend] = [await client.wallet(100), await client.wallet()];
      const restoredAt = Math.floor(Date.now() / 1000) + 1000;
      const accepted = { backupCreatedAt: 1, restoredAt, lastPosition: 0, acceptedAt: restoredAt, reason: 'a test' };
      await app.execute(`INSERT INTO service_fact (name, value) VALUES ('restored_accepted', $1)`, JSON.stringify(accepted));
      const done = await pay(wallet, [
        { destination: payee.address, num_satoshis: 5 },
        { destination: friend.id, num_satoshis: 6 },
        { destination: invoice(7) },
      ]);
      await app.execute(`DELETE FROM service_fact WHERE name = 'restored_accepted'`);
      expect(done.lines.map(({ failure_reason }: Json) => failure_reason)).toEqual(['restored', null, null]);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(87);
    });

    it('are ordered once per Idempotency-Key', async () => {
      const [wallet, friend] = [await client.wallet(100), await client.wallet()];
      const lines = [{ destination: friend.id, num_satoshis: 5 }];
      const name = randomUUID();
      const [first, ...others] = await Promise.all([1, 2, 3].map(() => order(wallet, lines, client.secretKey, name)));
      expect(others.map(({ body }) => body.id)).toEqual([first?.body.id, first?.body.id]);
      await untilFinished(wallet, first?.body.id);
      expect((await client.get(`/v1/wallet/${friend.id}`)).balance).toBe(5);
      expect(await client.get(path(wallet))).toHaveLength(1);
    });

    it('are read from CSV and written as CSV, and their lines are read in pages', async () => {
      const [wallet, friend] = [await client.wallet(100), await client.wallet()];
      const csv = `destination,num_satoshis,memo\r\n${friend.id},1,"=1+1"\r\n${friend.id},2,"a, b"\r\n${friend.id},3,\r\n`;
      const headers = { 'content-type': 'text/csv', 'idempotency-key': randomUUID() };
      const { body } = await client.request('POST', path(wallet), { key: client.secretKey, form: csv, headers });
      const done = await untilFinished(wallet, body.id);
      const report = await client.request('GET', path(wallet, `/${body.id}/report`), { key: client.secretKey });
      const [head, first, second] = report.text.split('\r\n');
      expect(head).toBe(
        'line,destination,num_msat,memo,status,failure_reason,failure_message,lntx_id,wtx_id,fee_msat,amount,currency,rate,rate_at,rate_source,comment_not_sent',
      );
      expect(first).toBe(`0,${friend.id},1000,'=1+1,paid,,,,${done.lines[0].wtx_id},,,,,,,`);
      expect(second).toContain('"a, b"');
      const page = await client.request('GET', path(wallet, `/${body.id}?per-page=2`), { key: client.secretKey });
      expect(page.body.lines.map(({ line }: Json) => line)).toEqual([0, 1]);
      expect(page.headers.get('link')).toContain('after=1');
      const rest = await client.get(path(wallet, `/${body.id}?after=1`));
      expect(rest.lines.map(({ line }: Json) => line)).toEqual([2]);
      const down = await client.get(path(wallet, `/${body.id}?order=desc`));
      expect(down.lines.map(({ line }: Json) => line)).toEqual([2, 1, 0]);
    });

    it('pay each line at most once and exactly the paid ones, for any lines', async () => {
      const friend = await client.wallet();
      const kinds = fc.constantFrom('wallet', 'invoice', 'fails', 'own');
      await fc.assert(
        fc.asyncProperty(fc.array(kinds, { minLength: 1, maxLength: 15 }), fc.integer({ min: 20, max: 200 }), async (lines, funds) => {
          const wallet = await client.wallet(funds);
          const before = (await client.get(`/v1/wallet/${friend.id}`)).balance_msat;
          const destinationOf = async (kind: string, sat: number): Promise<Json> => {
            if (kind === 'wallet') return { destination: friend.id, num_satoshis: sat };
            if (kind === 'invoice') return { destination: invoice(sat) };
            if (kind === 'fails') return { destination: invoice(sat, { script: { fail: 'TIMEOUT' } }) };
            return { destination: (await client.post(`/v1/wallet/${friend.id}/invoice`, { num_satoshis: sat })).payment_request };
          };
          const done = await pay(wallet, await Promise.all(lines.map((kind, index) => destinationOf(kind, index + 1))));
          const paid = done.lines.filter(({ status }: Json) => status === 'paid');
          const msatOf = (rows: Json[]) => rows.reduce((sum, { num_msat, fee_msat }) => sum + num_msat + (fee_msat ?? 0), 0);
          expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(funds * 1000 - msatOf(paid));
          const inside = paid.filter(({ line }: Json) => lines[line] === 'wallet' || lines[line] === 'own');
          expect((await client.get(`/v1/wallet/${friend.id}`)).balance_msat).toBe(before + msatOf(inside));
          expect(done.lines.filter(({ line, status }: Json) => lines[line] === 'fails' && status === 'paid')).toEqual([]);
        }),
        { numRuns: 6, seed: 64 },
      );
      expect(await problems()).toEqual([]);
    });
  },
  SETTINGS,
  TIMING,
);

onFakeNode(
  'a payout of a version without tasks',
  ({ client, net, restart, execute, rows, problems }) => {
    it('is continued after the upgrade', async () => {
      const wallet = await client.wallet(100);
      const held = net.outside.invoice({ amountMsat: 5000, hold: true });
      const path = `/v1/wallet/${wallet.id}/payouts`;
      const { id } = await client.post(path, { lines: [{ destination: held.paymentRequest }] });
      const read = (): Promise<Json> => client.get(`${path}/${id}`);
      await expect.poll(async () => (await read()).num_sending).toBe(1);
      // An instance of the version without tasks leaves none.
      await restart();
      await expect.poll(() => rows("SELECT 1 AS n FROM task WHERE queue = 'payouts' AND claimed_by IS NULL")).toHaveLength(1);
      await execute("DELETE FROM task WHERE queue = 'payouts'");
      await client.decideHold(held.paymentHash, 'settle');
      await restart();
      await expect.poll(async () => (await read()).status).toBe('finished');
      await expect.poll(() => rows("SELECT 1 AS n FROM task WHERE queue = 'payouts'")).toEqual([]);
      expect((await read()).num_paid).toBe(1);
      expect(await problems()).toEqual([]);
    });
  },
  SETTINGS,
  TIMING,
);

onFakeNode(
  'a payout beyond the limit of pending payments',
  ({ client, net, problems }) => {
    it('waits until a payment has ended, and then pays the rest', async () => {
      const wallet = await client.wallet(100);
      const held = [1, 2, 3].map(() => net.outside.invoice({ amountMsat: 5000, hold: true }));
      const path = `/v1/wallet/${wallet.id}/payouts`;
      const { id } = await client.post(path, { lines: held.map(({ paymentRequest }) => ({ destination: paymentRequest })) });
      const read = (): Promise<Json> => client.get(`${path}/${id}`);
      await expect.poll(async () => (await read()).num_sending).toBe(2);
      const { lines } = await read();
      const decide = (status: string) =>
        Promise.all(
          held.filter((_, line) => lines[line].status === status).map(({ paymentHash }) => client.decideHold(paymentHash, 'settle')),
        );
      await decide('sending');
      await decide('pending');
      await expect.poll(async () => (await read()).num_paid).toBe(3);
      expect(await problems()).toEqual([]);
    });
  },
  { ...SETTINGS, MAX_PAYMENTS_IN_FLIGHT: '2' },
  TIMING,
);
