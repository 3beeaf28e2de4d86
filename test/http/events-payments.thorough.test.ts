import { expect, it, vi } from 'vitest';
import type { PaymentScript } from '../../devnet/fake/script.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { eventsAbout, eventsOfWallet, nameOf, namesOfWallet } from '../support/events.ts';

const ASYNC = { prefer: 'respond-async' };
/** The events of a wallet to which the test has paid money. */
const FUNDED = ['invoice_created', 'wallet_receive'];
const FAILURE = { type: 'wallet', name: 'wallet_send_failure', display_name: 'Wallet Send Failure' };

function withdraw({ client }: FakeNodeApp, { id }: TestWallet, json: object, headers = {}): Promise<HttpResponse> {
  return client.request('POST', `/v1/wallet/${id}/withdraw`, { key: client.secretKey, json, headers });
}

async function pay(app: FakeNodeApp, wallet: TestWallet, script: PaymentScript, headers = {}) {
  const { paymentRequest, paymentHash } = app.net.outside.invoice({ amountMsat: 100_000, script: { fee: 0, ...script } });
  const response = await withdraw(app, wallet, { payment_request: paymentRequest, passThru: { order: 7 } }, headers);
  const { id } = await app.client.get(`/v1/lntx/${paymentHash}`);
  return { response, paymentRequest, paymentHash, id };
}

const untilNames = ({ client }: FakeNodeApp, wallet: TestWallet, names: readonly string[]) =>
  vi.waitFor(async () => expect(await namesOfWallet(client, wallet)).toEqual([...FUNDED, ...names]), { timeout: 150_000 });

