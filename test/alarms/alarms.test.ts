import { expect, it } from 'vitest';
import { createAlarms } from '../../src/alarms/alarms.ts';
import type { Database } from '../../src/db/database.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { onBothDatabases } from '../support/databases.ts';

const STUCK = { kind: 'payment_stuck', subject: 'lntx_1', message: 'pending for 2 h' } as const;

/** Alarms with a clock that a test moves and a log that it reads. */
function alarmsOn(database: Database) {
  const clock = { seconds: 1000, nowMs: () => clock.seconds * 1000 };
  const logged: string[] = [];
  const log = { info() {}, warn() {}, error: (_fields: object, message: string) => void logged.push(message) };
  return { alarms: createAlarms(database, clock, log), clock, logged };
}

onBothDatabases('an alarm', (open) => {
  it('opens once and is logged once, however often and from wherever it is raised', async () => {
    const { alarms, clock, logged } = alarmsOn(await open());
    await Promise.all(Array.from({ length: 20 }, () => alarms.raise(STUCK)));
    clock.seconds = 1060;
    await alarms.raise({ ...STUCK, message: 'pending for 3 h' });
    const listed = await alarms.listOpen();
    expect(listed).toHaveLength(1);
    expect(listed[0]).toMatchObject({ ...STUCK, message: 'pending for 3 h', raisedAt: 1000, lastSeenAt: 1060 });
    expect(logged).toEqual(['alarm: payment_stuck']);
  });

  it('is cleared when its cause is gone, and opens and speaks again when it comes back', async () => {
    const { alarms, logged } = alarmsOn(await open());
    await alarms.raise(STUCK);
    await alarms.clear('payment_contradicted', STUCK.subject);
    expect(await alarms.listOpen()).toHaveLength(1);
    await alarms.clear(STUCK.kind, STUCK.subject);
    expect(await alarms.listOpen()).toEqual([]);
    await alarms.raise(STUCK);
    expect(await alarms.listOpen()).toHaveLength(1);
    expect(logged).toHaveLength(2);
  });

  it('is a row of a posting: it opens with it, and not at all when the posting is refused', async () => {
    const database = await open();
    const { alarms, clock, logged } = alarmsOn(database);
    const ledger = createLedger(database, clock);
    const missed = { statement: { name: 'test_none', sqlite: 'DELETE FROM lease', postgres: 'DELETE FROM lease' }, parameters: [] };
    const refused = ledger.post({ rows: [alarms.rowOf(STUCK), { ...missed, otherwise: new Error('missed') }] });
    await expect(refused).rejects.toThrow('missed');
    expect(await alarms.listOpen()).toEqual([]);
    for (let i = 0; i < 3; i++) await ledger.post({ rows: [alarms.rowOf(STUCK)] });
    await alarms.announce();
    await alarms.announce();
    expect(await alarms.listOpen()).toMatchObject([STUCK]);
    expect(logged).toEqual(['alarm: payment_stuck']);
  });

  it('they are listed a page at a time', async () => {
    const { alarms } = alarmsOn(await open());
    for (const subject of ['a', 'b', 'c']) await alarms.raise({ ...STUCK, subject });
    const first = await alarms.listOpen('', 2);
    const second = await alarms.listOpen(first[1]?.id, 2);
    expect([...first, ...second].map(({ subject }) => subject)).toEqual(['a', 'b', 'c']);
  });
});
