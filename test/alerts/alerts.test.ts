import { expect, it } from 'vitest';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import { type AlertState, createAlerts, describeKind } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import { type Statement, statement } from '../../src/core/db/statement.ts';
import { createLedger } from '../../src/core/ledger/ledger.ts';
import { onBothDatabases } from '../support/ledger.ts';

const eventRows: Statement<{ type: string; data: string }> = statement(
  'test_alert_events',
  `SELECT type, data FROM event WHERE type LIKE 'alert%' ORDER BY position`,
);
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
    expect(listed[0]).toMatchObject({ ...STUCK, message: 'pending for 3 h', raised_at: 1000, last_seen_at: 1060 });
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

  it('is listed in pages of its state, newest first', async () => {
    const { alerts } = alertsOn(await open());
    for (const subject of ['a', 'b', 'c']) await alerts.raise({ ...STUCK, subject });
    await alerts.clear(STUCK.kind, 'b');
    const list = async (state: AlertState, limit: number, isSecond = false) => {
      const of = alerts.list(state);
      const after = isSecond ? (await of.readPage({ limit, order: 'desc' })).next : undefined;
      const { items } = await of.readPage({ limit, order: 'desc', after });
      return [await of.count(10), ...items.map(({ subject }) => subject)];
    };
    expect([await list('all', 2), await list('all', 2, true)]).toEqual([
      [3, 'c', 'b'],
      [3, 'a'],
    ]);
    expect([await list('open', 1, true), await list('resolved', 2)]).toEqual([
      [2, 'a'],
      [1, 'b'],
    ]);
    expect((await alerts.listOpen()).map(({ subject }) => subject)).toEqual(['a', 'c']);
  });

  it('is closed once by an operator, with who closed it and why, and opens again while its cause persists', async () => {
    const database = await open();
    const { alerts, clock } = alertsOn(database);
    await alerts.raise(STUCK);
    const [{ id } = { id: '' }] = await alerts.listOpen();
    clock.seconds = 1100;
    const close = (of: string) => database.transaction((tx) => alerts.closeIn(tx, of, 'bob@desk', 'checked'));
    expect([await close(id), await close(id), await close('alert_0')]).toEqual([true, false, false]);
    expect(await alerts.find(id)).toMatchObject({ ...STUCK, cleared_at: 1100, closed_by: 'bob@desk', close_reason: 'checked' });
    await alerts.raise(STUCK);
    const [again] = await alerts.listOpen();
    expect([again?.id === id, again?.closed_by, again?.raised_at]).toEqual([false, null, 1100]);
    expect(await alerts.find('alert_0')).toBeUndefined();
  });

  it('has an event when it opens and one when it closes, both with the same fields', async () => {
    const database = await open();
    const { alerts, clock } = alertsOn(database);
    await createAccounts(database, clock).bootstrap(newKeyText('secret_api'), async () => undefined);
    await alerts.raise({ ...STUCK, details: { amount_msat: 2000 } });
    await alerts.clear(STUCK.kind, 'another subject');
    clock.seconds = 1200;
    await alerts.clear(STUCK.kind, STUCK.subject);
    const [opened] = (await alerts.list('all').readPage({ limit: 1, order: 'desc' })).items;
    const alert = { id: opened?.id, ...STUCK, details: { amount_msat: 2000 }, raised_at: 1000 };
    expect((await database.all(eventRows)).map(({ type, data }) => [type, JSON.parse(data)])).toEqual([
      ['alert_raised', { alert }],
      ['alert_resolved', { alert: { ...alert, resolved_at: 1200 } }],
    ]);
  });

  it('is counted by kind, and all subjects of a kind are read', async () => {
    const { alerts } = alertsOn(await open());
    for (let i = 0; i < 101; i++) await alerts.raise({ ...STUCK, subject: `lntx_${String(i).padStart(3, '0')}` });
    await alerts.raise({ kind: 'node_silent', subject: 'lnd_1', message: 'no response' });
    await alerts.clear(STUCK.kind, 'lntx_050');
    expect((await alerts.countOpen()).map(({ kind, n }) => [kind, Number(n)])).toEqual([
      ['node_silent', 1],
      ['payment_stuck', 100],
    ]);
    const subjects = await alerts.openSubjects('payment_stuck');
    expect([subjects.length, subjects[0], subjects.at(-1), subjects.includes('lntx_050')]).toEqual([100, 'lntx_000', 'lntx_100', false]);
    expect(await alerts.openSubjects('node_restored')).toEqual([]);
  });
});

it('describes alerts of this version, and refers to the documentation for those of a newer one', () => {
  expect(describeKind('suspense_not_empty')).toEqual({
    meaning: 'Money arrived for no wallet.',
    remedy: expect.stringContaining('Assign it'),
  });
  expect(describeKind('of_a_newer_version')).toEqual({ meaning: '', remedy: expect.stringContaining('docs/monitoring.md') });
});