onFakeNode(
  'the events of a payment',
  (app) => {
    const { client, net } = app;

    it('are one for its success, and none before it when the request ends with it', async () => {
      const wallet = await client.wallet(1000);
      app.statements = [];
      const { response } = await pay(app, wallet, {}, { 'idempotency-key': 'a' });
      const statements = app.statements;
      app.statements = undefined;
      expect(response.status).toBe(201);
      expect(statements.filter((name) => /event_insert|pending_reported/.test(name))).toEqual([]);
      await untilNames(app, wallet, ['wallet_send']);
    });

    it('are one for its failure, with the reason and the passThru, also when the node reports it again', async () => {
      const wallet = await client.wallet(1000);
      const { response, id } = await pay(app, wallet, { fail: 'NO_ROUTE' });
      expect(response).toMatchObject({ status: 400, body: { type: 'payment_failed' } });
      for (let i = 0; i < 3; i++) net.tell({ type: 'payment', paymentId: id, outcome: { state: 'failed', reason: 'NO_ROUTE' } });
      await pay(app, wallet, {});
      await untilNames(app, wallet, ['wallet_send_failure', 'wallet_send']);
      const [failed] = await eventsAbout(client, wallet, id);
      expect(failed.event).toEqual(FAILURE);
      expect(failed.data).toMatchObject({ failureReason: 'NO_ROUTE', passThru: { order: 7 }, wal: { id: wallet.id } });
      expect(failed.data.wtx).toMatchObject({
        id: response.body.wtx_id,
        status: 'failed',
        failure_reason: 'NO_ROUTE',
        num_msat: -100_000,
        lnTx: { id, settled: -1, status: 'failed', payment_preimage: null },
      });
      expect(await app.problems()).toEqual([]);
    });

    it('are none for a rejected request', async () => {
      const wallet = await client.wallet(10);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
      expect((await withdraw(app, wallet, { payment_request: paymentRequest })).body.type).toBe('insufficient_balance');
      expect((await withdraw(app, wallet, { payment_request: paymentRequest }, ASYNC)).body.type).toBe('insufficient_balance');
      await untilNames(app, wallet, []);
    });

    it.each([
      ['settle', 'wallet_send'],
      ['cancel', 'wallet_send_failure'],
    ] as const)('begin with payment_pending after a 202, once, before the outcome (%s)', async (action, outcome) => {
      const wallet = await client.wallet(1000);
      const { response, paymentRequest, paymentHash, id } = await pay(app, wallet, { hold: true }, { ...ASYNC, 'idempotency-key': action });
      expect(response.status).toBe(202);
      expect(await namesOfWallet(client, wallet)).toEqual([...FUNDED, 'payment_pending']);
      const json = { payment_request: paymentRequest, passThru: { order: 7 } };
      const again = await Promise.all([
        withdraw(app, wallet, json, { ...ASYNC, 'idempotency-key': action }),
        withdraw(app, wallet, json, ASYNC),
        withdraw(app, wallet, json),
      ]);
      expect(again.map(({ status }) => status)).toEqual([202, 202, 202]);
      await app.restart();
      await client.decideHold(paymentHash, action);
      await untilNames(app, wallet, ['payment_pending', outcome]);
      const [pending] = await eventsAbout(client, wallet, id);
      expect(pending.event).toEqual({ type: 'wallet', name: 'payment_pending', display_name: 'Payment Pending' });
      expect(pending.data.wtx).toEqual({ ...response.body, wal: expect.anything() });
      expect(await app.problems()).toEqual([]);
    });

    it('have payment_pending when the wait of a request has elapsed, and when the service stops', async () => {
      const wallet = await client.wallet(1000);
      const { response } = await pay(app, wallet, { hold: true });
      expect(response.status).toBe(202);
      await untilNames(app, wallet, ['payment_pending']);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { hold: true, fee: 0 } });
      const stopped = withdraw(app, wallet, { payment_request: paymentRequest });
      await expect.poll(() => net.outside.payments().some((one) => one.paymentHash === paymentHash)).toBe(true);
      await app.restart();
      expect((await stopped).status).toBe(202);
      await untilNames(app, wallet, ['payment_pending', 'payment_pending']);
    });

    it('have payment_pending exactly after a 202, while outcomes arrive at the same time', async () => {
      const wallet = await client.wallet(10_000);
      const requests = Array.from({ length: 40 }, async (_, i) => {
        const { response, id } = await pay(app, wallet, i % 3 ? {} : { fail: 'NO_ROUTE' }, ASYNC);
        return { id, status: response.status, fails: i % 3 === 0 };
      });
      const paid = await Promise.all(requests);
      await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(0);
      const events = await eventsOfWallet(client, wallet);
      for (const { id, status, fails } of paid) {
        const own = events.filter(({ data }) => data.wtx?.lnTx?.id === id).map(nameOf);
        expect(own).toEqual([...(status === 202 ? ['payment_pending'] : []), fails ? 'wallet_send_failure' : 'wallet_send']);
      }
      expect(await app.problems()).toEqual([]);
    });

    it('W3: have payment_pending after a stop before the response, once no request can be waiting', async () => {
      const wallet = await client.wallet(1000);
      // As if the process had stopped after the hold: the event is not stored with the response.
      app.writeFailsAt = (name) => name === 'payment_mark_pending_reported';
      const { response, paymentHash, id } = await pay(app, wallet, { hold: true });
      expect(response.status).toBe(202);
      app.writeFailsAt = undefined;
      await app.restart();
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(await namesOfWallet(client, wallet)).toEqual(FUNDED);
      await app.execute('UPDATE payment SET created_at = created_at - 20 WHERE id = $1', id);
      await untilNames(app, wallet, ['payment_pending']);
      await app.restart();
      await client.decideHold(paymentHash, 'settle');
      await untilNames(app, wallet, ['payment_pending', 'wallet_send']);
    });

    it('include those of keysends and of payments to other wallets', async () => {
      const [payer, payee] = [await client.wallet(1000), await client.wallet()];
      net.nextPayment({ fail: 'TIMEOUT' });
      const { nodes } = await client.get('/playground');
      const keysend = { dest_pubkey: nodes.find(({ name }: Json) => name === 'alice').pubkey, num_satoshis: 5 };
      expect((await client.request('POST', `/v1/wallet/${payer.id}/keysend`, { key: client.secretKey, json: keysend })).status).toBe(400);
      await untilNames(app, payer, ['wallet_send_failure']);
      expect((await eventsOfWallet(client, payer)).at(-1).data).toMatchObject({ failureReason: 'TIMEOUT', passThru: { method: 'api' } });

      const invoice = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 10 });
      net.always('cancelInvoice', { instead: 'accepted' });
      // Nothing was held yet, so it has no event.
      expect((await withdraw(app, payer, { payment_request: invoice.payment_request })).status).toBe(400);
      net.always('cancelInvoice', undefined);
      expect((await withdraw(app, payer, { payment_request: invoice.payment_request })).status).toBe(201);
      await untilNames(app, payer, ['wallet_send_failure', 'wallet_send']);
      expect(await namesOfWallet(client, payee)).toEqual(['invoice_created', 'wallet_receive']);
      expect(await app.problems()).toEqual([]);
    });

    it('show a correction that the wallet is charged for, and the failure as it was', async () => {
      const wallet = await client.wallet(1000);
      const { response, id } = await pay(app, wallet, { lateSuccessMs: 60_000 });
      expect(response.status).toBe(400);
      const [before] = await eventsAbout(client, wallet, id);
      app.time.advance(60_000);
      await untilNames(app, wallet, ['wallet_send_failure', 'payment_corrected', 'wallet_send']);
      const [failed, corrected, sent] = await eventsAbout(client, wallet, id);
      const withoutWallets = (event: Json) => ({ ...event, data: { ...event.data, wal: 0, wtx: { ...event.data.wtx, wal: 0 } } });
      expect(withoutWallets(failed)).toEqual(withoutWallets(before));
      expect(corrected.event).toEqual({ type: 'wallet', name: 'payment_corrected', display_name: 'Payment Corrected' });
      expect(corrected.data).toMatchObject({
        correction: 'charged',
        wtx: { status: 'settled', lnTx: { settled: 1 } },
        wal: { id: wallet.id },
      });
      expect(corrected.data.wtx).toEqual(sent.data.wtx);
      const outcome = { state: 'succeeded', preimage: sent.data.wtx.lnTx.payment_preimage, feeMsat: 0 } as never;
      for (let i = 0; i < 3; i++) net.tell({ type: 'payment', paymentId: id, outcome });
      await pay(app, wallet, {});
      await untilNames(app, wallet, ['wallet_send_failure', 'payment_corrected', 'wallet_send', 'wallet_send']);
      expect(await app.problems()).toEqual([]);
    });

    it('show a correction that the operator bears', async () => {
      const [wallet, friend] = [await client.wallet(150), await client.wallet()];
      const { id } = await pay(app, wallet, { lateSuccessMs: 60_000 });
      await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: friend.id, num_satoshis: 100 });
      app.time.advance(60_000);
      await untilNames(app, wallet, ['wallet_send_failure', 'wallet_transfer_out', 'payment_corrected']);
      const [, corrected] = await eventsAbout(client, wallet, id);
      expect(corrected.data).toMatchObject({ correction: 'borne', wtx: { status: 'failed', failure_reason: expect.any(String) } });
      expect(await app.problems()).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
  { resumeMs: 50 },
);

