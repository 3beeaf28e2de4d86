import type pg from 'pg';
import type { Log } from '../kernel/log.ts';

/** Settings of a server that decide whether a commit can get lost. */
export interface ServerSettings {
  readonly fsync: string;
  readonly fullPageWrites: string;
  readonly synchronousCommit: string;
  readonly synchronousStandbyNames: string;
  /** The number of attached standbys, and of base backups unless the role may read the state of connections. */
  readonly standbys: number;
}

/**
 * What keeps a confirmed commit when the server is lost: `server`, its files and synchronous standbys; `managed`, storage below PostgreSQL that
 * the operator's provider replicates.
 */
export type Durability = 'server' | 'managed';

/** The name of Neon's replication to a quorum of safekeepers, which have a commit before it is confirmed. Its compute runs without fsync. */
const SAFEKEEPERS = /^walproposer$/;

/** Returns whether storage below PostgreSQL keeps confirmed commits, so that neither the files of the server nor its standbys need to. */
export function hasDurableStorage({ synchronousStandbyNames }: Pick<ServerSettings, 'synchronousStandbyNames'>, durability: Durability) {
  return durability === 'managed' || SAFEKEEPERS.test(synchronousStandbyNames);
}

/** `started` tells servers apart. */
type ServerRow = ServerSettings & { readonly started: string; readonly isStandby: number; readonly readOnly: string };

const READ_SERVER = `SELECT pg_is_in_recovery() AS "isStandby", pg_postmaster_start_time()::text AS started,
    current_setting('transaction_read_only') AS "readOnly",
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS "fullPageWrites",
    current_setting('synchronous_commit') AS "synchronousCommit",
    current_setting('synchronous_standby_names') AS "synchronousStandbyNames",
    (SELECT count(*) FROM pg_stat_replication r WHERE coalesce(r.state, 'streaming') = 'streaming'
      AND NOT EXISTS (SELECT FROM pg_replication_slots s WHERE s.active_pid = r.pid AND s.slot_type = 'logical')) AS standbys`;

/** A server may freeze between the opening of a connection and its check. */
export const CHECK_LIMIT_MS = 2_000;

/** A server that rejects writes can be reached for a moment during a failover. Its reads may be old. */
class NotPrimary extends Error {
  override readonly name = 'NotPrimary';
  /** read_only_sql_transaction */
  readonly code = '25006';
}

/**
 * Returns a function that checks a new connection: rejects a server that accepts no writes, and logs settings with which confirmed commits can
 * get lost, once per server. The function returns the time at which the server started. After a failover, connections to the promoted server
 * are new.
 */
export function serverCheck(log: Log | undefined, durability: Durability): (client: pg.ClientBase) => Promise<string> {
  let reported = '';
  return async (client) => {
    const limited: pg.QueryConfig & { query_timeout: number } = { text: READ_SERVER, query_timeout: CHECK_LIMIT_MS };
    const [server] = (await client.query<ServerRow>(limited)).rows;
    if (!server || server.isStandby) throw new NotPrimary('the server is a standby of PostgreSQL. DATABASE_URL must point to the primary');
    if (server.readOnly === 'on')
      throw new NotPrimary('the server accepts no writes (transaction_read_only is on). DATABASE_URL must point to the primary');
    const risks = risksOf(server, durability);
    const report = `${server.started} ${risks.join()}`;
    if (log !== undefined && report !== reported) for (const risk of risks) log.warn({ server: server.started }, `MONEY AT RISK: ${risk}`);
    reported = report;
    return server.started;
  };
}

/** Returns what is wrong with the settings of a server, and the remedy. */
export function risksOf(server: ServerSettings, durability: Durability = 'server'): string[] {
  const { fsync, fullPageWrites, synchronousCommit, synchronousStandbyNames, standbys } = server;
  const isStorageDurable = hasDurableStorage(server, durability);
  const ofFiles = isStorageDurable ? {} : { fsync, full_page_writes: fullPageWrites };
  const off = Object.entries({ ...ofFiles, synchronous_commit: synchronousCommit })
    .filter(([, value]) => value === 'off')
    .map(([name]) => name);
  const risks: string[] = [];
  if (off.length > 0) risks.push(`PostgreSQL runs with ${off.join(' and ')} off, so a crash can undo confirmed payments. Turn them on.`);
  if (synchronousStandbyNames === '' && standbys > 0 && !isStorageDurable)
    risks.push(
      'PostgreSQL has a standby, and synchronous_standby_names is empty, so a failover can undo confirmed payments. Name the standby there, ' +
        'or set DATABASE_DURABILITY=managed if your provider replicates below PostgreSQL.',
    );
  if (synchronousStandbyNames !== '' && ['local', 'remote_write'].includes(synchronousCommit))
    risks.push(`synchronous_commit is ${synchronousCommit}, so a failover can undo confirmed payments. Set it to on.`);
  return risks;
}
