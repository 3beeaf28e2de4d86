import { expect, it } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import { systemClock as clock } from '../../src/core/kernel/clock.ts';
import { requireGuards } from '../../src/core/ledger/ledger.ts';
import { createWithdrawals } from '../../src/core/withdrawals/withdrawals.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';

const STOP = { by: 'acc_1', reason: 'a test' };

function instanceOn(database: Database) {
  return createWithdrawals({ database, alerts: createAlerts(database, clock, silentLog), clock, log: silentLog });
}

/** Returns a promise and the function that resolves it. */
function latch() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, passed };
}

onBothDatabases('the switch for withdrawals', (open) => {
  it('waits for the postings that have read it, and stops those that read it while it is being set', async () => {
    const database = await open();
    const [one, other] = [instanceOn(database), instanceOn(database)];
    const order: string[] = [];
    const [reading, decided] = [latch(), latch()];
    const posting = database.transaction(async (tx) => {
      await requireGuards(tx, [one.guard]);
      reading.open();
      await decided.passed;
      order.push('posting');
    });
    await reading.passed;
    const stop = database.transaction((tx) => other.stopIn(tx, STOP)).then(() => order.push('stop'));
    decided.open();
    await Promise.all([posting, stop]);
    expect(order).toEqual(['posting', 'stop']);

    await database.transaction((tx) => one.resumeIn(tx));
    const [set, commit] = [latch(), latch()];
    const again = database.transaction(async (tx) => {
      await one.stopIn(tx, STOP);
      set.open();
      await commit.passed;
    });
    await set.passed;
    const late = database.transaction((tx) => requireGuards(tx, [other.guard]));
    late.catch(() => undefined);
    commit.open();
    await again;
    await expect(late).rejects.toMatchObject({ type: 'withdrawals_stopped' });
  });

  it('counts refused payments of all instances once, and begins again with the next stop', async () => {
    const database = await open();
    const instances = [instanceOn(database), instanceOn(database)];
    const [one] = instances;
    await database.transaction((tx) => one?.stopIn(tx, STOP) ?? Promise.resolve());
    for (const instance of instances) for (let n = 0; n < 3; n += 1) expect((await instance.refuse()).message).toContain('“a test”');
    await Promise.all(instances.map((instance) => instance.storeRefused()));
    await one?.storeRefused();
    expect((await one?.read())?.refused).toBe(6);
    await database.transaction((tx) => one?.resumeIn(tx) ?? Promise.resolve());
    await database.transaction((tx) => one?.stopIn(tx, STOP) ?? Promise.resolve());
    expect((await one?.read())?.refused).toBe(0);
  });
});
