import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { endRetentionPeriod, type Retained, SLICE } from '../../src/core/db/retention.ts';
import { statement } from '../../src/core/db/statement.ts';
import { createIdempotency, type Refused } from '../../src/core/idempotency/idempotency.ts';
import { onBothDatabases } from '../support/ledger.ts';

const insert = statement(
  'test_retention_insert',
  `INSERT INTO idempotency_outcome (name, fingerprint, made, created_at) VALUES ($1, '', '', 0)`,
);
const list = statement<{ name: string }>('test_retention_list', 'SELECT name FROM idempotency_outcome ORDER BY position');
const RETAINED: Retained = { table: 'idempotency_outcome', periods: 3 };

onBothDatabases('retention', (open, dialect) => {
  const add = (database: Database, name: string) => database.transaction((tx) => tx.run(insert, name));
  const names = async (database: Database) => (await database.all(list)).map(({ name }) => name);

  it('keeps each row for its number of full periods', async () => {
    const database = await open();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await add(database, name);
      await endRetentionPeriod(database, RETAINED);
    }
    // Three periods after b was the newest row, a is deleted. b was the newest of its period, so it stays.
    expect(await names(database)).toEqual(['b', 'c', 'd', 'e']);
  });

  it('deletes no new row after every older one was deleted', async () => {
    const database = await open();
    await add(database, 'a');
    await add(database, 'b');
    for (let i = 0; i < 10; i++) await endRetentionPeriod(database, RETAINED);
    expect(await names(database)).toEqual(['b']);
    await add(database, 'c');
    for (let i = 0; i < 3; i++) await endRetentionPeriod(database, RETAINED);
    expect(await names(database)).toEqual(['b', 'c']);
  });

  it('deletes many rows in transactions of a bounded size', async () => {
    const database = await open();
    const many = Array.from({ length: 2 * SLICE + 10 }, (_, index) => `row ${index}`);
    await database.transaction(async (tx) => {
      for (const name of many) await tx.run(insert, name);
    });
    for (let i = 0; i < RETAINED.periods; i++) await endRetentionPeriod(database, RETAINED);
    const deleted: number[] = [];
    const counting: Database = {
      ...database,
      transaction: (work) =>
        database.transaction((tx) =>
          work({
            ...tx,
            async run(write, ...parameters) {
              const changes = await tx.run(write, ...parameters);
              if (write.sqlite.startsWith('DELETE FROM idempotency_outcome ')) deleted.push(changes);
              return changes;
            },
          }),
        ),
    };
    await endRetentionPeriod(counting, RETAINED);
    expect(await names(database)).toEqual(many.slice(-1));
    expect(deleted.reduce((sum, n) => sum + n, 0)).toBe(many.length - 1);
    expect(Math.max(...deleted)).toBeLessThanOrEqual(SLICE);
  });

  it('W5: keeps an idempotent outcome for two days of periods, whatever the clock shows', async () => {
    const database = await open();
    let nowMs = 1_700_000_000_000;
    const idempotency = createIdempotency(database, { nowMs: () => nowMs });
    const request = (key: string) => ({ scope: 'key_1 POST /v1/wallet', key, body: {} });
    await idempotency.store(request('a'), 'made_a');
    nowMs += 30 * 86_400_000;
    await idempotency.store(request('b'), 'made_b');
    await idempotency.endRetentionPeriod();
    for (let quarter = 1; quarter < 2 * 24 * 4; quarter++) await idempotency.endRetentionPeriod();
    expect(await idempotency.find(request('a'))).toMatchObject({ made: 'made_a' });
    await idempotency.endRetentionPeriod();
    expect(await idempotency.find(request('a'))).toBeUndefined();
    expect(await idempotency.find(request('b'))).toMatchObject({ made: 'made_b' });
  });

  it('keeps the outcome of a request that was refused first for as long', async () => {
    const database = await open();
    const idempotency = createIdempotency(database, { nowMs: () => 0 });
    const request = { scope: 'key_1 POST /v1/wallet', key: 'a', body: {} };
    const endPeriods = async (days: number) => {
      for (let quarter = 0; quarter < days * 24 * 4; quarter++) await idempotency.endRetentionPeriod();
    };
    await idempotency.refuse(request);
    for (const key of ['b', 'c']) await idempotency.store({ ...request, key }, `made_${key}`);
    await endPeriods(1.5);
    const refused = (await idempotency.find(request)) as Refused;
    await idempotency.store({ ...request, refused }, 'made_a');
    await idempotency.store({ ...request, key: 'd' }, 'made_d');
    await endPeriods(1.5);
    expect(await idempotency.find({ ...request, key: 'b' })).toBeUndefined();
    expect(await idempotency.find(request)).toMatchObject({ made: 'made_a' });
  });

  if (dialect === 'sqlite') return;

  it('ends a period once when two instances end it at the same moment', async () => {
    const database = await open();
    for (let period = 0; period < 5; period++)
      await Promise.allSettled([endRetentionPeriod(database, RETAINED), endRetentionPeriod(database, RETAINED)]);
    const periods = statement<{ n: number; newest: number }>(
      'test_retention_periods',
      'SELECT count(*) AS n, max(period) AS newest FROM retention_period',
    );
    const found = await database.first(periods);
    expect(found?.newest).toBeGreaterThanOrEqual(5);
    expect(found?.n).toBeLessThanOrEqual(3);
  });
});
