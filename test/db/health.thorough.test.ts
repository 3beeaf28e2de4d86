import { expect, it } from 'vitest';
import { CommitUnknown, isOutage, StatementFailed } from '../../src/core/db/errors.ts';
import { watchHealth } from '../../src/core/db/health.ts';
import { statement } from '../../src/core/db/statement.ts';
import { collectLog } from '../devnet/playground/support/open.ts';
import { onBothDatabases } from '../support/ledger.ts';

const put = statement('test_health_put', 'INSERT INTO service_fact (name, value) VALUES ($1, $2)');

onBothDatabases('the health of the database', (open) => {
  it('is logged once when an outage begins and once when it ends, however many writes fail', async () => {
    const real = await open();
    let isFull = false;
    const log = collectLog();
    const { database, health } = watchHealth(
      {
        ...real,
        transaction: (work) => (isFull ? Promise.reject(new StatementFailed('database or disk is full', '13')) : real.transaction(work)),
      },
      log,
    );
    for (let outage = 0; outage < 2; outage++) {
      isFull = true;
      const writes = Array.from({ length: 50 }, () => database.transaction((tx) => tx.run(put, 'never', 'x')));
      const outcomes = await Promise.allSettled(writes);
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
      expect(health.isWritable()).toBe(false);
      isFull = false;
      await expect.poll(() => health.isWritable()).toBe(true);
    }
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual(
      Array.from({ length: 2 }, () => [
        'error: the database cannot be used: requests that need it are answered with 503',
        'warn: the database works again',
      ]).flat(),
    );
    health.close();
  });

  it('is not affected by a posting that is rejected', async () => {
    const { database, health } = watchHealth(await open(), collectLog());
    await database.transaction((tx) => tx.run(put, 'a', '1'));
    await expect(database.transaction((tx) => tx.run(put, 'a', '2'))).rejects.toThrow(/unique/i);
    expect(health.isWritable()).toBe(true);
  });
});

it.each(['13', '10', '778', '5', '8', '14', '57P01', '08006', '53100', '25006', '25P03', 'connection', 'ECONNRESET', 'EPIPE'])(
  'an error with the code %s is an outage',
  (code) => {
    expect(isOutage(new StatementFailed('x', code))).toBe(true);
  },
);

it.each(['2067', '275', '11', '23505', '23514', '22001', '42P01', '40001', 'parameters', 'ERR_INVALID_STATE'])(
  'an error with the code %s is no outage',
  (code) => {
    expect(isOutage(new StatementFailed('x', code))).toBe(false);
  },
);

it('a commit whose outcome is unknown is an outage, and may have written something', () => {
  const { health } = watchHealth({ transaction: () => Promise.reject(new Error('closed')) } as never, collectLog());
  expect(health.note(new CommitUnknown())).toBe('outcome unknown');
  expect(health.note(new StatementFailed('x', '13'))).toBe('nothing written');
  expect(health.note(new Error('x'))).toBeUndefined();
  health.close();
});
