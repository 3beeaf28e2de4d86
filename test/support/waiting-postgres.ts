import pg from 'pg';
import { vi } from 'vitest';
import { startPostgres } from './global-postgres.ts';

/** The ways to end the wait of a COMMIT for its standby. */
export const SQL_CUTS = ['pg_cancel_backend', 'pg_terminate_backend'] as const;
export const CUTS = [...SQL_CUTS, 'kill -9'] as const;
export type Cut = (typeof CUTS)[number];

const WAITING = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;

/** A PostgreSQL server whose commits wait for a standby, as long as a test wants. */
export type WaitingPostgres = Awaited<ReturnType<typeof startWaitingPostgres>>;

/** Starts a server of the test's own: the setting concerns all its databases, and the end of a process restarts all of it. */
export async function startWaitingPostgres() {
  const server = await startPostgres();
  return { ...server, ...controlOf(server.url) };
}

/** Controls the waits of a server by SQL. */
export function controlOf(url: string) {
  async function run(sql: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }
  /** The commits that wait until the setting has changed end, too. ALTER SYSTEM itself commits nothing. */
  async function waitFor(standbys: string): Promise<void> {
    await run(`ALTER SYSTEM SET synchronous_standby_names = '${standbys}'`);
    await run('SELECT pg_reload_conf()');
    const isSet = async () => (await run('SHOW synchronous_standby_names'))[0]?.synchronous_standby_names === standbys;
    await vi.waitUntil(isSet, { timeout: 60_000, interval: 10 });
  }
  const waiting = async () => (await run(WAITING)).map(({ pid }) => Number(pid));
  return {
    run,
    waitFor,
    /** From now on no COMMIT ends. */
    stall: () => waitFor('nobody'),
    /** Ends all waits, as a standby that has caught up. */
    release: () => waitFor(''),
    /** Resolves when a COMMIT waits. */
    async untilWaiting(): Promise<void> {
      await vi.waitUntil(async () => (await waiting().catch(() => [])).length > 0, { timeout: 60_000, interval: 10 });
    },
    /** Ends the wait of every COMMIT. After `kill -9` the server restarts. */
    async cut(how: Cut): Promise<void> {
      if (how !== 'kill -9') return void (await run(`SELECT ${how}(pid) FROM (${WAITING}) AS waiting`));
      for (const pid of (await waiting()).slice(0, 1)) process.kill(pid, 'SIGKILL');
      const started = async () => (await run('SELECT 1').catch(() => [])).length === 1;
      await vi.waitUntil(started, { timeout: 60_000, interval: 20 });
    },
  };
}
