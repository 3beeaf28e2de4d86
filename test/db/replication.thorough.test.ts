import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { CommitUnknown } from '../../src/core/db/errors.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { countWaiting } from '../../src/core/db/postgres-replication.ts';
import { statement } from '../../src/core/db/statement.ts';
import { createIdempotency } from '../../src/core/idempotency/idempotency.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { amount, ledgerWith, MIGRATIONS, problemsOfLedger, silentLog } from '../support/ledger.ts';
import { type Cut, SQL_CUTS, startWaitingPostgres, type WaitingPostgres } from '../support/waiting-postgres.ts';

const put = statement('test_put', 'INSERT INTO service_fact (name, value) VALUES ($1, $2)');
const get = statement<{ value: string }>('test_get', 'SELECT value FROM service_fact WHERE name = $1');
const change = statement('test_change', 'UPDATE service_fact SET value = $2 WHERE name = $1');

/** A server whose commits wait for a standby that does not exist. What it shows after the wait was cut short may be lost in a failover. */
describe('a PostgreSQL server without the standby that its commits need', () => {
  let server: WaitingPostgres;
  let database: Database;

  beforeAll(async () => {
    server = await startWaitingPostgres();
    // The service must not depend on this setting.
    await server.run('ALTER DATABASE postgres SET client_min_messages = error');
    database = await openDatabase(server.url, { log: silentLog });
    await migrate(database, MIGRATIONS);
  });
  afterEach(() => server.release());
  afterAll(async () => {
    await database.close();
    await server.stop();
  });

  /** Ends the wait of a running commit. @returns how the task ended, or that it waits for another commit */
  async function afterCut(task: Promise<unknown>, how: Cut): Promise<unknown> {
    const ended = task.then(
      () => 'acknowledged',
      (error: unknown) => error,
    );
    await server.untilWaiting();
    await server.cut(how);
    return Promise.race([ended, server.untilWaiting().then(() => 'waits')]);
  }

  it.each(SQL_CUTS)('B7: acknowledges no posting whose wait was ended by %s before the standby has it', async (how) => {
    const { ledger, accounts } = await ledgerWith(database, [1000, 0]);
    const [from = 0, to = 0] = accounts;
    await server.stall();
    const posting = ledger.post({ transfers: [{ id: newId(), from, to, amountMsat: amount(600) }] });
    expect(await afterCut(posting, how)).toBe('waits');
    expect((await ledger.balance(to)).balanceMsat).toBe(600);
    // The same holds for the transaction that reads the outcome of the batch.
    expect(await afterCut(posting, how)).toBe('waits');
    await server.release();
    await posting;
    expect((await ledger.balance(to)).balanceMsat).toBe(600);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it.each(SQL_CUTS)('fails any other transaction whose wait was ended by %s as unknown', async (how) => {
    await server.stall();
    const writing = database.transaction((tx) => tx.run(put, how, '1'));
    expect(await afterCut(writing, how)).toBeInstanceOf(CommitUnknown);
    expect(await database.first(get, how)).toEqual({ value: '1' });
    // A repetition finds that nothing is left to do, and must not report this as done.
    const again = database.transaction(async (tx) => (await tx.first(get, how)) ?? tx.run(put, how, '1'));
    expect(await afterCut(again, how)).toBeInstanceOf(CommitUnknown);
    const changing = database.transaction((tx) => tx.run(change, 'missing', '2'));
    expect(await afterCut(changing, how)).toBeInstanceOf(CommitUnknown);
  });

  it('B7: replays no outcome of a request whose commit the standby does not have', async () => {
    const idempotency = createIdempotency(database, systemClock);
    const request = { scope: 'x', key: newId(), body: null };
    await server.stall();
    expect(await afterCut(idempotency.store(request, 'lntx_1'), 'pg_cancel_backend')).toBeInstanceOf(CommitUnknown);
    expect(await afterCut(idempotency.find(request), 'pg_terminate_backend')).toBeInstanceOf(CommitUnknown);
    const replay = idempotency.find(request);
    await server.untilWaiting();
    await server.release();
    expect(await replay).toMatchObject({ made: 'lntx_1' });
  });

  it('is not taken for stalled because of commits that have waited for a moment only', async () => {
    const waitingFor = async (seconds: number) => (await database.first(countWaiting, seconds))?.n;
    await server.stall();
    const writing = database.transaction((tx) => tx.run(put, 'moment', '1'));
    await server.untilWaiting();
    expect(await waitingFor(3600)).toBe(0);
    expect(await waitingFor(0)).toBe(1);
    await server.release();
    await writing;
    expect(await waitingFor(0)).toBe(0);
  });

  it('reads what is committed while commits wait', async () => {
    await database.transaction((tx) => tx.run(put, 'read', '1'));
    await server.stall();
    const writing = database.transaction((tx) => tx.run(change, 'read', '2'));
    await server.untilWaiting();
    expect(await database.first(get, 'read')).toEqual({ value: '1' });
    expect(await database.snapshot((tx) => tx.first(get, 'read'))).toEqual({ value: '1' });
    await server.release();
    await writing;
    expect(await database.first(get, 'read')).toEqual({ value: '2' });
  });

  it('rejects what has not begun once commits take too long, and works again when the standby is back', async () => {
    const impatient = await openDatabase(server.url, { log: silentLog, stalledMs: 200 });
    const { ledger, accounts } = await ledgerWith(impatient, [1000, 0]);
    const [from = 0, to = 0] = accounts;
    const transfer = () => ledger.post({ transfers: [{ id: newId(), from, to, amountMsat: amount(1) }] });
    await server.stall();
    const begun = transfer();
    await server.untilWaiting();
    // The account is locked, so the second batch waits for the first, and the others for both.
    const waiting = Array.from({ length: 300 }, transfer).map((posting) => posting.catch((error: unknown) => error));
    const writes = Array.from({ length: 30 }, (_, i) =>
      impatient.transaction((tx) => tx.run(put, `many ${i}`, '1')).catch(() => 'rejected'),
    );
    await expect.poll(() => impatient.isStalled()).toBe(true);
    expect(await Promise.any(writes)).toBe('rejected');
    expect(await waiting.at(-1)).toMatchObject({ code: 'stalled' });
    await expect(transfer()).rejects.toMatchObject({ code: 'stalled' });
    await expect(impatient.transaction((tx) => tx.run(put, 'late', '1'))).rejects.toMatchObject({ code: 'stalled' });
    expect((await ledger.balance(to)).balanceMsat).toBe(0);
    await server.release();
    await begun;
    await expect.poll(() => impatient.isStalled()).toBe(false);
    await transfer();
    const booked = (await Promise.all(waiting)).filter((outcome) => !(outcome instanceof Error)).length;
    expect((await ledger.balance(to)).balanceMsat).toBe(2 + booked);
    expect(await problemsOfLedger(impatient)).toEqual([]);
    await impatient.close();
  });
});
