import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import type { Database } from '../../core/db/database.ts';
import { MIGRATIONS, readPending } from '../../core/db/migrate.ts';
import { sqlitePathOf } from '../../core/db/open.ts';
import { type Durability, hasDurableStorage, risksOf, type ServerSettings } from '../../core/db/postgres-server.ts';
import { statement } from '../../core/db/statement.ts';
import { counted } from '../../core/kernel/counted.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { readQuarantine } from '../../core/quarantine/quarantine.ts';
import { checkFileSystem } from '../../features/operator/checks/files.ts';
import { type Finding, fail, ok, warn } from '../../features/operator/checks/finding.ts';
import { withDatabase } from '../database.ts';
import type { ReportedTime } from './clock.ts';

const none = 'SELECT 1 AS none WHERE 1 = 0';

const readJournal = statement<{ mode: string }>('doctor_journal', {
  sqlite: 'SELECT journal_mode AS mode FROM pragma_journal_mode',
  postgres: none,
});
const quickCheck = statement<{ result: string }>('doctor_quick_check', {
  sqlite: 'SELECT quick_check AS result FROM pragma_quick_check LIMIT 5',
  postgres: none,
});

/** An interface has no index signature, which rows need. */
type PostgresRow = Pick<ServerSettings, keyof ServerSettings> & {
  readonly version: number;
  readonly now_ms: number;
  readonly encoding: string;
  readonly collate: string;
  readonly max_connections: number;
  readonly connections: number;
  readonly synchronous: number;
  /** Standbys whose state the role may not read. */
  readonly hidden: number;
};

const readPostgres = statement<PostgresRow>('doctor_postgres', {
  sqlite: none,
  postgres: `SELECT current_setting('server_version_num')::bigint AS version, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now_ms,
      current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
      current_setting('synchronous_commit') AS "synchronousCommit",
      current_setting('synchronous_standby_names') AS "synchronousStandbyNames",
      (SELECT count(*) FROM pg_stat_replication) AS standbys,
      (SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')) AS synchronous,
      (SELECT count(*) FROM pg_stat_replication WHERE sync_state IS NULL) AS hidden,
      pg_encoding_to_char(encoding) AS encoding, datcollate AS collate,
      current_setting('max_connections')::bigint AS max_connections, (SELECT count(*) FROM pg_stat_activity) AS connections
    FROM pg_database WHERE datname = current_database()`,
});

/** What SQLite reports of a file that is none of its own, or whose pages contradict each other (SQLITE_NOTADB, SQLITE_CORRUPT). */
const DAMAGED = /file is not a database|database disk image is malformed/;
const RESTORE = 'Stop the service, keep a copy of DATA_DIR, and restore a backup: `satchel restore`.';

/** Checks the database with a connection that only reads. The service may run. */
export async function checkDatabase({ databaseUrl, databaseDurability }: Config): Promise<{ findings: Finding[]; times: ReportedTime[] }> {
  try {
    return await withDatabase({ readOnly: true, hasAnySchema: true }, async (database) => {
      const schema = await checkSchema(database);
      const restore = schema.status === 'ok' ? await checkRestore(database) : [];
      if (database.dialect === 'sqlite') {
        const folder = dirname(sqlitePathOf(databaseUrl) ?? '');
        return { findings: [schema, ...restore, ...(await checkSqlite(database)), ...checkFileSystem(folder)], times: [] };
      }
      const row = await database.first(readPostgres);
      if (!row) return { findings: [schema, ...restore], times: [] };
      return {
        findings: [schema, ...restore, ...judgePostgres(row, databaseDurability)],
        times: [{ source: 'the database', theirMs: row.now_ms, ourMs: Date.now() }],
      };
    });
  } catch (error) {
    const reason = withoutPeriod(errorMessage(error));
    const remedy = DAMAGED.test(reason)
      ? RESTORE
      : 'Correct DATABASE_URL or DATA_DIR, start the database server, or start the service for the first time.';
    return { findings: [fail('database', `it cannot be read: ${reason}`, remedy)], times: [] };
  }
}

