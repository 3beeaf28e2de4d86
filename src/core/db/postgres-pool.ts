import type { Duplex } from 'node:stream';
import pg from 'pg';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { SqlReader } from './database.ts';
import { queries } from './postgres-queries.ts';
import { recordWarnings } from './postgres-replication.ts';
import { CHECK_LIMIT_MS, type Durability, serverCheck } from './postgres-server.ts';
import { Servers } from './postgres-servers.ts';
import { isPooled, requireOwnSession } from './postgres-sessions.ts';

/**
 * How long a connection may take to open. A frozen server accepts connections and never responds, so the pool would wait for it although new
 * connections reach its successor.
 */
const CONNECT_MS = 3_000;
/** The same for a connection that looks for another primary. */
const SEARCH_MS = 2_000;
export const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * How long a transaction may be idle before the server ends it and releases its locks. An instance that is paused between locking accounts
 * and COMMIT blocks the others for that long. When it resumes, it treats its batch as after a lost connection.
 */
const IDLE_IN_TRANSACTION_MS = 4_000;

/**
 * Every statement of the service finds its rows through an index. A plan made while a table was small would read the whole table, as long as
 * the connection keeps the prepared statement: 2.7 instead of 30 thousand transfers a second. Read-only tools are not restricted.
 */
const PINNED_PLANS = ['enable_seqscan = off', 'enable_hashjoin = off', 'enable_mergejoin = off', 'jit = off'];

/** A commit that a standby may not have is recognized by its warning, which a role or database could suppress. */
const WARNINGS = 'client_min_messages = warning';

const LIMITS = [`statement_timeout = ${STATEMENT_TIMEOUT_MS}`, `idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`];

const BOOL = 16;
const INT8 = 20;
/** The type of a sum of bigints. */
const NUMERIC = 1700;

export interface PoolOptions {
  readonly size: number;
  /** How long an operation waits for a connection before it fails. */
  readonly waitMs: number;
  readonly log: Log;
  /** A tool that only reads may read a standby. */
  readonly readOnly: boolean;
  /** Whether risky settings of the server are logged. */
  readonly reportsRisks: boolean;
  readonly durability: Durability;
}

/** Opens a pool of connections to the primary, wherever the URL leads to at the time. */
export async function openPool(url: string, { size, waitMs, log, readOnly, reportsRisks, durability }: PoolOptions) {
  const settings = readOnly ? [...LIMITS, 'default_transaction_read_only = on'] : [...LIMITS, WARNINGS, ...PINNED_PLANS];
  // PgBouncer rejects them as parameters of a new connection.
  const applySettings = settings.map((setting) => `SET ${setting}`).join('; ');
  const connection: pg.PoolConfig = {
    connectionString: url,
    // A server that no longer responds does not enforce its own timeout.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    keepAlive: true,
    // Node repeats it each second, ten times: idle connections to a machine that is gone end before its successor is promoted.
    keepAliveInitialDelayMillis: 5_000,
    application_name: 'satchel',
    types: { getTypeParser: typeParser as never },
  };
  const check = serverCheck(reportsRisks ? log : undefined, durability);
  let checkOther: (server: SqlReader) => Promise<void> = async () => undefined;
  let checked = '';
  const reach = async (client: pg.Client) => {
    const since = performance.now();
    const server = await check(client);
    // First, because it ends the connections to the old server: no commit of that server is confirmed during the check.
    if (!servers.add(client, { server, since })) throw new Error('the server is no longer the primary');
    if (server === checked) return;
    await checkOther(queries(client));
    checked = server;
  };
  const servers = new Servers({
    connect: () => connectOnce({ ...connection, connectionTimeoutMillis: SEARCH_MS }, reach),
    onChange: (started) => log.warn({ server: started }, 'the database is another server now: connections to the old one are closed'),
  });
  const pool = new pg.Pool({
    ...connection,
    max: size,
    connectionTimeoutMillis: waitMs,
    idleTimeoutMillis: 60_000,
    // Statements that are sent before earlier results have arrived share their round trip.
    pipeline: true,
    Client: PoolClient,
    async onConnect(client) {
      const limited = { text: applySettings, query_timeout: CHECK_LIMIT_MS };
      await Promise.all([client.query(limited), readOnly ? undefined : reach(client as pg.Client)]);
    },
  });
  pool.on('connect', (client) => {
    writeTogether(client.connection.stream);
    recordWarnings(client);
  });
  // An idle connection that breaks is replaced by the next use; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: errorMessage(error) }, 'an idle database connection was lost'));
  if (!readOnly) servers.watch(pool);
  const close = async () => {
    servers.close();
    await pool.end();
  };
  try {
    const first = await pool.connect();
    try {
      if (await isPooled(first))
        await connectOnce({ ...connection, connectionTimeoutMillis: CONNECT_MS }, (second) => requireOwnSession(first, second));
    } finally {
      first.release();
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    pool,
    /** As in {@link import('./database.ts').Database}. */
    onOtherServer(added: typeof checkOther) {
      checkOther = added;
    },
    close,
  };
}

/** A connection of the pool, whose time limit for opening is shorter than the pool's for waiting. */
class PoolClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: CONNECT_MS });
  }
}

/** Opens a connection outside of the pool, and closes it after its use. */
async function connectOnce(config: pg.ClientConfig, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(config);
  client.on('error', () => undefined);
  try {
    await client.connect();
    await use(client);
  } finally {
    client.connection.stream.destroy();
  }
}

/**
 * Sends the statements that are written one after another with one system call: `pg` makes one for each of them. They are sent before the next
 * input is handled, so that the server works meanwhile.
 */
function writeTogether(stream: Duplex): void {
  const write = stream.write;
  let isCorked = false;
  const writeCorked = (...message: Parameters<Duplex['write']>) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return write.apply(stream, message);
  };
  stream.write = writeCorked as Duplex['write'];
}

/** Returns the same values as SQLite: integers and their sums as numbers, booleans as 1 or 0. */
function typeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 || oid === NUMERIC) return safeInteger;
  if (oid === BOOL) return (text: string) => (text === 't' ? 1 : 0);
  return pg.types.getTypeParser(oid, format as 'text');
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError('the database holds a number that is not an integer within 2^53 − 1');
}
