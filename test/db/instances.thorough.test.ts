import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { Instances } from '../../src/core/db/instances.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { startChild } from '../devnet/playground/support/shared.ts';
import { freshUrls, MIGRATIONS, onBothDatabases, silentLog } from '../support/ledger.ts';

const TIMING = { heartbeatMs: 50, staleReads: 10 };
/** A busy machine may delay a heartbeat by seconds. */
const ROBUST = { heartbeatMs: 200, staleReads: 15 };
/** No instance counts as dead. */
const PATIENT = { heartbeatMs: 50, staleReads: 1_000_000 };

const insertDead = statement(
  'test_dead',
  `INSERT INTO instance (id, host, pid, started_at, seen_at, heartbeat) VALUES ('ins_0', 'h', 1, 1, 1, 7)`,
);
const insertLease = statement('test_lease', 'INSERT INTO lease (name, instance_id) VALUES ($1, $2)');
const markDead = statement('test_mark_dead', 'UPDATE instance SET ended_at = $2 WHERE id = $1');
const freeAll = statement('test_free_all', 'UPDATE lease SET instance_id = NULL');

/** Starts an instance that takes the lease `job` when it can, and works until the signal of its work aborts. */
async function startInstance(database: Database, timing = TIMING) {
  const life = new AbortController();
  const state = { working: 0, began: 0 };
  const instances = new Instances({ database, clock: systemClock, log: silentLog, timing });
  await instances.start();
  const done = instances.underLease('job', life.signal, async (signal) => {
    state.working += 1;
    state.began += 1;
    if (!signal.aborted) await once(signal, 'abort');
    state.working -= 1;
  });
  const endWork = () => {
    life.abort();
    return done;
  };
  const end = async () => {
    await endWork();
    await instances.stop();
  };
  return { instances, state, endWork, end };
}

onBothDatabases('an instance', (open, dialect) => {
  it('works under a lease until its signal aborts', async () => {
    const one = await startInstance(await open());
    await expect.poll(() => one.state.working).toBe(1);
    await one.end();
    expect(one.state.working).toBe(0);
  });

  it('lists itself', async () => {
    const { instances, end } = await startInstance(await open());
    const listed = (await instances.list()).instances;
    expect(listed).toEqual([expect.objectContaining({ id: instances.id, pid: process.pid })]);
    await end();
  });

  it('is not dead, and another one that is not registered is', async () => {
    const { instances, end } = await startInstance(await open());
    expect(await instances.isDead(instances.id)).toBe(false);
    expect(await instances.isDead('ins_0')).toBe(true);
    await end();
  });

  if (dialect === 'sqlite') return;

  it('works alone; another one takes over at once when its work ends', async () => {
    const database = await open();
    const [one, two] = [await startInstance(database, PATIENT), await startInstance(database, PATIENT)];
    await expect.poll(() => one.state.working + two.state.working).toBe(1);
    const [holder, other] = one.state.working === 1 ? [one, two] : [two, one];
    const { instances, leases } = await other.instances.list();
    expect(instances.map(({ id }) => id)).toEqual([one.instances.id, two.instances.id]);
    expect(leases).toEqual([{ name: 'job', instance_id: holder.instances.id }]);
    await holder.endWork();
    await expect.poll(() => other.state.working).toBe(1);
    expect(holder.state.began).toBe(1);
    expect(await other.instances.isDead(holder.instances.id)).toBe(false);
    await holder.end();
    expect(await other.instances.isDead(holder.instances.id)).toBe(true);
    await other.end();
    expect((await other.instances.list()).leases).toEqual([{ name: 'job', instance_id: null }]);
  });

  it('takes the lease of one that sends no heartbeat, and lists that one for an hour', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      await tx.run(insertDead);
      await tx.run(insertLease, 'job', 'ins_0');
    });
    const one = await startInstance(database);
    expect(await one.instances.isDead('ins_0')).toBe(false);
    await expect.poll(() => one.state.working).toBe(1);
    expect(await one.instances.isDead('ins_0')).toBe(true);
    expect((await one.instances.list()).instances.map(({ id }) => id)).toEqual(['ins_0', one.instances.id]);
    await database.transaction((tx) => tx.run(markDead, 'ins_0', Math.floor(Date.now() / 1000) - 3601));
    expect((await one.instances.list()).instances.map(({ id }) => id)).toEqual([one.instances.id]);
    await one.end();
  });

  it('stops its work when it was taken for dead, and registers again', async () => {
    const database = await open();
    const one = await startInstance(database, PATIENT);
    await expect.poll(() => one.state.working).toBe(1);
    const two = await startInstance(database, PATIENT);
    await database.transaction(async (tx) => {
      await tx.run(markDead, one.instances.id, 1);
      await tx.run(freeAll);
      await tx.run(statement('test_take', `UPDATE lease SET instance_id = $1`), two.instances.id);
    });
    await expect.poll(() => two.state.working).toBe(1);
    await expect.poll(() => one.state.working).toBe(0);
    await expect.poll(() => two.instances.isDead(one.instances.id)).toBe(false);
    expect(two.state).toEqual({ working: 1, began: 1 });
    await Promise.all([one.end(), two.end()]);
  });

  it('takes a lease again if it never learned that it took it', async () => {
    const database = await open();
    const instances = new Instances({ database, clock: systemClock, log: silentLog, timing: PATIENT });
    await instances.start();
    await database.transaction((tx) => tx.run(insertLease, 'job', instances.id));
    const life = new AbortController();
    await instances.underLease('job', life.signal, async () => life.abort());
    expect((await instances.list()).leases).toEqual([{ name: 'job', instance_id: null }]);
    await instances.stop();
  });

  it('is not taken for dead because the database was away', async () => {
    const real = await open();
    const outage = { isOn: false };
    const database: Database = {
      ...real,
      transaction: (work) => (outage.isOn ? Promise.reject(new Error('the database is away')) : real.transaction(work)),
    };
    const all = await Promise.all([startInstance(database, ROBUST), startInstance(database, ROBUST)]);
    await expect.poll(() => all.some(({ state }) => state.working === 1)).toBe(true);
    outage.isOn = true;
    // An instance that cannot report stops its work before others may take it over.
    await expect.poll(() => all.some(({ state }) => state.working === 1)).toBe(false);
    await delay(ROBUST.heartbeatMs * ROBUST.staleReads);
    outage.isOn = false;
    await expect.poll(() => all.some(({ state }) => state.working === 1)).toBe(true);
    const began = all.map(({ state }) => state.began);
    expect(began.sort(), 'the holder continues').toEqual([0, 2]);
    await Promise.all(all.map(({ end }) => end()));
  });

  const urls = freshUrls(dialect);

  it('that was paused stops its work when it is resumed, because another one has taken over', async () => {
    const url = await urls();
    const database = await openDatabase(url, { log: silentLog });
    await migrate(database, MIGRATIONS);
    const paused = startChild('test/db/lease-holder.ts', [url, 'job', JSON.stringify(ROBUST)]);
    await paused.line(/^works$/);
    const other = await startInstance(database, ROBUST);
    paused.process.kill('SIGSTOP');
    await expect.poll(() => other.state.working).toBe(1);
    paused.process.kill('SIGCONT');
    await paused.line(/^stops$/);
    expect(other.state).toEqual({ working: 1, began: 1 });
    await other.end();
    await paused.end('SIGKILL');
    await database.close();
  });
});
