import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { sweepWindow, windowStart } from '../../src/features/reconcile/compare.ts';
import type { ReconciliationRun } from '../../src/features/reconcile/run.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { ids } from './books.ts';

/** Sweeps a list of ids and returns the visited ones. `unansweredAt` is the visit from which the node no longer answers. */
async function sweepOnce(database: Database, all: readonly string[], { scope = 'periodic', unansweredAt = Number.POSITIVE_INFINITY } = {}) {
  const visited: string[] = [];
  const probe = { stopReason: undefined as string | undefined };
  let visits = 0;
  const run = { database, nodeId: 'lnd_test', scope, startedAt: Math.floor(Date.now() / 1000), probe } as unknown as ReconciliationRun;
  const readPage = async (after: string, limit: number) => {
    const page = all.filter((id) => id > after).slice(0, limit);
    return page.map((id) => ({ id }));
  };
  await sweepWindow(run, 'test_sweep', readPage, async (rows) => {
    if (++visits === unansweredAt) probe.stopReason = 'no answer';
    else visited.push(...rows.map(({ id }) => id));
  });
  return visited;
}

onBothDatabases('the window of repeated comparisons', (open) => {
  it('is visited in limited steps: 1,200 rows in three steps of 500, past the end to the start', async () => {
    const database = await open();
    const all = ids(1200);
    const rounds = [await sweepOnce(database, all), await sweepOnce(database, all), await sweepOnce(database, all)];
    expect(rounds.map(({ length }) => length)).toEqual([500, 500, 500]);
    expect(rounds.flat().slice(0, 1200)).toEqual(all);
    expect(rounds.flat().slice(1200)).toEqual(all.slice(0, 300));
  });

  it('is visited at most once per run, from any start', async () => {
    const database = await open();
    const all = ids(620);
    await sweepOnce(database, all);
    const few = all.slice(300);
    expect((await sweepOnce(database, few)).toSorted()).toEqual(few);
  });

  it('is visited completely by a full run, and nothing older', async () => {
    const database = await open();
    const all = ids(730);
    await sweepOnce(database, all);
    const old = `${windowStart({ startedAt: 1_700_000_000 })}x`;
    expect(await sweepOnce(database, [old, ...all], { scope: 'full' })).toEqual(all);
    expect(await sweepOnce(database, [])).toEqual([]);
  });

  it('is continued at the page where the node stopped answering', async () => {
    const database = await open();
    const all = ids(450);
    expect(await sweepOnce(database, all, { unansweredAt: 3 })).toEqual(all.slice(0, 200));
    expect((await sweepOnce(database, all)).slice(0, 250)).toEqual(all.slice(200));
  });
});
