import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

/** Starts a payment without waiting for its end. */
function withdraw({ client }: FakeNodeApp, wallet: TestWallet, json: object, prefer = 'respond-async'): Promise<HttpResponse> {
  return client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json, headers: { prefer } });
}

const balances = async ({ client }: FakeNodeApp, wallet: TestWallet) => {
  const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
  return { balance_msat, pending_msat };
};

const lntx = (service: FakeNodeApp, response: HttpResponse): Promise<Json> => service.client.get(`/v1/lntx/${response.body.lnTx.id}`);

/** Waits until the node has sent the payment and its receiver holds it. */
async function untilHeld({ net }: FakeNodeApp, paymentHash: string): Promise<void> {
  await expect.poll(() => net.outside.payments().find((paid) => paid.paymentHash === paymentHash)?.state).toBe('pending');
}

async function untilEnded(service: FakeNodeApp, response: HttpResponse): Promise<Json> {
  await expect.poll(async () => (await lntx(service, response)).status).not.toBe('pending');
  return lntx(service, response);
}

onFakeNode(
  'outcomes that nobody knows',
  (service) => {
    const { net } = service;

    it.each([
      ['the request is lost', { lose: 'call' }],
      ['the response is lost', { lose: 'answer' }],
      ['the node never responds', { hang: true }],
    ] as const)('S2: %s while paying: 202 and reserved; settled later, once, and never refunded', async (_case, fault) => {
      const wallet = await service.client.wallet(1000);
      const before = await balances(service, wallet);
      // The receiver holds the payment, so that no event of the node can settle it too early.
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { hold: true } });
      net.always('pay', fault);
      const response = await withdraw(service, wallet, { payment_request: paymentRequest });
      expect(response).toMatchObject({ status: 202, body: { status: 'pending', lnTx: { settled: 0, payment_preimage: null } } });
      const { balance_msat, pending_msat } = await balances(service, wallet);
      expect(balance_msat).toBeLessThanOrEqual(before.balance_msat - 100_000);
      expect(balance_msat + pending_msat).toBe(before.balance_msat);
      net.always('pay', undefined);
      // A hanging call ends with the connection.
      net.restart();
      await service.restart();
      await untilHeld(service, paymentHash);
      net.outside.resolveHold(paymentHash, 'settle');
      expect(await untilEnded(service, response)).toMatchObject({ settled: 1, status: 'settled' });
      expect(await balances(service, wallet)).toEqual({ balance_msat: before.balance_msat - 100_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('S3: a failure of an older payment of the same hash, reported while a new one is pending, refunds nothing', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 200_000 });
      net.nextPayment({ fail: 'NO_ROUTE' });
      const first = await withdraw(service, wallet, { payment_request: paymentRequest }, '');
      expect(first).toMatchObject({ status: 400, body: { type: 'payment_failed' } });
      const old = (await service.client.get(`/v1/lntx/${paymentHash}`)).id;
      net.nextPayment({ hold: true });
      const second = await withdraw(service, wallet, { payment_request: paymentRequest });
      expect(second.status).toBe(202);
      await untilHeld(service, paymentHash);
      const reserved = await balances(service, wallet);
      for (let i = 0; i < 5; i++) net.tell({ type: 'payment', paymentId: old, outcome: { state: 'failed', reason: 'NO_ROUTE' } });
      // A payment that begins and ends afterwards shows that the stale reports were read.
      const other = await service.client.wallet(100);
      const marker = await withdraw(service, other, { payment_request: net.outside.invoice({ amountMsat: 1000 }).paymentRequest });
      await untilEnded(service, marker);
      expect(await balances(service, wallet)).toEqual(reserved);
      expect(await lntx(service, second)).toMatchObject({ status: 'pending' });
      net.outside.resolveHold(paymentHash, 'settle');
      expect(await untilEnded(service, second)).toMatchObject({ settled: 1 });
      expect(await balances(service, wallet)).toEqual({ balance_msat: 800_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('S4: a payment held across two restarts and then settled is debited once with the real fee', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 500_000, script: { hold: true, fee: 1_000 } });
      const response = await withdraw(service, wallet, { payment_request: paymentRequest, fee_limit_msat: 50_000 });
      expect(response.status).toBe(202);
      await untilHeld(service, paymentHash);
      for (let i = 0; i < 2; i++) {
        await service.restart();
        expect(await balances(service, wallet)).toEqual({ balance_msat: 450_000, pending_msat: 550_000 });
      }
      net.outside.resolveHold(paymentHash, 'settle');
      expect(await untilEnded(service, response)).toMatchObject({ settled: 1, fee_msat: 1_000 });
      expect(await balances(service, wallet)).toEqual({ balance_msat: 499_000, pending_msat: 0 });
      const lines: Json[] = await service.client.get(`/v1/wallet/${wallet.id}/transactions`);
      expect(lines.map(({ num_msat, wtxType }) => [wtxType.name, num_msat]).slice(0, 2)).toEqual([
        ['network_fee', -1_000],
        ['ln_withdrawal', -500_000],
      ]);
    });

    it('S7: a payment that succeeds after it was reported as failed is charged once, with an alert', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 300_000, script: { lateSuccessMs: 60_000, fee: 2_000 } });
      const response = await withdraw(service, wallet, { payment_request: paymentRequest }, '');
      expect(response).toMatchObject({ status: 400, body: { type: 'payment_failed' } });
      expect(await balances(service, wallet)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
      service.time.advance(60_000);
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 698_000, pending_msat: 0 });
      const payment = await service.client.get(`/v1/lntx/${paymentHash}`);
      expect(payment).toMatchObject({ status: 'settled', settled: 1, fee_msat: 2_000, failure_reason: null });
      // If the node reports it again, also because all events are read again, it is not charged again.
      const outcome = { state: 'succeeded', preimage: payment.payment_preimage, feeMsat: 2_000 } as never;
      for (let i = 0; i < 3; i++) net.tell({ type: 'payment', paymentId: payment.id, outcome });
      await service.restart();
      expect(await balances(service, wallet)).toEqual({ balance_msat: 698_000, pending_msat: 0 });
      const paidAgain = await withdraw(service, wallet, { payment_request: paymentRequest }, '');
      expect(paidAgain).toMatchObject({ status: 201, body: { lnTx: { id: payment.id } } });
      expect(await service.problems()).toEqual([]);
    });

    it('S7: if the refund is spent already, the operator bears the cost, and no wallet becomes negative', async () => {
      const [wallet, friend] = [await service.client.wallet(500), await service.client.wallet()];
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 400_000, script: { lateSuccessMs: 60_000, fee: 0 } });
      expect((await withdraw(service, wallet, { payment_request: paymentRequest }, '')).status).toBe(400);
      await service.client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: friend.id, num_satoshis: 450 });
      service.time.advance(60_000);
      const marker = await withdraw(service, friend, { payment_request: net.outside.invoice({ amountMsat: 1000 }).paymentRequest });
      await untilEnded(service, marker);
      expect(await balances(service, wallet)).toEqual({ balance_msat: 50_000, pending_msat: 0 });
      expect(await service.client.get(`/v1/lntx/${paymentHash}`)).toMatchObject({ status: 'failed' });
      expect(await service.problems()).toEqual([]);
    });

    it('S7: failure and success that are read together are a success', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 300_000, script: { hold: true, fee: 0 } });
      const response = await withdraw(service, wallet, { payment_request: paymentRequest });
      await untilHeld(service, paymentHash);
      const { id: paymentId } = response.body.lnTx;
      net.tell({ type: 'payment', paymentId, outcome: { state: 'failed', reason: 'TIMEOUT' } });
      net.outside.resolveHold(paymentHash, 'settle');
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 700_000, pending_msat: 0 });
      expect(await lntx(service, response)).toMatchObject({ status: 'settled' });
      expect(await service.problems()).toEqual([]);
    });

    it('S7: a late success charges the wallet at most its fee limit', async () => {
      const wallet = await service.client.wallet(1000);
      const script = { lateSuccessMs: 60_000, fee: 50_000, ignoresFeeLimit: true };
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script });
      expect((await withdraw(service, wallet, { payment_request: paymentRequest, fee_limit_msat: 3_000 }, '')).status).toBe(400);
      service.time.advance(60_000);
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 897_000, pending_msat: 0 });
      expect(await service.client.get(`/v1/lntx/${paymentHash}`)).toMatchObject({ status: 'settled', fee_msat: 3_000 });
      expect(await service.problems()).toEqual([]);
    });

    it('S7 L4: a claim that succeeds late uses its link, although the failure had released the use', async () => {
      const wallet = await service.client.wallet(1000);
      const link = await service.client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 100 });
      const claim = async (paymentRequest: string): Promise<Json> => {
        const offer: Json = await (await fetch(link.url)).json();
        if (offer.status === 'ERROR') return offer;
        return (await fetch(`${offer.callback}&k1=${offer.k1}&pr=${paymentRequest}`)).json();
      };
      const late = net.outside.invoice({ amountMsat: 100_000, script: { lateSuccessMs: 60_000, fee: 0 } });
      expect(await claim(late.paymentRequest)).toEqual({ status: 'OK' });
      await expect.poll(async () => (await service.client.get(`/v1/lntx/${late.paymentHash}`)).status).toBe('failed');
      service.time.advance(60_000);
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
      expect(await claim(net.outside.invoice({ amountMsat: 100_000 }).paymentRequest)).toMatchObject({ status: 'ERROR' });
      expect(await balances(service, wallet)).toEqual({ balance_msat: 900_000, pending_msat: 0 });
    });

    for (const [bearer, spends] of [
      ['wallet', false],
      ['operator', true],
    ] as const) {
      it(`S7 L4: a link that pays again after a false failure records the claim beyond its uses, at the cost of the ${bearer}`, async () => {
        const [wallet, friend] = [await service.client.wallet(1000), await service.client.wallet()];
        const link = await service.client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 100 });
        const claim = async (paymentRequest: string): Promise<Json> => (await fetch(`${link.url}&pr=${paymentRequest}`)).json();
        const late = net.outside.invoice({ amountMsat: 100_000, script: { lateSuccessMs: 60_000, fee: 0 } });
        expect(await claim(late.paymentRequest)).toEqual({ status: 'OK' });
        await expect.poll(async () => (await service.client.get(`/v1/lntx/${late.paymentHash}`)).status).toBe('failed');
        const held = net.outside.invoice({ amountMsat: 100_000, script: { hold: true, fee: 0 } });
        expect(await claim(held.paymentRequest)).toEqual({ status: 'OK' });
        await untilHeld(service, held.paymentHash);
        if (spends) await service.client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: friend.id, num_satoshis: 850 });
        const { balance_msat } = await balances(service, wallet);
        const { id: paymentId } = await service.client.get(`/v1/lntx/${late.paymentHash}`);
        service.time.advance(60_000);
        const overused = async () => (await service.rows('SELECT uses_left, overused FROM withdraw_link WHERE id = $1', link.id))[0];
        await expect.poll(overused).toEqual({ uses_left: 0, overused: 1 });
        expect((await balances(service, wallet)).balance_msat).toBe(balance_msat - (spends ? 0 : 100_000));
        const [alert] = await service.rows('SELECT message FROM alert WHERE kind = $1 AND subject = $2', 'payment_corrected', paymentId);
        expect(alert?.message).toContain(`Withdraw link ${link.id} has now paid 1 more than its number of uses`);
        expect(await service.problems()).toEqual([]);
        // The use that the second claim releases replaces that of the first, so the link is used up.
        net.outside.resolveHold(held.paymentHash, 'cancel');
        await expect.poll(overused).toEqual({ uses_left: 0, overused: 0 });
        expect(await claim(net.outside.invoice({ amountMsat: 100_000 }).paymentRequest)).toMatchObject({ status: 'ERROR' });
        // Both recipients may repeat their claims. Only the paid one gets OK.
        expect(await claim(late.paymentRequest)).toEqual({ status: 'OK' });
        expect(await claim(held.paymentRequest)).toMatchObject({ status: 'ERROR' });
        expect(await service.problems()).toEqual([]);
      });
    }

    it('S7 L4: a link of several uses counts every claim that was paid', async () => {
      const wallet = await service.client.wallet(1000);
      const link = await service.client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 100, uses: 2 });
      const claim = async (paymentRequest: string): Promise<Json> => (await fetch(`${link.url}&pr=${paymentRequest}`)).json();
      const invoices = [60_000, 60_000, undefined, undefined].map((lateSuccessMs) =>
        net.outside.invoice({ amountMsat: 100_000, script: lateSuccessMs === undefined ? { fee: 0 } : { lateSuccessMs, fee: 0 } }),
      );
      for (const { paymentRequest, paymentHash } of invoices) {
        expect(await claim(paymentRequest)).toEqual({ status: 'OK' });
        await expect.poll(async () => (await service.client.get(`/v1/lntx/${paymentHash}`)).status).not.toBe('pending');
      }
      service.time.advance(60_000);
      const uses = async () => (await service.rows('SELECT uses_left, overused FROM withdraw_link WHERE id = $1', link.id))[0];
      await expect.poll(uses).toEqual({ uses_left: 0, overused: 2 });
      expect(await balances(service, wallet)).toEqual({ balance_msat: 600_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('P5: a success without the preimage of the invoice does not count as a success', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { hold: true } });
      const response = await withdraw(service, wallet, { payment_request: paymentRequest });
      const { id } = response.body.lnTx;
      await untilHeld(service, paymentHash);
      net.tell({ type: 'payment', paymentId: id, outcome: { state: 'succeeded', preimage: '00'.repeat(32), feeMsat: 0 } as never });
      const marker = await withdraw(service, await service.client.wallet(100), {
        payment_request: net.outside.invoice({ amountMsat: 1000 }).paymentRequest,
      });
      await untilEnded(service, marker);
      expect(await lntx(service, response)).toMatchObject({ status: 'pending', payment_preimage: null });
      net.outside.resolveHold(paymentHash, 'cancel');
      await service.restart();
      expect(await untilEnded(service, response)).toMatchObject({ status: 'failed' });
      expect((await balances(service, wallet)).pending_msat).toBe(0);
    });

    it('S8: twenty invoices that are paid while the service is down are each credited once after the start', async () => {
      const wallet = await service.client.wallet();
      const invoices = await Promise.all(
        Array.from({ length: 20 }, (_, i) => service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 10 + i })),
      );
      await service.restart(async () => {
        // The guard of a node that runs without a service.
        const stand = net.connect();
        stand.guardIncoming(async () => 'claim');
        const paid = await Promise.all(invoices.map(({ payment_request }) => net.outside.pay({ paymentRequest: payment_request })));
        expect(new Set(paid.map(({ state }) => state))).toEqual(new Set(['succeeded']));
        await stand.close();
      });
      const total = invoices.reduce((sum, { num_satoshis }) => sum + num_satoshis * 1000, 0);
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: total, pending_msat: 0 });
      await service.restart();
      expect(await balances(service, wallet)).toEqual({ balance_msat: total, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('S8: a settlement that was read and not booked before a stop is credited after the next start', async () => {
      const wallet = await service.client.wallet();
      // Keysends, because reconciliation would also find paid invoices.
      const customRecords = { '696969': Buffer.from(wallet.id).toString('hex') };
      let failures = 0;
      service.writeFailsAt = (name) => {
        const fails = name.startsWith('invoice_insert_received') || name === 'unbooked_event_set_aside';
        if (fails) failures += 1;
        return fails;
      };
      for (let i = 0; i < 20; i++) {
        expect(await net.outside.keysend({ amountMsat: 1_000, customRecords })).toMatchObject({ state: 'succeeded' });
      }
      await expect.poll(() => failures).toBeGreaterThan(20);
      await service.restart(() => {
        service.writeFailsAt = undefined;
      });
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 20_000, pending_msat: 0 });
      await service.restart();
      expect(await balances(service, wallet)).toEqual({ balance_msat: 20_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('S12: a payment whose success could not be booked is booked later, also after a restart', async () => {
      const wallet = await service.client.wallet(1000);
      for (const restarted of [false, true]) {
        const before = (await balances(service, wallet)).balance_msat;
        const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { hold: true } });
        const response = await withdraw(service, wallet, { payment_request: paymentRequest });
        await untilHeld(service, paymentHash);
        service.diskIsFull = true;
        net.outside.resolveHold(paymentHash, 'settle');
        await expect.poll(() => net.outside.payments().find((paid) => paid.paymentHash === paymentHash)?.state).toBe('succeeded');
        expect(await lntx(service, response)).toMatchObject({ status: 'pending', settled: 0 });
        const repair = () => {
          service.diskIsFull = false;
        };
        await (restarted ? service.restart(repair) : repair());
        expect(await untilEnded(service, response)).toMatchObject({ status: 'settled' });
        expect(await balances(service, wallet)).toEqual({ balance_msat: before - 100_000, pending_msat: 0 });
      }
      expect(await service.problems()).toEqual([]);
    });

    it('F2: a route that charges as much as the amount fails, and nothing is charged', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 300_000, script: { fee: 'double' } });
      const response = await withdraw(service, wallet, { payment_request: paymentRequest }, '');
      const message = 'Failure reason: FAILURE_REASON_NO_ROUTE. No route was found within the fee limit of 15000 msat.';
      expect(response).toMatchObject({ status: 400, body: { message } });
      expect(await balances(service, wallet)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
    });

    it('F2: a node that exceeds the fee limit takes no more than the reserve from the wallet', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 300_000, script: { fee: 'double', ignoresFeeLimit: true } });
      const response = await withdraw(service, wallet, { payment_request: paymentRequest, fee_limit_msat: 5_000 }, '');
      expect(response).toMatchObject({ status: 201, body: { lnTx: { fee_msat: 5_000 } } });
      expect(await balances(service, wallet)).toEqual({ balance_msat: 695_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('F7: the routing fee is charged for every kind of outgoing payment', async () => {
      const fees: number[] = [];
      const ways: ((wallet: TestWallet) => Promise<unknown>)[] = [
        (wallet) => withdraw(service, wallet, { payment_request: net.outside.invoice({ amountMsat: 100_000 }).paymentRequest }, ''),
        (wallet) => withdraw(service, wallet, { payment_request: net.outside.invoice().paymentRequest, num_satoshis: 100 }, ''),
        async (wallet) => {
          const { nodes } = await service.client.get('/playground');
          const dest_pubkey = nodes.find(({ name }: Json) => name === 'carol').pubkey;
          await service.client.post(`/v1/wallet/${wallet.id}/keysend`, { dest_pubkey, num_satoshis: 100 });
        },
        async (wallet) => {
          const link = await service.client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 100, fee_limit_msat: 1_500 });
          const { callback, k1 }: Json = await (await fetch(link.url)).json();
          const pr = net.outside.invoice({ amountMsat: 100_000 }).paymentRequest;
          expect(await (await fetch(`${callback}&k1=${k1}&pr=${pr}`)).json()).toEqual({ status: 'OK' });
        },
      ];
      for (const pay of ways) {
        const wallet = await service.client.wallet(1000);
        net.nextPayment({ fee: 1_500 });
        await pay(wallet);
        await expect.poll(async () => (await balances(service, wallet)).pending_msat).toBe(0);
        fees.push(900_000 - (await balances(service, wallet)).balance_msat);
      }
      expect(fees).toEqual([1_500, 1_500, 1_500, 1_500]);
    });

    it('I4: an invoice without an amount credits the received amount; a partial payment credits nothing', async () => {
      const wallet = await service.client.wallet();
      const open = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, {});
      await net.outside.pay({ paymentRequest: open.payment_request, amountMsat: 7_777 });
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 7_777, pending_msat: 0 });
      const fixed = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 10 });
      await net.outside.pay({ paymentRequest: fixed.payment_request, arrivesMsat: 12_345 });
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 20_122, pending_msat: 0 });
      expect(await service.client.get(`/v1/lntx/${fixed.id}`)).toMatchObject({ settled: 1, num_satoshis: 12 });
      const part = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 10 });
      const paying = net.outside.pay({ paymentRequest: part.payment_request, arrivesMsat: 4_000, partial: true });
      const under = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 10 });
      const underpaid = await Promise.all([net.outside.pay({ paymentRequest: under.payment_request, arrivesMsat: 9_999 })]);
      service.time.advance(60_000);
      expect((await paying).state).toBe('failed');
      expect(underpaid.map(({ state }) => state)).toEqual(['failed']);
      expect(await balances(service, wallet)).toEqual({ balance_msat: 20_122, pending_msat: 0 });
      expect(await service.client.get(`/v1/lntx/${part.id}`)).toMatchObject({ settled: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('a wallet at its limit of pending payments rejects the next one before anything is held', async () => {
      const wallet = await service.client.wallet(1000);
      const requests = Array.from({ length: 12 }, () => net.outside.invoice({ amountMsat: 1_000, script: { hold: true } }));
      const responses = await Promise.all(
        requests.map(({ paymentRequest }) => withdraw(service, wallet, { payment_request: paymentRequest })),
      );
      expect(responses.filter(({ status }) => status === 202)).toHaveLength(8);
      const refused = responses.filter(({ status }) => status === 429);
      expect(refused).toHaveLength(4);
      expect(refused[0]).toMatchObject({ body: { type: 'too_many_payments' } });
      // Including payments that have not arrived yet, because a cancelled invoice accepts none.
      for (const { paymentHash } of requests) net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(() => balances(service, wallet)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
    });
  },
  { MAX_PAYMENTS_IN_FLIGHT: '8' },
);