onFakeNode(
  'the events of a claim of a withdraw link',
  (app) => {
    const { client, net } = app;

    async function claim(url: string, script: PaymentScript) {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { fee: 0, ...script } });
      const { callback, k1 }: Json = await (await fetch(url)).json();
      const claimed = async () => (await fetch(`${callback}&k1=${k1}&pr=${paymentRequest}`)).json();
      expect(await claimed()).toEqual({ status: 'OK' });
      return { paymentHash, claimed };
    }

    it('are the claim, with the link, and the outcome, once also if the claim is repeated', async () => {
      const wallet = await client.wallet(1000);
      const link = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 100, user_label: 'voucher', uses: 2 });
      const { paymentHash, claimed } = await claim(link.url, { hold: true });
      expect(await claimed()).toEqual({ status: 'OK' });
      await untilNames(app, wallet, ['link_claimed']);
      // A claim has no payment_pending, however long it takes.
      const age = (seconds: number) =>
        app.execute('UPDATE payment SET created_at = created_at - $2 WHERE payment_hash = $1', paymentHash, seconds);
      await age(1000);
      await app.restart();
      await client.decideHold(paymentHash, 'settle');
      await untilNames(app, wallet, ['link_claimed', 'wallet_send']);
      const [begun] = (await eventsOfWallet(client, wallet)).slice(3);
      expect(begun.event).toEqual({ type: 'wallet', name: 'link_claimed', display_name: 'Link Claimed' });
      expect(begun.data).toMatchObject({
        withdraw_link: { id: link.id, user_label: 'voucher' },
        wal: { id: wallet.id },
        wtx: {
          status: 'pending',
          num_satoshis: -100,
          wtxType: { name: 'ln_lnurl_withdraw' },
          lnTx: { payment_preimage: null, settled: 0 },
        },
      });
      expect(JSON.stringify(await eventsOfWallet(client, wallet))).not.toContain(link.ott);
      // Soon after midnight, it would otherwise be a payment of the day before, on which it does not count.
      await age(-1000);
      await app.execute('UPDATE withdraw_link SET last_claimed_at = last_claimed_at + 1000 WHERE id = $1', link.id);
      expect(await app.problems()).toEqual([]);
    });

    it('include its failure; a rejected claim has none', async () => {
      const wallet = await client.wallet(1000);
      const link = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 100 });
      await claim(link.url, { fail: 'NO_ROUTE' });
      await untilNames(app, wallet, ['link_claimed', 'wallet_send_failure']);
      const tooMuch = net.outside.invoice({ amountMsat: 100_001 }).paymentRequest;
      const { callback, k1 }: Json = await (await fetch(link.url)).json();
      expect(await (await fetch(`${callback}&k1=${k1}&pr=${tooMuch}`)).json()).toMatchObject({ status: 'ERROR' });
      await claim(link.url, {});
      await untilNames(app, wallet, ['link_claimed', 'wallet_send_failure', 'link_claimed', 'wallet_send']);
      expect((await eventsOfWallet(client, wallet))[3].data.withdraw_link).toEqual({ id: link.id });
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
  { resumeMs: 50 },
);

onFakeNode('the events of a payment that an operator ends', (app) => {
  const { client, net } = app;

  it('are its failure', async () => {
    const wallet = await client.wallet(1000);
    const { id } = await pay(app, wallet, { hold: true }, ASYNC);
    net.always('lookupPayment', { instead: { state: 'failed', reason: 'TIMEOUT' } });
    expect(await app.act({ kind: 'resolve', subject: id, target: 'failed' })).toMatchObject({ state: 'done' });
    net.always('lookupPayment', undefined);
    await untilNames(app, wallet, ['payment_pending', 'wallet_send_failure']);
  });
});
