import { expect, it } from 'vitest';
import type { Dialect } from '../../src/core/db/database.ts';
import { Instances } from '../../src/core/db/instances.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { beginQuarantine, readQuarantine } from '../../src/core/quarantine/quarantine.ts';
import type { MoveProgress, MoveStep } from '../../src/features/move/fill-target.ts';
import { moveDatabase, nameOf } from '../../src/features/move/move.ts';
import { verify } from '../../src/features/verify/verify.ts';
import { freshUrls, MIGRATIONS, migratedUrls, onBothDatabases, silentLog } from '../support/ledger.ts';
import { hashesOf, move, opened } from './contents.ts';

const other = (dialect: Dialect): Dialect => (dialect === 'sqlite' ? 'postgres' : 'sqlite');

/** What the start of the service does with a database. */
async function start(url: string): Promise<void> {
  const database = await openDatabase(url, { log: silentLog });
  await migrate(database, MIGRATIONS).finally(() => database.close());
}

const change = (url: string, sql: string) =>
  opened(url, (database) => database.transaction((tx) => tx.run(statement(`test_${sql.replace(/\W+/g, '_').slice(0, 50)}`, sql))), false);

const schemaOf = (url: string) =>
  opened(url, (database) =>
    database.all(
      statement('test_schema', {
        sqlite: 'SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql',
        postgres: `SELECT pg_get_constraintdef(oid) AS sql FROM pg_constraint WHERE connamespace = 'public'::regnamespace
          UNION ALL SELECT pg_get_indexdef(indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'public'::regnamespace
          UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal ORDER BY sql`,
      }),
    ),
  );

/** Moves, and fails at the first progress of a step. */
async function interrupted(from: string, to: string, at: MoveStep): Promise<void> {
  const progress: MoveProgress = (step) => {
    if (step === at) throw new Error('interrupted');
  };
  await expect(moveDatabase({ from, to, clock: systemClock, log: silentLog, progress })).rejects.toThrow('interrupted');
}

onBothDatabases('a move', (_open, dialect) => {
  const [sources, fresh, migratedTargets] = [migratedUrls(dialect), freshUrls(other(dialect)), migratedUrls(other(dialect))];

  it('leaves a source that does not start, can be verified and cannot be moved again, and a target with the whole schema', async () => {
    const [from, to] = [await sources(), await fresh()];
    await move(from, to);
    await expect(start(from)).rejects.toThrow(`This database was moved to ${nameOf(to)} at `);
    await start(to);
    expect(await schemaOf(to)).toEqual(await schemaOf(await migratedTargets()));
    expect((await opened(from, verify)).problems).toEqual([]);
    await expect(move(from, await fresh())).rejects.toThrow('This database was moved to');
    await expect(move(from, to)).rejects.toThrow('already');
  });

  it.each<MoveStep>(['Copying', 'Building indexes', 'Comparing', 'Checking the ledger'])(
    'that is interrupted (%s) leaves the source usable and the target not, and continues when it is repeated',
    async (at) => {
      const [from, to] = [await sources(), await fresh()];
      await interrupted(from, to, at);
      await start(from);
      await expect(start(to)).rejects.toThrow('This database is the target of a satchel move that has not ended.');
      // The service ran in between, and changed a row without a new position.
      await change(from, 'UPDATE account SET max_wallets = max_wallets + 7');
      await change(from, "INSERT INTO pay_metadata (hash, text) VALUES ('00', 'new')");
      const before = await hashesOf(from);
      await move(from, to);
      expect(await hashesOf(to)).toEqual(before);
      await start(to);
      await expect(start(from)).rejects.toThrow('was moved');
    },
  );

  it('that is interrupted between source and target leaves none that starts, and the repeated command ends it', async () => {
    const [from, to] = [await sources(), await fresh()];
    await move(from, to);
    const { value } = (await opened(from, (database) =>
      database.first(statement('test_fact', "SELECT value FROM service_fact WHERE name = 'moved_to'")),
    )) as { value: string };
    const { moveId } = JSON.parse(value);
    const fact = JSON.stringify({ moveId, command: 'satchel move', origin: '', sourceState: '', state: 'ready', pending: [] });
    await change(to, `INSERT INTO service_fact (name, value) VALUES ('move_target', '${fact}')`);
    await expect(start(from)).rejects.toThrow('repeat the command satchel move');
    await expect(start(to)).rejects.toThrow('Repeat that command');
    await move(from, to);
    await start(to);
  });

  it('refuses a target that is not empty, and does not change it', async () => {
    const [from, to] = [await sources(), await migratedTargets()];
    const before = [await hashesOf(to), await schemaOf(to)];
    await expect(move(from, to)).rejects.toThrow('The new database is not empty');
    expect([await hashesOf(to), await schemaOf(to)]).toEqual(before);
    await start(to);
    await start(from);
  });

  it('refuses the unfinished target of another ledger', async () => {
    const [from, stranger, to] = [await sources(), await sources(), await fresh()];
    await change(stranger, "UPDATE lightning_node SET id = 'lnd_stranger'");
    await interrupted(stranger, to, 'Comparing');
    await expect(move(from, to)).rejects.toThrow('target of another satchel move');
    await move(stranger, to);
  });

  it('refuses a source with the schema of a newer version', async () => {
    const from = await sources();
    await change(from, "INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES (999, '0999-x.sql', 'x', 0)");
    await expect(move(from, await fresh())).rejects.toThrow('newer version of Satchel');
  });

  it('refuses a source on which a service runs', async () => {
    const [from, to] = [await sources(), await fresh()];
    const database = await openDatabase(from, { log: silentLog });
    const instances = new Instances({ database, clock: systemClock, log: silentLog, timing: { heartbeatMs: 50, staleReads: 6 } });
    await instances.start();
    await expect(move(from, to)).rejects.toThrow(
      dialect === 'sqlite' ? 'Another Satchel is using' : 'A service is running on the database',
    );
    await instances.stop();
    await database.close();
    await move(from, to);
  });

  it('keeps a restored source in quarantine', async () => {
    const [from, to] = [await sources(), await fresh()];
    const restored = { backupCreatedAt: 5, restoredAt: 6 };
    await opened(from, (database) => database.transaction((tx) => beginQuarantine(tx, restored)), false);
    await move(from, to);
    expect(await opened(to, readQuarantine)).toMatchObject(restored);
  });

  it('refuses to copy between two databases of one kind', async () => {
    await expect(move(await sources(), await sources())).rejects.toThrow('A move is from SQLite to PostgreSQL or back');
  });

  it.runIf(dialect === 'postgres')('lets PostgreSQL reject writes of an instance that was paused during the move', async () => {
    const from = await sources();
    const paused = await openDatabase(from, { log: silentLog });
    await move(from, await fresh());
    const write = statement('test_late', 'UPDATE ledger_account SET held_msat = 0');
    await expect(paused.transaction((tx) => tx.run(write))).rejects.toThrow('this database was moved');
    await paused.close();
  });
});
