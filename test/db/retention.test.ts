import { expect, it } from 'vitest';
import type { Database } from '../../src/db/database.ts';
import { endRound, type Retained } from '../../src/db/retention.ts';
import { statement } from '../../src/db/statement.ts';
import { createIdempotency } from '../../src/idempotency/idempotency.ts';
import { onBothDatabases } from '../support/databases.ts';

const insert = statement(
  'test_retention_insert',
  `INSERT INTO idempotency_outcome (name, fingerprint, made, created_at) VALUES ($1, '', '', 0)`,
);
const list = statement<{ name: string }>('test_retention_list', 'SELECT name FROM idempotency_outcome ORDER BY position');
const RETAINED: Retained = {
  name: 'test',
  rounds: 3,
  newestPosition: statement('test_retention_newest', 'SELECT max(position) AS position FROM idempotency_outcome'),
  deleteBelow: statement('test_retention_delete', 'DELETE FROM idempotency_outcome WHERE position < $1'),
};

onBothDatabases('retention', (open, dialect) => {
  const add = (database: Database, name: string) => database.transaction((tx) => tx.run(insert, name));
  const names = async (database: Database) => (await database.all(list)).map(({ name }) => name);

  it('keeps each row for its number of full rounds', async () => {
    const database = await open();
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await add(database, name);
      await endRound(database, RETAINED);
    }
    // Three rounds after b was the newest, a goes; b is the newest of its round and stays with it.
    expect(await names(database)).toEqual(['b', 'c', 'd', 'e']);
  });

  it('deletes no new row after every older one was deleted', async () => {
    const database = await open();
    await add(database, 'a');
    await add(database, 'b');
    for (let i = 0; i < 10; i++) await endRound(database, RETAINED);
    expect(await names(database)).toEqual(['b']);
    await add(database, 'c');
    for (let i = 0; i < 3; i++) await endRound(database, RETAINED);
    expect(await names(database)).toEqual(['b', 'c']);
  });

  it('keeps an idempotent outcome for two days of rounds, whatever the clock shows', async () => {
    const database = await open();
    let nowMs = 1_700_000_000_000;
    const idempotency = createIdempotency(database, { nowMs: () => nowMs });
    const request = (key: string) => ({ scope: 'key_1 POST /v1/wallet', key, body: {} });
    await idempotency.remember(request('a'), 'made_a');
    nowMs += 30 * 86_400_000;
    await idempotency.remember(request('b'), 'made_b');
    await idempotency.endRound();
    for (let quarter = 1; quarter < 2 * 24 * 4; quarter++) await idempotency.endRound();
    expect(await idempotency.find(request('a'))).toMatchObject({ made: 'made_a' });
    await idempotency.endRound();
    expect(await idempotency.find(request('a'))).toBeUndefined();
    expect(await idempotency.find(request('b'))).toMatchObject({ made: 'made_b' });
  });

  if (dialect === 'sqlite') return;

  it('ends a round once when two instances end it at the same moment', async () => {
    const database = await open();
    for (let round = 0; round < 5; round++) await Promise.allSettled([endRound(database, RETAINED), endRound(database, RETAINED)]);
    const rounds = statement<{ n: number; newest: number }>(
      'test_retention_rounds',
      'SELECT count(*) AS n, max(round) AS newest FROM retention_round',
    );
    const found = await database.first(rounds);
    expect(found?.newest).toBeGreaterThanOrEqual(5);
    expect(found?.n).toBeLessThanOrEqual(3);
  });
});