async function checkSchema(database: Database): Promise<Finding> {
  try {
    const { names } = await readPending(database, MIGRATIONS);
    if (names.length === 0) return ok('database', 'its schema is that of this version');
    const text = `its schema is of an older version: ${counted(names.length, 'migration')} to do`;
    return fail('database', text, 'Run `satchel backup`, then `satchel migrate`, or start the service, which migrates.');
  } catch (error) {
    if (DAMAGED.test(errorMessage(error))) throw error;
    const remedy = 'This version cannot upgrade it. Run the version of Satchel that last used it, or a newer one.';
    return fail('database', withoutPeriod(errorMessage(error)), remedy);
  }
}

/** The alert says the same, but reading it needs a running service and a key, which the restored machine may lack. */
async function checkRestore(database: Database): Promise<Finding[]> {
  if (!(await readQuarantine(database))) return [];
  return [fail('database', 'it was restored, and no money is sent', 'Run `satchel restore status`, then `satchel restore accept`.')];
}

async function checkSqlite(database: Database): Promise<Finding[]> {
  const mode = (await database.first(readJournal))?.mode ?? '';
  const damaged = (await database.all(quickCheck)).map(({ result }) => result).filter((result) => result !== 'ok');
  return [
    mode === 'wal'
      ? ok('database', 'SQLite, journal mode wal')
      : warn('database', `journal mode ${mode}`, 'Start the service once: it sets wal.'),
    damaged.length === 0
      ? ok('database', 'the quick check of SQLite found no damage')
      : fail('database', `the file is damaged: ${damaged[0]}`, RESTORE),
  ];
}

/** The pool of one instance. */
const POOL = 20;
/** The oldest version on which tests run. */
const OLDEST = 150_000;

export function judgePostgres(row: PostgresRow, durability: Durability): Finding[] {
  const version = `PostgreSQL ${Math.floor(row.version / 10_000)}`;
  const free = row.max_connections - row.connections;
  const risks = risksOf(row, durability).map((risk) =>
    fail('database', withoutPeriod(risk), 'Change it in postgresql.conf, and reload the server.'),
  );
  return [
    row.version < OLDEST
      ? fail('database', version, 'Upgrade to PostgreSQL 15 or later: Satchel is tested on 15 and 18.')
      : ok('database', version),
    ...(risks.length > 0 ? risks : [ok('database', 'fsync, full_page_writes and synchronous_commit keep every commit')]),
    judgeStandbys(row, durability),
    row.encoding === 'UTF8'
      ? ok('database', `encoding UTF8, locale ${row.collate}`)
      : fail('database', `encoding ${row.encoding}`, 'Create a database with ENCODING UTF8, and move the data there.'),
    free >= POOL
      ? ok('database', `${row.connections} of ${row.max_connections} connections are used`)
      : warn(
          'database',
          `${row.connections} of ${row.max_connections} connections are used`,
          `Raise max_connections: an instance uses up to ${POOL}.`,
        ),
  ];
}

function judgeStandbys(row: PostgresRow, durability: Durability): Finding {
  const { synchronousStandbyNames, standbys, synchronous, hidden } = row;
  if (hasDurableStorage(row, durability)) return ok('database', 'storage below PostgreSQL keeps every commit; standbys are not counted');
  if (synchronousStandbyNames === '')
    return standbys > 0
      ? warn('database', 'replication is asynchronous: a failover loses the last commits', 'Set synchronous_standby_names.')
      : warn(
          'database',
          'no standby: losing this server loses the ledger since the last backup',
          'Add a synchronous standby, or accept it.',
        );
  if (hidden > 0) return warn('database', 'the role may not read the state of standbys', 'Grant it pg_monitor.');
  const needed = neededStandbys(synchronousStandbyNames);
  if (synchronous >= needed) return ok('database', `synchronous standbys connected: ${synchronous}`);
  const text =
    synchronous === 0 ? 'no synchronous standby is connected' : `only ${synchronous} of ${needed} synchronous standbys are connected`;
  return fail('database', `${text}, so commits wait`, 'Bring the standby back. Do not cancel sessions that wait.');
}

/** Returns for how many standbys a commit waits: the number in `FIRST 2 (a, b)`, `ANY 2 (a, b)` or `2 (a, b)`, otherwise one. */
function neededStandbys(names: string): number {
  return Number(/^\s*(?:(?:FIRST|ANY)\s+)?(\d+)\s*\(/i.exec(names)?.[1] ?? 1);
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}
