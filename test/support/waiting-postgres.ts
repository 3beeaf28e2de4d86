import pg from 'pg';
import { vi } from 'vitest';
import { startPostgres } from './global-postgres.ts';

/** The ways to end the wait of a COMMIT for its standby. */
export const SQL_CUTS = ['pg_cancel_backend', 'pg_terminate_backend'] as const;
export const CUTS = [...SQL_CUTS, 'kill -9'] as const;
export type Cut = (typeof CUTS)[number];

const WAITING = `SELECT pid, query_start::text FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;

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
    await vi.waitUntil(isSet, { timeout: 150_000, interval: 10 });
  }
  const waiting = async () => (await run(WAITING)).map(({ pid }) => Number(pid));
  /** The checkpointer applies the setting later than sessions show it. Only a COMMIT that waits proves that it is in force. */
  async function untilCommitsWait(): Promise<void> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const [{ pid } = {}] = (await client.query('SELECT pg_backend_pid() AS pid')).rows;
      for (let isWaiting = false; !isWaiting; ) {
        let hasEnded = false;
        const writing = client.query(`SELECT pg_logical_emit_message(true, 'probe', '')`).finally(() => {
          hasEnded = true;
        });
        const waitsOrEnded = async () => {
          isWaiting = (await waiting()).includes(pid);
          return isWaiting || hasEnded;
        };
        await vi.waitUntil(waitsOrEnded, { timeout: 150_000, interval: 10 });
        if (isWaiting) await run(`SELECT pg_cancel_backend(${pid})`);
        await writing;
      }
    } finally {
      await client.end();
    }
  }
  return {
    run,
    waitFor,
    /** From now on no COMMIT ends. */
    async stall(): Promise<void> {
      await waitFor('missing_standby');
      await untilCommitsWait();
    },
    /** Ends all waits, as a standby that has caught up. */
    release: () => waitFor(''),
    /** Resolves when a COMMIT waits. */
    async untilWaiting(): Promise<void> {
      await vi.waitUntil(async () => (await waiting().catch(() => [])).length > 0, { timeout: 150_000, interval: 10 });
    },
    /** Ends the wait of every COMMIT. After `kill -9` the server restarts. */
    async cut(how: Cut): Promise<void> {
      if (how !== 'kill -9') {
        const cut = await run(`SELECT pid, query_start, ${how}(pid) FROM (${WAITING}) AS waiting`);
        // The signal arrives later.
        const isCut = ({ pid, query_start }: Record<string, unknown>) =>
          cut.some((one) => one.pid === pid && one.query_start === query_start);
        return vi.waitUntil(async () => !(await run(WAITING)).some(isCut), { timeout: 150_000, interval: 10 }).then(() => undefined);
      }
      for (const pid of (await waiting()).slice(0, 1)) process.kill(pid, 'SIGKILL');
      const started = async () => (await run('SELECT 1').catch(() => [])).length === 1;
      await vi.waitUntil(started, { timeout: 150_000, interval: 20 });
    },
  };
}
