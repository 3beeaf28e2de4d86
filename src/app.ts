import { pino } from 'pino';
import { type AccountKeys, createAccounts } from './accounts/accounts.ts';
import { createKeyring } from './accounts/keyring.ts';
import { createAlerts } from './alerts/alerts.ts';
import { type Config, makeDataDir } from './config.ts';
import type { Database } from './db/database.ts';
import { type DatabaseHealth, watchHealth } from './db/health.ts';
import { underLease } from './db/leases.ts';
import { MIGRATIONS, migrate } from './db/migrate.ts';
import { openDatabase } from './db/open.ts';
import { ROUND_MS } from './db/retention.ts';
import { storeFirstKeys } from './first-key.ts';
import { createHistory } from './history/history.ts';
import type { App } from './http/app-type.ts';
import { type Access, createAccess } from './http/auth/access.ts';
import { createIdempotentHandler, type IdempotentHandler } from './http/idempotent.ts';
import { createRateLimits } from './http/limits/rate-limits.ts';
import { metricsRoute } from './http/metrics/metrics.ts';
import { createObjects } from './http/objects.ts';
import { invoiceRoutes } from './http/routes/invoices.ts';
import { keyRoutes } from './http/routes/keys.ts';
import { lnurlWithdrawRoutes } from './http/routes/lnurl-withdraw.ts';
import { nodeRoutes } from './http/routes/node.ts';
import { paymentRoutes } from './http/routes/payments.ts';
import { playgroundRoutes } from './http/routes/playground.ts';
import { proofRoutes } from './http/routes/proofs.ts';
import { serviceRoutes } from './http/routes/service.ts';
import { transactionRoutes } from './http/routes/transactions.ts';
import { walletRoutes } from './http/routes/wallets.ts';
import { createServer } from './http/server.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createInvoices } from './invoices/invoices.ts';
import { keysendRouting } from './invoices/keysend-routing.ts';
import { connectNode } from './invoices/our-node.ts';
import { pause, systemClock } from './kernel/clock.ts';
import { errorMessage } from './kernel/log.ts';
import { TtlCache } from './kernel/ttl-cache.ts';
import { createLedger } from './ledger/ledger.ts';
import { createWithdrawLinks, linkUses } from './lnurl/withdraw-links.ts';
import { type OpenedNode, openNode } from './open-node.ts';
import { keepActing } from './operator/operator.ts';
import { createNodeHistory } from './payments/node-history.ts';
import { createPayments } from './payments/payments.ts';
import { watchNode } from './payments/watcher.ts';
import { createProofs } from './proof/proofs.ts';
import { keepReconciling } from './reconcile/reconcile.ts';
import { createWallets, type Wallets } from './wallets/wallets.ts';

/** A running service: everything but the listening socket. */
export interface Satchel {
  readonly server: App;
  /** The first account's keys, when this start created it. */
  readonly newKeys: AccountKeys | undefined;
  /** Whether the Lightning node answers; the service runs without it. */
  isNodeAvailable(): Promise<boolean>;
  /** Stops taking requests, lets what is running come to rest, closes node and database. */
  close(): Promise<void>;
}

/** How often payments that are still pending are handed to the node again. */
const RESUME_SECONDS = 30;

/** What the service stands on. Tests put their own around these, to break them where they want. */
export interface Overrides {
  readonly openDatabase: typeof openDatabase;
  readonly openNode: typeof openNode;
}

/** Makes each room once and hands it what it needs. */
export async function startSatchel(config: Config, overrides: Overrides = { openDatabase, openNode }): Promise<Satchel> {
  const log = pino({ level: config.logLevel, base: null });
  makeDataDir(config.dataDir);
  const { database, health } = watchHealth(await overrides.openDatabase(config.databaseUrl, { log }), log);
  let opened: OpenedNode | undefined;
  try {
    await migrate(database, MIGRATIONS);
    opened = await overrides.openNode({ ...config, log });
    return await assemble(config, log, database, health, opened);
  } catch (error) {
    health.close();
    await opened?.node.close();
    await database.close();
    throw error;
  }
}

async function assemble(
  config: Config,
  log: pino.Logger,
  database: Database,
  health: DatabaseHealth,
  opened: OpenedNode,
): Promise<Satchel> {
  const rooms = { ...(await makeModules(config, log, database, opened)), health };
  const { ledger, payments, our } = rooms;
  const server = makeServer(config, rooms);
  const life = new AbortController();
  const working = beginWork(config, rooms, life.signal);
  return {
    server,
    newKeys: rooms.newKeys,
    isNodeAvailable: our.isAvailable,
    async close() {
      payments.stopWaiting();
      await server.close();
      life.abort();
      health.close();
      await payments.stop();
      await working;
      await ledger.drain();
      await our.node.close();
      await database.close();
    },
  };
}

type Rooms = Awaited<ReturnType<typeof makeModules>> & { health: DatabaseHealth };

