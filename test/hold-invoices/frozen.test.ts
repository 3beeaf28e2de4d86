import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import { holdInvoice, TIMING } from './harness.ts';

/** Sets the state of the account of the harness's wallets, as an operator does. */
async function setStatus({ execute, rows }: FakeNodeApp, walletId: string, status: string): Promise<void> {
  const [row] = await rows('SELECT account_id FROM wallet WHERE id = $1', walletId);
  await execute('UPDATE account SET status = $2 WHERE id = $1', row?.account_id as string, status);
}

onFakeNode(
  'a payment held into an account that is frozen meanwhile',
  (service) => {
    it.each(['frozen', 'closing', 'closed'])('from outside returns to its payer: %s', async (status) => {
      const hold = await holdInvoice(service);
      await hold.pay();
      await hold.until('held');
      await setStatus(service, hold.wallet.id, status);
      const settled = await hold.settle();
      expect(settled.status).toBeGreaterThanOrEqual(400);
      expect(settled.status).toBeLessThan(500);
      await hold.until('cancelled');
      expect(await hold.read()).toMatchObject({ failure_reason: 'HOLD_EXPIRED' });
      expect([await hold.balance(), hold.payer()]).toEqual([0, 'failed']);
      await setStatus(service, hold.wallet.id, 'active');
      expect(await service.problems()).toEqual([]);
    });

    it('of another wallet returns to that wallet', async () => {
      const other = { ...service, client: service.neighbour } as FakeNodeApp;
      const hold = await holdInvoice(other);
      const payer = await service.client.wallet(20);
      await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, {
        key: service.client.secretKey,
        json: { payment_request: hold.invoice.payment_request },
        headers: { prefer: 'respond-async' },
      });
      await hold.until('held');
      await setStatus(service, hold.wallet.id, 'frozen');
      await hold.until('cancelled');
      expect(await service.client.get(`/v1/wallet/${payer.id}`)).toMatchObject({ balance_msat: 20_000, pending_msat: 0 });
      await setStatus(service, hold.wallet.id, 'active');
      expect(await service.problems()).toEqual([]);
    });

    it('before it arrived is not held', async () => {
      const hold = await holdInvoice(service);
      await setStatus(service, hold.wallet.id, 'frozen');
      await hold.pay();
      await hold.until('cancelled');
      expect(hold.payer()).toBe('failed');
      await setStatus(service, hold.wallet.id, 'active');
    });
  },
  {},
  TIMING,
);

onFakeNode(
  'a request to settle into a frozen account',
  (service) => {
    it('that is decided at the same time credits nothing', async () => {
      const hold = await holdInvoice(service);
      await hold.pay();
      expect((await hold.settle({ preimage: 'ab'.repeat(32) })).status).toBe(400);
      await expect.poll(async () => (await hold.read()).status).toBe('held');
      // The permission of the key was checked before; the posting checks the account again.
      await setStatus(service, hold.wallet.id, 'frozen');
      await service.execute(
        "UPDATE account SET status = 'frozen' WHERE id = (SELECT account_id FROM wallet WHERE id = $1)",
        hold.wallet.id,
      );
      expect((await hold.settle()).body).toMatchObject({ status: 403, type: 'account_restricted' });
      expect(await hold.balance()).toBe(0);
      await setStatus(service, hold.wallet.id, 'active');
      expect((await hold.settle()).body).toMatchObject({ status: 'settled' });
      expect(await hold.balance()).toBe(5000);
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  // No round returns it before the test has.
  { ...TIMING, holds: { roundMs: 20, heldEvery: 1_000_000 } },
);
