import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { type HoldInvoice, holdInvoice, TIMING } from './harness.ts';

onFakeNode(
  'a hold invoice that another wallet pays',
  (service) => {
    const { client, net } = service;

    const withdraw = (payer: TestWallet, payment_request: string, headers: Record<string, string> = {}) =>
      client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: client.secretKey, json: { payment_request }, headers });
    const read = (wallet: TestWallet) => client.get(`/v1/wallet/${wallet.id}`);

    /** Lets a wallet with 20 sat pay a hold invoice of 5 sat. */
    async function heldBetween(): Promise<HoldInvoice & { payingWallet: TestWallet; lntx: string }> {
      const hold = await holdInvoice(service);
      const payer = await client.wallet(20);
      const started = await withdraw(payer, hold.invoice.payment_request, { prefer: 'respond-async' });
      expect(started).toMatchObject({ status: 202, body: { status: 'pending' } });
      await hold.until('held');
      return { ...hold, payingWallet: payer, lntx: started.body.lnTx.id };
    }

    it('holds the money of the payer until it is settled', async () => {
      const hold = await heldBetween();
      expect(await read(hold.payingWallet)).toMatchObject({ balance_msat: 15_000, pending_msat: 5000 });
      expect(await hold.balance()).toBe(0);
      expect(await hold.settle()).toMatchObject({ status: 200, body: { status: 'settled', payment_preimage: hold.preimage } });
      expect(await hold.settle()).toMatchObject({ status: 200, body: { status: 'settled' } });
      expect(await hold.cancel()).toMatchObject({ status: 400, body: { type: 'invoice_paid' } });
      expect(await read(hold.payingWallet)).toMatchObject({ balance_msat: 15_000, pending_msat: 0 });
      expect(await hold.balance()).toBe(5000);
      expect(await client.get(`/v1/lntx/${hold.lntx}`)).toMatchObject({ status: 'settled', payment_preimage: hold.preimage, fee_msat: 0 });
      expect(await hold.events()).toEqual(['wallet_created', 'invoice_created', 'invoice_held', 'wallet_receive']);
      expect(await service.problems()).toEqual([]);
    });

    it('returns the money to the payer when it is cancelled', async () => {
      const hold = await heldBetween();
      expect(await hold.cancel()).toMatchObject({ status: 200, body: { status: 'cancelled' } });
      expect(await hold.settle()).toMatchObject({ status: 400, body: { type: 'invoice_cancelled' } });
      expect(await read(hold.payingWallet)).toMatchObject({ balance_msat: 20_000, pending_msat: 0 });
      expect(await client.get(`/v1/lntx/${hold.lntx}`)).toMatchObject({ status: 'failed', settled: -1 });
      expect(await hold.events()).toEqual(['wallet_created', 'invoice_created', 'invoice_held', 'invoice_cancelled']);
      expect(await service.problems()).toEqual([]);
    });

    it('returns the money when its time is over, and after a restart', async () => {
      const hold = await heldBetween();
      await service.restart(() => undefined);
      expect(await hold.read()).toMatchObject({ status: 'held' });
      await service.execute('UPDATE invoice SET held_until = held_at WHERE id = $1', hold.invoice.id);
      await hold.until('cancelled');
      expect(await hold.read()).toMatchObject({ failure_reason: 'HOLD_EXPIRED' });
      expect(await read(hold.payingWallet)).toMatchObject({ balance_msat: 20_000, pending_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('cannot be paid from outside any more, nor by a third wallet', async () => {
      const hold = await heldBetween();
      await hold.pay();
      expect(net.outside.payments().at(-1)).toMatchObject({ state: 'failed' });
      expect(await withdraw(await client.wallet(20), hold.invoice.payment_request)).toMatchObject({
        status: 400,
        body: { type: 'invoice_paid' },
      });
      await hold.settle();
      expect(await hold.balance()).toBe(5000);
    });

    it('fails the payment when a payment from outside was first', async () => {
      const hold = await holdInvoice(service);
      const payer = await client.wallet(20);
      const outside = await hold.pay();
      expect(outside.state).toBe('pending');
      const paid = await withdraw(payer, hold.invoice.payment_request);
      expect(paid.status).toBe(400);
      await hold.until('held');
      expect(await read(payer)).toMatchObject({ balance_msat: 20_000, pending_msat: 0 });
      await hold.settle();
      expect([await hold.balance(), hold.payer()]).toEqual([5000, 'succeeded']);
      expect(await service.problems()).toEqual([]);
    });

    it('C6: has one outcome when it is settled and cancelled at once', async () => {
      for (let run = 0; run < 5; run += 1) {
        const hold = run % 2 === 0 ? await heldBetween() : { ...(await holdInvoice(service)), payingWallet: undefined };
        if (!hold.payingWallet) await hold.pay();
        const answers = await Promise.all([hold.settle(), hold.cancel(), hold.settle(), hold.cancel()]);
        await expect.poll(async () => ['settled', 'cancelled'].includes((await hold.read()).status)).toBe(true);
        const isSettled = (await hold.read()).status === 'settled';
        const [settled, cancelled] = [
          [answers[0], answers[2]],
          [answers[1], answers[3]],
        ];
        for (const answer of isSettled ? settled : cancelled) expect([200, 202]).toContain(answer?.status);
        for (const answer of isSettled ? cancelled : settled) expect(answer?.status).toBe(400);
        expect(await hold.balance()).toBe(isSettled ? 5000 : 0);
        if (hold.payingWallet)
          expect(await read(hold.payingWallet)).toMatchObject({ balance_msat: isSettled ? 15_000 : 20_000, pending_msat: 0 });
      }
      expect(await service.problems()).toEqual([]);
    });

    it('does not prevent the payment of an invoice of another node with the same hash', async () => {
      const { paymentHash, paymentRequest } = net.outside.invoice({ amountMsat: 4000 });
      const payer = await client.wallet(20);
      const [attacker, wrapped] = [await client.wallet(), { num_satoshis: 1, hold_hash: paymentHash }];
      await client.post(`/v1/wallet/${attacker.id}/invoice`, wrapped);
      expect(await withdraw(payer, paymentRequest)).toMatchObject({ status: 201, body: { status: 'settled' } });
      expect(await read(payer)).toMatchObject({ balance_msat: 16_000 });
      expect(await read(attacker)).toMatchObject({ balance_msat: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it('B6: is checked by verify together with the payment that it holds', async () => {
      const hold = await heldBetween();
      const { id } = hold.invoice;
      const found = async (sql: string, subject = id) => (await service.problemsAfter(sql, subject)).join('\n');
      const problem = `${id}: its state does not match that of the payment that it held`;
      expect(await found("UPDATE invoice SET state = 'canceled' WHERE id = $1")).toContain(problem);
      expect(await found('UPDATE invoice SET held_msat = 1 WHERE id = $1')).toContain(problem);
      expect(await found("UPDATE invoice SET held_payment_id = 'lntx_0' WHERE id = $1")).toContain(problem);
      await hold.cancel();
      expect(await found("UPDATE invoice SET state = 'held' WHERE id = $1")).toContain(problem);
      expect(await service.problems()).toEqual([]);
    });

    it('is no stuck payment', async () => {
      const hold = await heldBetween();
      await service.reconcile();
      expect((await service.openAlerts()).filter(({ subject }) => subject === hold.lntx)).toEqual([]);
      await hold.cancel();
    });
  },
  { PAYMENT_WAIT_SECONDS: '1', STUCK_PAYMENT_SECONDS: '0' },
  TIMING,
);