async function makeModules(config: Config, log: pino.Logger, database: Database, opened: OpenedNode) {
  const clock = systemClock;
  const alerts = createAlerts(database, clock, log);
  const nodeHistory = createNodeHistory({ database, alerts });
  const our = await connectNode({ database, node: opened.node, history: nodeHistory, replacesLedger: config.takeOverFromLedger, log });
  const ledger = createLedger(database, clock);
  const accounts = createAccounts(database, clock);
  const newKeys = await accounts.bootstrap(config.bootstrapSecretKey, async (keys) => {
    // Keys that the operator chose are not repeated anywhere.
    if (config.bootstrapSecretKey === undefined) await storeFirstKeys(config.dataDir, keys);
  });
  const keyring = createKeyring(database, clock);
  const idempotency = createIdempotency(database, clock);
  const wallets = createWallets(database, accounts, clock);
  await warnOfMissingWallet(config, wallets, log);
  const invoices = createInvoices({
    database,
    ledger,
    our,
    routeKeysend: keysendRouting(wallets, config.keysendWalletId),
    clock,
    maxOpenInvoices: config.maxOpenInvoices,
  });
  const { maxPaymentsInFlight: maxInFlight, publicUrl } = config;
  const payments = createPayments({ database, ledger, alerts, our, invoices, clock, log, linkUses, maxInFlight });
  const history = createHistory({ database, ledger, wallets, invoices, payments, clock });
  const links = createWithdrawLinks({ database, ledger, accounts, wallets, payments, clock, publicUrl });
  const proofs = createProofs({ database, clock, log });
  our.node.guardIncoming(async (incoming) => ((await invoices.mayClaim(incoming)) ? 'claim' : 'refuse'));
  const moneyRooms = { ledger, wallets, invoices, payments, history, links, proofs };
  return {
    clock,
    log,
    database,
    our,
    nodeHistory,
    alerts,
    accounts,
    newKeys,
    keyring,
    idempotency,
    playground: opened.playground,
    ...moneyRooms,
  };
}

/** A mistyped id would send keysends back without a word. */
async function warnOfMissingWallet({ keysendWalletId }: Config, wallets: Wallets, log: pino.Logger): Promise<void> {
  if (keysendWalletId === undefined || (await wallets.find(keysendWalletId))) return;
  log.warn(
    { wallet: keysendWalletId },
    'KEYSEND_WALLET_ID names no wallet of this service: keysends that name none go back to their payers',
  );
}

/** What goes on by itself, each job in one instance at a time, until the signal aborts. */
async function beginWork(config: Config, rooms: Rooms, signal: AbortSignal): Promise<void> {
  const { database, log, our, nodeHistory, alerts, ledger, idempotency, wallets, invoices, payments, proofs, clock } = rooms;
  const { node } = our;
  const { reconcileSeconds, stuckPaymentSeconds, proofIntervalSeconds } = config;
  const alone = (job: string, work: (held: AbortSignal) => Promise<void>) => underLease({ database, log }, job, signal, work);
  const comparison = { database, node, alerts, invoices, payments, clock, log, stuckPaymentSeconds };
  await Promise.all([
    alone('node-listener', async (held) => {
      await Promise.all([
        watchNode({ database, node, history: nodeHistory, invoices, payments, alerts, clock, log }, held),
        payments.resumeEvery(RESUME_SECONDS, held),
        keepActing({ database, ledger, alerts, our, wallets, payments, clock, log }, held),
        deleteOldRows([ledger.endRound, idempotency.endRound], log, held),
      ]);
    }),
    alone('reconcile', (held) => keepReconciling(comparison, reconcileSeconds, held)),
    proofIntervalSeconds > 0 && alone('proof-epochs', (held) => proofs.takeEvery(proofIntervalSeconds, held)),
  ]);
}

function makeServer(config: Config, rooms: Rooms): App {
  const limits = createRateLimits({ keyRate: config.rateLimit, addressRate: config.addressRateLimit, maxAtOnce: config.maxRequestsAtOnce });
  const access = createAccess(rooms.accounts, rooms.wallets, limits);
  const runIdempotent = createIdempotentHandler(rooms.idempotency, limits);
  const options = { ...config, limits, authenticate: access.anyKey, recordDatabaseError: rooms.health.note };
  return createServer(rooms.log, (app) => registerRoutes(app, config, { ...rooms, access, runIdempotent }), options);
}

function registerRoutes(app: App, config: Config, rooms: Rooms & { access: Access; runIdempotent: IdempotentHandler }): void {
  const { access, invoices, playground } = rooms;
  const { paymentWaitSeconds } = config;
  const deps = { ...rooms, objects: createObjects(rooms.our.nodeId, config) };
  walletRoutes(app, deps);
  keyRoutes(app, deps);
  invoiceRoutes(app, deps);
  transactionRoutes(app, deps);
  paymentRoutes(app, { ...deps, paymentWaitSeconds });
  nodeRoutes(app, deps);
  lnurlWithdrawRoutes(app, deps);
  proofRoutes(app, deps);
  if (playground) playgroundRoutes(app, { access, invoices, control: playground });
  metricsRoute(app, deps, config);
  // This needs no key, and each read takes a connection: once a second is enough.
  const readable = new TtlCache<boolean>({ maxAgeMs: 1000, maxSize: 1 });
  serviceRoutes(app, {
    isReadable: async () => (await readable.get('', () => isReadable(rooms.database))) === true,
    isWritable: rooms.health.isWritable,
    isNodeAvailable: rooms.our.isAvailable,
  });
}

/** Ends a round whenever the service has run for so long; nothing is deleted at a start. */
async function deleteOldRows(endRounds: readonly (() => Promise<void>)[], log: pino.Logger, signal: AbortSignal): Promise<void> {
  while (!(await pause(ROUND_MS, signal))) {
    for (const endRound of endRounds)
      await endRound().catch((error) => log.warn({ reason: errorMessage(error) }, 'old rows were not deleted'));
  }
}

async function isReadable(database: Database): Promise<boolean> {
  try {
    await database.snapshot(async () => undefined);
    return true;
  } catch {
    return false;
  }
}
