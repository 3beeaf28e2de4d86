import { expect, it, vi } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { openLndhub } from '../../../src/features/import/lndhub/lndhub.ts';
import { onFakeNode } from '../../support/app.ts';
import { importInto, planOf } from '../run.ts';
import { lndhubDatabase, userOf } from './database.ts';

const WAIT = { timeout: 150_000, interval: 50 };
/** What the user had before the payment, in satoshis, and what lndhub.go has taken for it. */
const [DEPOSIT, AMOUNT, RESERVES] = [9000, 2000, 31];

onFakeNode(
  'a payment that was pending in lndhub.go',
  (app) => {
    async function balance(): Promise<number> {
      const { login, password } = userOf('pending');
      const { body } = await app.client.request('POST', '/lndhub/ext/auth', { json: { login, password } });
      const headers = { authorization: `Bearer ${body.access_token}` };
      return (await app.client.request('GET', '/lndhub/ext/balance', { headers })).body.BTC.AvailableBalance;
    }

    it('M2: is charged once when it succeeds, without the reserves', async () => {
      app.net.addFunds(10_000_000_000);
      const held = app.net.outside.invoice({ amountMsat: AMOUNT * 1000, hold: true });
      const order = { paymentId: 'of lndhub.go', amountMsat: msat(AMOUNT * 1000), feeLimitMsat: msat(21_000), marker: '00' };
      await app.net.connect().pay({ ...held, ...order });
      const url = await lndhubDatabase(
        `UPDATE public.invoices SET r_hash = '${held.paymentHash}', payment_request = '${held.paymentRequest}' WHERE memo = 'stays pending'`,
      );
      const { problems } = await importInto(app, () => openLndhub(url), { negative: 'zero' });
      expect(problems).toEqual([]);
      expect(await balance()).toBe(DEPOSIT - AMOUNT - RESERVES);

      app.net.outside.resolveHold(held.paymentHash, 'settle');
      // Until then the node may execute a request that lndhub.go has sent.
      await app.time.advance(600_000);
      for (let start = 0; start < 2; start++) {
        await app.restart();
        await vi.waitFor(async () => expect(await app.rows('SELECT state FROM payment')).toEqual([{ state: 'succeeded' }]), WAIT);
        const [row] = await app.rows('SELECT fee_msat FROM payment');
        expect(await balance()).toBe(Math.floor(DEPOSIT - AMOUNT - Number(row?.fee_msat) / 1000));
      }
      expect(await app.problems()).toEqual([]);
    });
  },
  { LNDHUB: 'true', UNLIMITED_LOGINS: 'true' },
);

onFakeNode('a payment that was pending in lndhub.go', (app) => {
  it('M2: is returned once, with the reserves, when it fails', async () => {
    app.net.addFunds(10_000_000_000);
    const held = app.net.outside.invoice({ amountMsat: AMOUNT * 1000, hold: true });
    const order = { paymentId: 'of lndhub.go', amountMsat: msat(AMOUNT * 1000), feeLimitMsat: msat(21_000), marker: '00' };
    await app.net.connect().pay({ ...held, ...order });
    const url = await lndhubDatabase(
      `UPDATE public.invoices SET r_hash = '${held.paymentHash}', payment_request = '${held.paymentRequest}' WHERE memo = 'stays pending'`,
    );
    await importInto(app, () => openLndhub(url), { negative: 'zero' });
    app.net.outside.resolveHold(held.paymentHash, 'cancel');
    await app.time.advance(600_000);
    await app.restart();
    await vi.waitFor(async () => expect(await app.rows('SELECT state FROM payment')).toEqual([{ state: 'failed' }]), WAIT);
    const [wallet] = await app.rows(`SELECT a.balance_msat, a.held_msat FROM payment p JOIN ledger_account a ON a.id = p.ledger_account`);
    expect([Number(wallet?.balance_msat), Number(wallet?.held_msat)]).toEqual([DEPOSIT * 1000, 0]);
    expect(await app.problems()).toEqual([]);
  });

  it('M4: is refused without an invoice, because the node cannot be asked for it', async () => {
    const url = await lndhubDatabase(`UPDATE public.invoices SET payment_request = NULL WHERE memo = 'stays pending'`);
    const { wallets } = await planOf(app, () => openLndhub(url), { negative: 'zero' });
    const refused = wallets.filter(({ action }) => action === 'refused');
    expect(refused.map(({ label, problems }) => [label, problems.length])).toEqual([[userOf('pending').login, 1]]);
  });
});
