import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { beginAfterLoss, endQuarantine, readQuarantine } from '../../src/core/quarantine/quarantine.ts';
import { onBothDatabases } from '../support/ledger.ts';

const lose = (database: Database, backupCreatedAt: number, restoredAt: number) =>
  database.transaction((tx) => beginAfterLoss(tx, { backupCreatedAt, restoredAt }));

onBothDatabases('the quarantine after a loss of commits', (open) => {
  it('goes back as far as the loss that goes back furthest', async () => {
    const database = await open();
    for (const [lostSince, foundAt, kept] of [
      [2_000, 2_100, { backupCreatedAt: 2_000, restoredAt: 2_100 }],
      [1_000, 2_200, { backupCreatedAt: 1_000, restoredAt: 2_200 }],
      [1_000, 2_300, { backupCreatedAt: 1_000, restoredAt: 2_200 }],
      [1_500, 2_400, { backupCreatedAt: 1_000, restoredAt: 2_200 }],
      [999, 2_500, { backupCreatedAt: 999, restoredAt: 2_500 }],
    ] as const) {
      await lose(database, lostSince, foundAt);
      expect(await readQuarantine(database), `a loss since ${lostSince}`).toMatchObject(kept);
    }
  });

  it('begins again with a loss after it was ended', async () => {
    const database = await open();
    await lose(database, 1_000, 1_100);
    expect(await endQuarantine(database, 'a test', systemClock)).toBe(true);
    await lose(database, 2_000, 2_100);
    expect(await readQuarantine(database)).toMatchObject({ backupCreatedAt: 2_000 });
  });
});
