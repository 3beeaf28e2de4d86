import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { reconcilePeriodically } from '../../src/features/reconcile/reconcile.ts';
import { findReconciliation, lastReport, listReconciliations, requestReconciliation } from '../../src/features/reconcile/requests.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { type Books, booksOn, FAILED } from './books.ts';

const HOUR = 3600;
const states = statement<{ state: string; n: number }>('test_states', 'SELECT state, count(*) AS n FROM reconciliation GROUP BY state');

/** Reconciles repeatedly while `work` runs. */
async function whileReconciling(books: Books, work: () => Promise<void>): Promise<void> {
  const life = new AbortController();
  const keeping = reconcilePeriodically(books.deps, HOUR, life.signal);
  try {
    await work();
  } finally {
    life.abort();
    await keeping;
  }
}

function requestFull(database: Database): Promise<string> {
  return database.transaction((tx) => requestReconciliation(tx, 'full', 1, { requestedBy: 'bob@desk', reason: 'a test' }));
}

async function stateOf(database: Database, id: string): Promise<string | undefined> {
  return (await findReconciliation(database, id))?.status;
}

async function newest(database: Database) {
  return (await listReconciliations(database).readPage({ limit: 1, order: 'desc' })).items[0];
}

onBothDatabases('reconciliation on demand', (open) => {
  it('runs at the start, and for each request in the database', async () => {
    const database = await open();
    const books = await booksOn(database);
    await whileReconciling(books, async () => {
      await expect.poll(() => newest(database)).toMatchObject({ scope: 'periodic', status: 'done' });
      const id = await requestFull(database);
      await expect.poll(() => stateOf(database, id)).toBe('done');
      expect(await newest(database)).toMatchObject({ id, scope: 'full', nodes: [{ balance_status: 'measured' }] });
      expect((await lastReport(database))?.nodes).toEqual((await newest(database))?.nodes);
    });
  });

  it('leaves a request open while no service runs', async () => {
    const database = await open();
    const id = await requestFull(database);
    expect(await stateOf(database, id)).toBe('queued');
    expect(await findReconciliation(database, 'rec_0')).toBeUndefined();
  });

  it('repeats the unfinished requests of a process that died', async () => {
    const database = await open();
    const books = await booksOn(database);
    const id = await requestFull(database);
    await database.transaction((tx) => tx.run(statement('test_died', `UPDATE reconciliation SET state = 'running'`)));
    await whileReconciling(books, async () => {
      await expect.poll(() => stateOf(database, id)).toBe('done');
    });
  });

  it('reports its own failure to the requester, and runs the next request', async () => {
    const database = await open();
    const books = await booksOn(database);
    let isBroken = true;
    const alerts = {
      ...books.alerts,
      openSubjects: async (kind: Parameters<typeof books.alerts.openSubjects>[0]) => {
        if (isBroken) throw new Error('the disk is full');
        return books.alerts.openSubjects(kind);
      },
    };
    await whileReconciling({ ...books, deps: { ...books.deps, alerts } }, async () => {
      const id = await requestFull(database);
      await expect.poll(() => findReconciliation(database, id)).toMatchObject({ status: 'failed', progress: 'the disk is full' });
      isBroken = false;
      const next = await requestFull(database);
      await expect.poll(() => stateOf(database, next)).toBe('done');
    });
  });

  it('stops without waiting for a silent node, and the next service repeats the request', async () => {
    const database = await open();
    const books = await booksOn(database);
    books.responses.localMsat = 'silent';
    const id = await requestFull(database);
    const patient = {
      ...books,
      deps: { ...books.deps, timing: { answerMs: 1_000_000_000, atOnce: 1, patience: 1, againMs: 1, arrivalMs: 1 } },
    };
    await whileReconciling(patient, async () => {
      await expect.poll(() => books.responses.calls).toBe(1);
    });
    expect(await stateOf(database, id)).toBe('running');
    books.responses.localMsat = 0;
    await whileReconciling(books, async () => {
      await expect.poll(() => stateOf(database, id)).toBe('done');
    });
  });

  it('stores the last ten periodic reports', async () => {
    const database = await open();
    const books = await booksOn(database);
    await books.end(await books.pay(await books.wallet(10_000), 1000), FAILED);
    let last = '';
    for (let i = 0; i < 13; i++) last = (await books.reconcile()).id;
    expect(await database.all(states)).toEqual([{ state: 'done', n: 10 }]);
    expect((await newest(database))?.id).toBe(last);
  });
});
