import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { holdInvoice, TIMING } from './harness.ts';

onFakeNode(
  'a hold invoice that is paid from outside',
  (service) => {
    const { client, net, time } = service;

    it('credits its wallet only when it is settled', async () => {
      const hold = await holdInvoice(service);
      expect(await hold.read()).toMatchObject({ status: 'open', held_at: null, held_until: null, payment_preimage: null });
      expect((await hold.settle()).body).toMatchObject({ status: 400, type: 'invoice_not_held' });
      await hold.pay();
      await hold.until('held');
      const held = await hold.read();
      expect(held).toMatchObject({ settled: 0, num_satoshis: 5, payment_preimage: null });
      expect(held.held_until).toBeGreaterThan(held.held_at);
      expect(await hold.balance()).toBe(0);
      expect(hold.payer()).toBe('pending');
      expect(await hold.settle({ preimage: '00'.repeat(32) })).toMatchObject({ status: 400, body: { type: 'validation_failed' } });
      expect(await hold.settle()).toMatchObject({ status: 200, body: { status: 'settled', payment_preimage: hold.preimage } });
      expect(await hold.settle()).toMatchObject({ status: 200, body: { status: 'settled' } });
      expect(await hold.cancel()).toMatchObject({ status: 400, body: { type: 'invoice_paid' } });
      expect(await hold.balance()).toBe(5000);
      expect(hold.payer()).toBe('succeeded');
      expect(await hold.events()).toEqual(['wallet_created', 'invoice_created', 'invoice_held', 'wallet_receive']);
      expect(await service.rows('SELECT late FROM invoice WHERE id = $1', hold.invoice.id)).toEqual([{ late: 0 }]);
      expect(await service.problems()).toEqual([]);
    });

    it('sends the payment back when it is cancelled', async () => {
      const hold = await holdInvoice(service, { memo: 'any amount' });
      await hold.pay(7000);
      await hold.until('held');
      expect(await hold.read()).toMatchObject({ num_msat: 7000 });
      expect(await hold.cancel()).toMatchObject({ status: 200, body: { status: 'cancelled', failure_reason: null } });
      expect(await hold.cancel()).toMatchObject({ status: 200, body: { status: 'cancelled' } });
      expect(await hold.settle()).toMatchObject({ status: 400, body: { type: 'invoice_cancelled' } });
      expect([await hold.balance(), hold.payer()]).toEqual([0, 'failed']);
      expect(await hold.events()).toEqual(['wallet_created', 'invoice_created', 'invoice_held', 'invoice_cancelled']);
      expect(await service.problems()).toEqual([]);
    });

    it('can be cancelled before it is paid', async () => {
      const hold = await holdInvoice(service);
      expect(await hold.cancel()).toMatchObject({ status: 200, body: { status: 'cancelled' } });
      await hold.pay();
      expect(hold.payer()).toBe('failed');
      expect(await hold.events()).toEqual(['wallet_created', 'invoice_created', 'invoice_cancelled']);
    });

    it('is settled although the payment arrived at the node a moment ago', async () => {
      const hold = await holdInvoice(service);
      await hold.pay();
      expect(await hold.settle()).toMatchObject({ status: 200, body: { status: 'settled' } });
      expect(await hold.balance()).toBe(5000);
    });

    it('C6: is not credited while its settlement is not final', async () => {
      const hold = await holdInvoice(service);
      net.nextSettlement({ end: 'final' });
      await hold.pay();
      await hold.until('held');
      expect(await hold.settle()).toMatchObject({ status: 202, body: { status: 'arriving', payment_preimage: null } });
      expect(await hold.balance()).toBe(0);
      expect(await hold.cancel()).toMatchObject({ status: 400, body: { type: 'invoice_paid' } });
      net.endSettlement(hold.hash, 'final');
      await hold.until('settled');
      expect(await hold.balance()).toBe(5000);
      expect(await service.problems()).toEqual([]);
    });

    it('is cancelled by the service before its HTLC expires', async () => {
      const hold = await holdInvoice(service);
      await hold.pay();
      await hold.until('held');
      // 144 blocks until the HTLC expires; the service cancels at 18, the node at 12.
      time.advance((144 - 17) * 600_000);
      await hold.until('cancelled');
      expect(await hold.read()).toMatchObject({ failure_reason: 'HOLD_EXPIRED' });
      expect(hold.payer()).toBe('failed');
      expect(await hold.events()).toContain('invoice_cancelled');
      expect(await hold.settle()).toMatchObject({ status: 400, body: { type: 'invoice_cancelled' } });
    });

    it('is cancelled when its node has cancelled it, and is not when it has expired there', async () => {
      const [cancelled, expired] = [await holdInvoice(service), await holdInvoice(service)];
      await service.execute('UPDATE invoice SET expires_at = created_at WHERE id = $1', expired.invoice.id);
      for (const { hash } of [expired, cancelled]) await net.connect().cancelInvoice(hash);
      await cancelled.until('cancelled');
      expect(await cancelled.events()).toContain('invoice_cancelled');
      expect((await expired.read()).status).toBe('expired');
      expect(await service.problems()).toEqual([]);
    });

    it('is cancelled when its time is over', async () => {
      const hold = await holdInvoice(service);
      await hold.pay();
      await hold.until('held');
      await service.execute('UPDATE invoice SET held_until = held_at WHERE id = $1', hold.invoice.id);
      await hold.until('cancelled');
      expect([await hold.balance(), hold.payer()]).toEqual([0, 'failed']);
    });

    it.each(['call', 'answer'] as const)('is settled once although the %s of the request to the node is lost', async (lose) => {
      const hold = await holdInvoice(service);
      await hold.pay();
      await hold.until('held');
      net.next('settleHoldInvoice', { lose });
      // The node may have reported the settlement by now.
      expect((await hold.settle()).body).toMatchObject({ status: expect.stringMatching('held|settled') });
      expect(await hold.cancel()).toMatchObject({ status: 400, body: { type: 'invoice_paid' } });
      await hold.until('settled');
      expect([await hold.balance(), hold.payer()]).toEqual([5000, 'succeeded']);
      expect(await service.problems()).toEqual([]);
    });

    it.each(['call', 'answer'] as const)('is cancelled once although the %s of the request to the node is lost', async (lose) => {
      const hold = await holdInvoice(service);
      await hold.pay();
      await hold.until('held');
      net.next('cancelInvoice', { lose });
      // The job that asks the node again may have cancelled it by now.
      expect((await hold.cancel()).body).toMatchObject({ status: expect.stringMatching('held|cancelled') });
      expect(await hold.settle()).toMatchObject({ status: 400, body: { type: 'invoice_cancelled' } });
      await hold.until('cancelled');
      expect([await hold.balance(), hold.payer()]).toEqual([0, 'failed']);
    });

    it('refuses a hash that the service or the node has had', async () => {
      const { wallet, hash } = await holdInvoice(service);
      const create = (hold_hash: string) =>
        client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: client.secretKey, json: { num_satoshis: 1, hold_hash } });
      expect(await create(hash)).toMatchObject({ status: 409, body: { type: 'hold_hash_taken' } });
      const own = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1 });
      expect(await create(own.r_hash_decoded)).toMatchObject({ status: 409 });
      net.next('createHoldInvoice', { lose: 'answer' });
      const lost = 'ab'.repeat(32);
      expect((await create(lost)).status).toBe(503);
      expect(await create(lost)).toMatchObject({ status: 409, body: { type: 'hold_hash_taken' } });
    });

    it('shows its public status with a token that does not depend on the preimage', async () => {
      const { invoice } = await holdInvoice(service);
      const token = invoice.status_url.split('/').at(-1);
      expect(await client.get(`/v1/invoice-status/${token}`)).toMatchObject({ status: 'open', num_satoshis: 5 });
      const other = await holdInvoice(service);
      const forged = other.invoice.status_url.split('/').at(-1).slice(0, 22) + token.slice(22);
      expect(await client.request('GET', `/v1/invoice-status/${forged}`, {})).toMatchObject({ status: 404 });
    });

    it('is one of the open invoices of its wallet while it is held', async () => {
      const hold = await holdInvoice(service);
      await hold.pay();
      await hold.until('held');
      const listed = await client.get(`/v1/wallet/${hold.wallet.id}/transactions?status=open`);
      expect(listed.map(({ lnTx }: { lnTx: { status: string } }) => lnTx.status)).toEqual(['held']);
      await hold.cancel();
    });
  },
  {},
  TIMING,
);
