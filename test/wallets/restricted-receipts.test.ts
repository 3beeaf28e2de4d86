import { expect, it } from 'vitest';
import { ACCOUNT_STATUSES, allows } from '../../src/core/accounts/account-states.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { setLimits } from '../../src/core/limits/limits.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { modulesOn, settlementOf } from '../support/modules.ts';

const setStatus = statement('test_set_status', 'UPDATE account SET status = $2 WHERE id = $1');
const openAlerts = statement<{ kind: string; subject: string; message: string }>(
  'test_open_alerts',
  'SELECT kind, subject, message FROM alert WHERE cleared_at IS NULL ORDER BY id',
);

const unannounced = statement('test_unannounced', 'SELECT id FROM alert WHERE announced_at IS NULL');

onBothDatabases('money that a node has received', (open) => {
  for (const status of ACCOUNT_STATUSES)
    it(`A7: is credited to a \`${status}\` account, and raises an alert exactly if the account may not receive`, async () => {
      const { database, wallet, invoice, invoices, ledger } = await modulesOn(await open());
      const payee = await wallet(0);
      const paid = await invoice(payee, 5_000);
      await database.transaction((tx) => tx.run(setStatus, payee.accountId, status));
      expect(await invoices.settle(settlementOf(paid, 5_000))).toBe('booked');
      expect((await ledger.balance(payee.ledgerAccount)).balanceMsat).toBe(5_000);
      const expected = { kind: 'received_restricted', subject: payee.id, message: expect.stringContaining(status) };
      expect(await database.all(openAlerts)).toEqual(allows(status, 'receive') ? [] : [expected]);
      expect(await problemsOf(database)).toEqual([]);
    });

  it('beyond a limit is credited with an alert, which is logged at once', async () => {
    const { database, wallet, invoice, invoices } = await modulesOn(await open());
    const payee = await wallet(0);
    const none = { max_payment_msat: null, max_out_day_msat: null, max_out_month_msat: null, max_payments_per_minute: null };
    const limits = { ...none, max_pending: null, max_receive_msat: null, max_balance_msat: 5_000 };
    await database.transaction((tx) => setLimits(tx, systemClock, payee.id, payee.accountId, limits));
    const both = [await invoice(payee, 5_000), await invoice(payee, 5_000)];
    for (const paid of both) expect(await invoices.settle(settlementOf(paid, 5_000))).toBe('booked');
    expect(await database.all(openAlerts)).toMatchObject([{ kind: 'over_limit', subject: payee.id }]);
    expect(await database.all(unannounced)).toEqual([]);
    expect(await problemsOf(database)).toEqual([]);
  });
});
