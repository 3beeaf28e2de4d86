import { setTimeout as delay } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { type Config, makeDataDir } from './config.ts';
import type { Database } from './core/db/database.ts';
import { watchHealth } from './core/db/health.ts';
import { MIGRATIONS, migrate } from './core/db/migrate.ts';
import { openDatabase } from './core/db/open.ts';
import { unixSeconds } from './core/kernel/clock.ts';
import { errorMessage } from './core/kernel/log.ts';
import { beginAfterLoss } from './core/quarantine/quarantine.ts';
import type { StreamTiming } from './features/events/streams.ts';
import { requireNoUnfinishedImport } from './features/import/import.ts';
import type { Passwords } from './features/logins/passwords.ts';
import { judgeNodeVersion } from './features/operator/checks/node-version.ts';
import { backgroundJobs, type JobTiming, runJobs } from './jobs.ts';
import { createModules, type Modules } from './modules.ts';
import { type OpenedNode, openNode } from './open-node.ts';
import { createHttpServer, type HttpModules } from './routes.ts';

const QUARANTINE_AGAIN_MS = 1_000;

/** A running service, apart from the listening socket. */
export type Satchel = ReturnType<typeof run>;

/**
 * What tests replace: the functions that open the database and the node, to inject failures, the waits of background jobs and streams, and
 * the slow hash of passwords.
 */
export interface Overrides {
  readonly openDatabase: typeof openDatabase;
  readonly openNode: typeof openNode;
  readonly jobTiming?: JobTiming;
  readonly streamTiming?: Partial<StreamTiming>;
  readonly passwords?: Passwords;
}

/** Starts the service: opens the database and the node, creates the modules, the HTTP server and the background jobs. */
export async function startSatchel(config: Config, overrides: Overrides = { openDatabase, openNode }): Promise<Satchel> {
  const log = pino({ level: config.logLevel, base: null });
  warnOfOldNode(log);
  makeDataDir(config.dataDir);
  const { database, health } = watchHealth(
    await overrides.openDatabase(config.databaseUrl, { log, durability: config.databaseDurability }),
    log,
  );
  const opened: OpenedNode[] = [];
  try {
    await migrate(database, MIGRATIONS);
    await requireNoUnfinishedImport(database);
    for (const lightningUrl of config.lightningUrls) opened.push(await overrides.openNode({ ...config, lightningUrl, log }));
    const modules = await createModules({ ...overrides, config, log, database, opened });
    health.onBrokenReplication(() => void reportBrokenReplication(modules));
    await modules.instances.start();
    return run(config, { ...modules, health }, overrides);
  } catch (error) {
    health.close();
    await Promise.all(opened.map(({ node }) => node.close()));
    await database.close();
    throw error;
  }
}

/** Only a warning: an operator may be unable to replace the runtime of a package at once. */
function warnOfOldNode(log: Logger): void {
  const { status, text, remedy } = judgeNodeVersion();
  if (status !== 'ok') log.warn({ remedy }, text);
}

/** Called when writes work again: before, the alert could not be stored. The log already has the failure. */
async function reportBrokenReplication({ alerts, log }: Modules): Promise<void> {
  try {
    const message = 'the wait of a commit for the synchronous standby was cut short';
    await alerts.raise({ kind: 'replication_broken', subject: 'database', message });
  } catch (error) {
    log.warn({ reason: errorMessage(error) }, 'the alert replication_broken was not stored');
  }
}

/** The service must start again: it remembers what the database has lost. */
class DatabaseWentBack extends Error {
  override readonly name = 'DatabaseWentBack';
}

/**
 * Resolves when the database has lost commits that this service or another instance had confirmed, as after a failover to a server that had not
 * got them. The database is in quarantine then, and the next start reads back from the nodes what is missing.
 * @returns undefined when the service is closed before
 */
async function untilWentBack(
  { ledger, quarantine, clock, log }: Modules,
  open: () => Promise<Database>,
  signal: AbortSignal,
): Promise<Error | undefined> {
  const byOthers = quarantine.untilBegun(signal).then((hasBegun) => hasBegun && 'by another instance');
  const found = await Promise.race([ledger.forgotten.then(() => 'here' as const), byOthers]);
  if (!found) return undefined;
  const message = 'the database has lost commits that were confirmed. It is in quarantine: start again, then run `satchel restore status`';
  log.error({ found }, `MONEY AT RISK: ${message}`);
  while (found === 'here') {
    try {
      // The service's own connections are refused.
      const database = await open();
      await database
        .transaction(async (tx) => {
          // Meanwhile another server, which lacks nothing, may be the primary again.
          const since = await ledger.missingSince(tx);
          if (since !== undefined) await beginAfterLoss(tx, { backupCreatedAt: since, restoredAt: unixSeconds(clock) });
        })
        .finally(() => database.close());
      break;
    } catch (error) {
      log.error({ reason: errorMessage(error) }, 'the quarantine of the database could not be stored; trying again');
      await delay(QUARANTINE_AGAIN_MS);
    }
  }
  return new DatabaseWentBack(message);
}

/** Starts the background jobs and returns the running service. */
function run(config: Config, modules: HttpModules, { jobTiming = {}, streamTiming, openDatabase }: Overrides) {
  const { database, health, instances, connections, ledger, payments } = modules;
  const server = createHttpServer(config, modules, streamTiming);
  modules.ownLinks.answerWith((request) => server.inject(request));
  const stopping = new AbortController();
  const deliveries = modules.webhooks.deliver(stopping.signal);
  const storing = modules.keyUses.store(stopping.signal);
  const polling = modules.connections.poll(stopping.signal, jobTiming.pollNodesMs);
  const jobs = runJobs(modules, backgroundJobs(modules, config, jobTiming), stopping.signal);
  return {
    server,
    /** The keys of the first account, when this start created it. */
    newKeys: modules.newKeys,
    /** Creates a link with which the operator sets up a login; undefined if an operator can log in. */
    createSetupLink: modules.createSetupLink,
    /** Whether a node is in a test network with the routes under /playground. */
    hasPlayground: modules.playground !== undefined,
    /** Returns whether a Lightning node answers. The service runs without them. */
    isNodeAvailable: async () => (await Promise.all(connections.all.map((one) => one.isAvailable()))).includes(true),
    /** Whether the database was restored and waits for its operator. */
    isRestored: async () => (await modules.quarantine.read()) !== undefined,
    /** Resolves with the reason when the service cannot go on and must be started again, or when it is closed. */
    failed: untilWentBack(modules, () => openDatabase(config.databaseUrl, { log: modules.log }), stopping.signal),
    /** Stops accepting requests, waits for running ones, and closes the node and the database. */
    async close() {
      payments.stopWaiting();
      modules.operator.stopWaiting();
      await server.close();
      stopping.abort();
      modules.feed.close();
      health.close();
      await payments.stop();
      await Promise.all([jobs, polling, deliveries, storing]);
      await instances.stop();
      await ledger.drain();
      await modules.nostrCrypto.close();
      await connections.close();
      await modules.recoveryLog.close();
      await database.close();
    },
  };
}
