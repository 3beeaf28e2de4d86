import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { underLease } from '../../src/core/db/leases.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { startChild } from '../devnet/playground/support/shared.ts';
import { freshUrls, MIGRATIONS, onBothDatabases, silentLog } from '../support/ledger.ts';

const TIMING = { renewMs: 50, staleMs: 400 };
/** A busy machine may delay a heartbeat by seconds. */
const ROBUST = { renewMs: 50, staleMs: 3000 };
/** Long enough that a slow holder does not count as dead. */
const PATIENT = { renewMs: 50, staleMs: 3_600_000 };

/** An instance that takes the lease when it can, and works until its signal aborts. */
function instance(database: Database, name: string, timing = TIMING) {
  const life = new AbortController();
  const state = { working: 0, began: 0 };
  const work = async (signal: AbortSignal) => {
    state.working += 1;
    state.began += 1;
    if (!signal.aborted) await once(signal, 'abort');
    state.working -= 1;
  };
  const done = underLease({ database, log: silentLog }, name, life.signal, work, timing);
  const end = () => {
    life.abort();
    return done;
  };
  return { state, end };
}

onBothDatabases('a lease', (open, dialect) => {
  it('runs the work until its signal aborts', async () => {
    const one = instance(await open(), 'job');
    await expect.poll(() => one.state.working).toBe(1);
    await one.end();
    expect(one.state.working).toBe(0);
  });

  if (dialect === 'sqlite') return;

  it('lets one instance work at a time; another takes over at once when it stops', async () => {
    const database = await open();
    const [one, two] = [instance(database, 'job', PATIENT), instance(database, 'job', PATIENT)];
    await expect.poll(() => one.state.working + two.state.working).toBe(1);
    const [holder, other] = one.state.working === 1 ? [one, two] : [two, one];
    await holder.end();
    await expect.poll(() => other.state.working).toBe(1);
    expect(holder.state.began).toBe(1);
    await other.end();
  });

  it('is taken from a holder that does not renew it', async () => {
    const database = await open();
    await database.transaction((tx) =>
      tx.run(statement('test_dead', `INSERT INTO lease (name, holder, heartbeat) VALUES ('job', 'dead', 7)`)),
    );
    const one = instance(database, 'job');
    await expect.poll(() => one.state.working).toBe(1);
    await one.end();
  });

  const urls = freshUrls(dialect);

  it('is taken from a holder that is paused, which stops its work when it is resumed', async () => {
    const url = await urls();
    const database = await openDatabase(url, { log: silentLog });
    await migrate(database, MIGRATIONS);
    const paused = startChild('test/db/lease-holder.ts', [url, 'job', JSON.stringify(ROBUST)]);
    await paused.line(/^works$/);
    const other = instance(database, 'job', ROBUST);
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
