import { expect, it } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { onBothDatabases } from '../support/ledger.ts';

const STUCK = { kind: 'payment_stuck', subject: 'lntx_1', message: 'pending for 2 h' } as const;

/** Returns alerts, the clock that they use, and what they log. */
function alertsOn(database: Database) {
  const clock = { seconds: 1000, nowMs: () => clock.seconds * 1000 };
  const logged: string[] = [];
  const log = { info() {}, warn() {}, error: (_fields: object, message: string) => void logged.push(message) };
  return { alerts: createAlerts(database, clock, log), clock, logged };
}

onBothDatabases('an alert', (open) => {
  it('opens and is logged once, also when several instances raise it repeatedly', async () => {
    const { alerts, clock, logged } = alertsOn(await open());
    await Promise.all(Array.from({ length: 20 }, () => alerts.raise(STUCK)));
    clock.seconds = 1060;
    await alerts.raise({ ...STUCK, message: 'pending for 3 h' });
    const listed = await alerts.listOpen();
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ ...STUCK, message: 'pending for 3 h', raisedAt: 1000, lastSeenAt: 1060 });
    expect(logged).toEqual(['alert: payment_stuck']);
  });

  it('is cleared when its cause is gone, and opens and is logged again when the cause returns', async () => {
    const { alerts, logged } = alertsOn(await open());
    await alerts.raise(STUCK);
    await alerts.clear('payment_contradicted', STUCK.subject);
    expect(await alerts.listOpen()).toHaveLength(1);
    await alerts.clear(STUCK.kind, STUCK.subject);
    expect(await alerts.listOpen()).toEqual([]);
    await alerts.raise(STUCK);
    expect(await alerts.listOpen()).toHaveLength(1);
    expect(logged).toHaveLength(2);
  });

  it('opens with the posting that contains it, and not if the posting is rejected', async () => {
    const database = await open();
    const { alerts, clock, logged } = alertsOn(database);
    const ledger = createLedger(database, clock);
    const missed = { statement: { name: 'test_none', sqlite: 'DELETE FROM lease', postgres: 'DELETE FROM lease' }, parameters: [] };
    const refused = ledger.post({ rows: [...alerts.rowsOf(STUCK), { ...missed, onMiss: new Error('missed') }] });
    await expect(refused).rejects.toThrow('missed');
    expect(await alerts.listOpen()).toEqual([]);
    for (let i = 0; i < 3; i++) await ledger.post({ rows: alerts.rowsOf(STUCK) });
    await alerts.announce();
    await alerts.announce();
    expect(await alerts.listOpen()).toMatchObject([STUCK]);
    expect(logged).toEqual(['alert: payment_stuck']);
  });

  it('is listed in pages', async () => {
    const { alerts } = alertsOn(await open());
    for (const subject of ['a', 'b', 'c']) await alerts.raise({ ...STUCK, subject });
    const first = await alerts.listOpen('', 2);
    const second = await alerts.listOpen(first[1]?.id, 2);
    expect([...first, ...second].map(({ subject }) => subject)).toEqual(['a', 'b', 'c']);
  });
});
