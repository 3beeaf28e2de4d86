import { pino } from 'pino';
import { type AccountKeys, createAccounts } from './accounts/accounts.ts';
import { createAccountDirectory } from './accounts/directory.ts';
import { createKeyUses } from './accounts/key-uses.ts';
import { createKeyring } from './accounts/keyring.ts';
import type { Passwords } from './accounts/login/passwords.ts';
import type { SetupLink } from './accounts/login/setup-links.ts';
import { createAlerts } from './alerts/alerts.ts';
import { type Config, makeDataDir } from './config.ts';
import { connectNodes, type NodeConnections } from './connection/connections.ts';
import { type Commits, watchCommits } from './db/commits.ts';
import type { Database, Tx } from './db/database.ts';
import { type DatabaseHealth, watchHealth } from './db/health.ts';
import { createInstances } from './db/instances.ts';
import { MIGRATIONS, migrate } from './db/migrate.ts';
import { openDatabase } from './db/open.ts';
import { detailsOf } from './feed/details.ts';
import { createFeed } from './feed/feed.ts';
import { createEventLog, type LoggedEvent } from './feed/log.ts';
import { storeFirstKeys } from './first-key.ts';
import { createHistory } from './history/history.ts';
import type { App } from './http/app-type.ts';
import { type Access, createAccess } from './http/auth/access.ts';
import { createIdempotentHandler, type IdempotentHandler } from './http/idempotent.ts';
import { createListJobs } from './http/limits/list-jobs.ts';
import { createLoginLimits } from './http/limits/login-limits.ts';
import { createRateLimits, type RateLimits } from './http/limits/rate-limits.ts';
import { Places } from './http/live/places.ts';
import { createStatusWaits } from './http/live/status-waits.ts';
import { createStreams, STREAM_TIMING, type StreamTiming } from './http/live/streams.ts';
import { metricsRoute } from './http/metrics/metrics.ts';
import { createObjects } from './http/objects/objects.ts';
import { createLoginResponses } from './http/responses/login-responses.ts';
import { accountChangeRoutes } from './http/routes/account-changes.ts';
import { accountRoutes } from './http/routes/accounts.ts';
import { eventRoutes } from './http/routes/events.ts';
import { fiatRateRoutes } from './http/routes/fiat-rate.ts';
import { invoiceStatusRoutes } from './http/routes/invoice-status.ts';
import { invoiceRoutes } from './http/routes/invoices.ts';
import { keyRoutes } from './http/routes/keys.ts';
import { lnurlAuthRoutes } from './http/routes/lnurl-auth.ts';
import { lnurlPayRoutes } from './http/routes/lnurl-pay.ts';
import { payRequestRoutes } from './http/routes/lnurl-pay-requests.ts';
import { lnurlRemoteRoutes } from './http/routes/lnurl-remote.ts';
import { lnurlWithdrawRoutes } from './http/routes/lnurl-withdraw.ts';
import { nodeRoutes } from './http/routes/node.ts';
import { operatorActionRoutes } from './http/routes/operator-actions.ts';
import { operatorMoneyRoutes } from './http/routes/operator-money.ts';
import { operatorNodeRoutes } from './http/routes/operator-nodes.ts';
import { operatorReadRoutes } from './http/routes/operator-reads.ts';
import { passkeyRoutes } from './http/routes/passkeys.ts';
import { paymentRoutes } from './http/routes/payments.ts';
import { playgroundRoutes } from './http/routes/playground.ts';
import { proofRoutes } from './http/routes/proofs.ts';
import { serviceRoutes } from './http/routes/service.ts';
import { sessionRoutes } from './http/routes/sessions.ts';
import { totpRoutes } from './http/routes/totp.ts';
import { transactionRoutes } from './http/routes/transactions.ts';
import { transferRoutes } from './http/routes/transfers.ts';
import { walletLoginRoutes } from './http/routes/wallet-logins.ts';
import { walletRoutes } from './http/routes/wallets.ts';
import { webhookDeliveryRoutes } from './http/routes/webhook-deliveries.ts';
import { webhookRoutes } from './http/routes/webhooks.ts';
import { withdrawLinkRoutes } from './http/routes/withdraw-links.ts';
import { createServer } from './http/server.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createInvoices } from './invoices/invoices.ts';
import { keysendRouting } from './invoices/settle.ts';
import { backgroundJobs, type JobTiming, runJobs } from './jobs.ts';
import { systemClock } from './kernel/clock.ts';
import { TtlCache } from './kernel/ttl-cache.ts';
import { createLedger } from './ledger/ledger.ts';
import { defaultLinkRow } from './lnurl/pay/default-link.ts';
import { createPayLinks } from './lnurl/pay/pay-links.ts';
import { createRemoteLinks } from './lnurl/remote/remote-links.ts';
import { createWithdrawLinks, linkUses } from './lnurl/withdraw/withdraw-links.ts';
import { createLoginModules } from './login-modules.ts';
import { type OpenedNode, openNode } from './open-node.ts';
import { createOperatorReads } from './operator/reads.ts';
import { createOperatorRequests } from './operator/requests.ts';
import { createOutbound } from './outbound/outbound.ts';
import { createPayments, markPendingAtNode } from './payments/payments.ts';
import { createProofs } from './proof/proofs.ts';
import { requestUnsettledComparison } from './reconcile/invoices.ts';
import { lastPositions } from './reconcile/requests.ts';
import { readSecretKey } from './secret-key.ts';
import { createWallets, type Wallets } from './wallets/wallets.ts';
import { createSecretBox, createWebhooks } from './webhooks/webhooks.ts';

/** A running service, apart from the listening socket. */
export interface Satchel {
  readonly server: App;
  /** The keys of the first account, when this start created it. */
  readonly newKeys: AccountKeys | undefined;
  /** Creates a link with which the operator sets up a login; undefined if an operator can log in. */
  createSetupLink(): Promise<SetupLink | undefined>;
  /** Whether a node is in a test network with the routes under /playground. */
  readonly hasPlayground: boolean;
  /** Returns whether a Lightning node answers. The service runs without them. */
  isNodeAvailable(): Promise<boolean>;
  /** Stops accepting requests, waits for running ones, and closes the node and the database. */
  close(): Promise<void>;
}

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
  makeDataDir(config.dataDir);
  const { database: watched, health } = watchHealth(await overrides.openDatabase(config.databaseUrl, { log }), log);
  const { database, commits } = watchCommits(watched);
  const opened: OpenedNode[] = [];
  try {
    await migrate(database, MIGRATIONS);
    for (const lightningUrl of config.lightningUrls) opened.push(await overrides.openNode({ ...config, lightningUrl, log }));
    const { jobTiming, passwords } = overrides;
    const modules = await createModules({ config, log, database, commits, opened, jobTiming, passwords });
    const operator = createOperatorModules(config, modules);
    return run(config, { ...modules, ...operator, health, streamTiming: overrides.streamTiming }, jobTiming);
  } catch (error) {
    health.close();
    await Promise.all(opened.map(({ node }) => node.close()));
    await database.close();
    throw error;
  }
}

type CoreModules = Awaited<ReturnType<typeof createModules>>;

type Modules = CoreModules &
  ReturnType<typeof createOperatorModules> & {
    readonly health: DatabaseHealth;
    readonly streamTiming: Partial<StreamTiming> | undefined;
  };

interface Opened {
  readonly config: Config;
  readonly log: pino.Logger;
  readonly database: Database;
  readonly commits: Commits;
  readonly opened: readonly OpenedNode[];
  readonly jobTiming: JobTiming | undefined;
  readonly passwords: Passwords | undefined;
}

/** Creates each module once, with the modules it depends on as arguments. */
async function createModules({ config, log, database, commits, opened, jobTiming, passwords }: Opened) {
  const clock = systemClock;
  const { publicUrl, maxOpenInvoices, maxPaymentsInFlight: maxInFlight, paymentWaitSeconds } = config;
  const alerts = createAlerts(database, clock, log);
  const nodes = opened.map(({ node }) => node);
  const connections = await connectNodes({ database, nodes, alerts, onRestore, replacesLedger: config.takeOverFromLedger, clock, log });
  const ledger = createLedger(database, clock);
  const accounts = createAccounts(database, clock);
  const newKeys = await accounts.bootstrap(config.bootstrapSecretKey, async (keys) => {
    // Keys that the operator chose are not stored in a file.
    if (config.bootstrapSecretKey === undefined) await storeFirstKeys(config.dataDir, keys);
  });
  const keys = { keyring: createKeyring(database, clock), keyUses: createKeyUses(database, clock, jobTiming?.keyUses) };
  const directory = createAccountDirectory(database, clock);
  const secretKey = await readSecretKey(config);
  const idempotency = createIdempotency(database, clock);
  const wallets = createWallets({
    database,
    accounts,
    clock,
    isNodeAvailable: (id) => connections.isAvailable(id),
    rowsOf: (wallet) => [defaultLinkRow(wallet)],
  });
  await warnOfMissingWallet(config, wallets, log);
  const routeKeysend = keysendRouting(wallets, config.keysendWalletId);
  const invoices = createInvoices({ database, ledger, connections, routeKeysend, clock, maxOpenInvoices });
  const payments = createPayments({
    database,
    ledger,
    alerts,
    connections,
    invoices,
    clock,
    log,
    linkUses,
    maxInFlight,
    paymentWaitSeconds,
  });
  const history = createHistory({ database, ledger, wallets, invoices, payments, clock });
  const eventLog = createEventLog({ database, ledger, retentionDays: config.eventRetentionDays });
  const eventDetails = (events: readonly LoggedEvent[]) => detailsOf({ history, invoices, payments, wallets, ledger }, events);
  const feed = createFeed({ database, eventLog, commits, log });
  const payLinks = createPayLinks({ ...config, database, wallets, invoices, clock });
  const outbound = createOutbound({ allow: config.outboundAllow, proxy: config.outboundProxy, log });
  const links = createWithdrawLinks({ database, ledger, accounts, wallets, payments, payLinks, outbound, clock, log, publicUrl });
  const webhooks = createWebhooks({
    database,
    commits,
    eventLog,
    renderEvents: async (events) => (await eventDetails(events)).map(createObjects(config).event),
    outbound: createOutbound({ allow: config.outboundAllow, proxy: config.outboundProxy, log, maxRequestsPerHost: 256 }),
    alerts,
    secretBox: createSecretBox(secretKey),
    retentionDays: config.eventRetentionDays,
    timing: jobTiming?.webhooks,
    clock,
    log,
  });
  const proofs = createProofs({ database, clock, log });
  const remoteLinks = createRemoteLinks({ outbound, payments, invoices, clock });
  connections.guardIncoming(async (incoming) => ((await invoices.mayClaim(incoming)) ? 'claim' : 'refuse'));
  const playground = opened.find((one) => one.playground)?.playground;
  const moneyModules = { ledger, wallets, invoices, payments, history, links, payLinks, remoteLinks, proofs };
  const service = { clock, log, database, alerts, connections, accounts, newKeys, ...keys, directory, idempotency, outbound, playground };
  const logins = createLoginModules({ database, clock, secretKey, publicUrl, passwords });
  return { ...service, ...logins, ...moneyModules, eventLog, eventDetails, feed, webhooks };
}

function createOperatorModules({ stuckPaymentSeconds, paymentWaitSeconds }: Config, modules: CoreModules) {
  const { database, clock, log } = modules;
  const instances = createInstances(database, clock, log);
  const deps = { ...modules, instances, stuckPaymentSeconds, waitSeconds: paymentWaitSeconds };
  return { instances, operatorReads: createOperatorReads(deps), operatorRequests: createOperatorRequests(deps) };
}

/** A node that was restored from a backup may have forgotten payments that it sent and invoices that were paid. */
async function onRestore(tx: Tx, nodeId: string): Promise<void> {
  await markPendingAtNode(tx, nodeId);
  await requestUnsettledComparison(tx, nodeId);
}

/** Warns of a mistyped KEYSEND_WALLET_ID, which would return keysends to their payers unnoticed. */
async function warnOfMissingWallet({ keysendWalletId }: Config, wallets: Wallets, log: pino.Logger): Promise<void> {
  if (keysendWalletId === undefined || (await wallets.find(keysendWalletId))) return;
  log.warn({ wallet: keysendWalletId }, 'KEYSEND_WALLET_ID is no wallet of this service: keysends without a wallet id are refused');
}

/** Starts the background jobs and returns the running service. */
function run(config: Config, modules: Modules, jobTiming: JobTiming = {}): Satchel {
  const { database, health, connections, ledger, payments } = modules;
  const server = createApp(config, modules);
  const stopping = new AbortController();
  const deliveries = modules.webhooks.deliver(stopping.signal);
  const reporting = modules.instances.report(stopping.signal);
  const storing = modules.keyUses.store(stopping.signal);
  const jobs = runJobs({ ...modules, instanceId: modules.instances.id }, backgroundJobs(modules, config, jobTiming), stopping.signal);
  return {
    server,
    newKeys: modules.newKeys,
    createSetupLink: modules.createSetupLink,
    hasPlayground: modules.playground !== undefined,
    isNodeAvailable: () => isAnyAvailable(connections),
    async close() {
      payments.stopWaiting();
      modules.operatorRequests.stopWaiting();
      await server.close();
      stopping.abort();
      modules.feed.close();
      health.close();
      await payments.stop();
      await Promise.all([jobs, deliveries, reporting, storing]);
      await ledger.drain();
      await connections.close();
      await database.close();
    },
  };
}

function createApp(config: Config, modules: Modules): App {
  const limits = createRateLimits({ keyRate: config.rateLimit, addressRate: config.addressRateLimit, maxAtOnce: config.maxRequestsAtOnce });
  const access = createAccess({ ...modules, limits });
  const runIdempotent = createIdempotentHandler({ ...modules, limits });
  const options = { ...config, limits, authenticate: access.anyKey, recordDatabaseError: modules.health.note };
  return createServer(modules.log, (app) => registerRoutes(app, config, { ...modules, access, runIdempotent, limits }), options);
}

function registerRoutes(
  app: App,
  config: Config,
  modules: Modules & { access: Access; runIdempotent: IdempotentHandler; limits: RateLimits },
): void {
  const { access, invoices, playground } = modules;
  const { paymentWaitSeconds, publicUrl } = config;
  const live = createLive(app, config, modules, { ...STREAM_TIMING, ...modules.streamTiming });
  const deps = { ...modules, ...live, objects: createObjects(config), listJobs: createListJobs(app) };
  walletRoutes(app, deps);
  accountRoutes(app, { ...deps, publicUrl: config.publicUrl });
  accountChangeRoutes(app, deps);
  const login = {
    ...deps,
    publicUrl: config.publicUrl,
    loginResponses: createLoginResponses(deps),
    loginLimits: createLoginLimits({ isUnlimited: config.addressRateLimit.perSecond === 0 }),
  };
  sessionRoutes(app, login);
  totpRoutes(app, login);
  walletLoginRoutes(app, login);
  passkeyRoutes(app, login);
  keyRoutes(app, deps);
  invoiceRoutes(app, { ...deps, publicUrl });
  invoiceStatusRoutes(app, deps);
  transactionRoutes(app, deps);
  eventRoutes(app, deps);
  webhookRoutes(app, deps);
  webhookDeliveryRoutes(app, deps);
  paymentRoutes(app, { ...deps, paymentWaitSeconds });
  transferRoutes(app, deps);
  nodeRoutes(app, deps);
  lnurlWithdrawRoutes(app, deps);
  withdrawLinkRoutes(app, deps);
  lnurlPayRoutes(app, deps);
  payRequestRoutes(app, deps);
  lnurlRemoteRoutes(app, { ...deps, paymentWaitSeconds });
  lnurlAuthRoutes(app, deps);
  proofRoutes(app, deps);
  operatorReadRoutes(app, deps);
  operatorMoneyRoutes(app, { ...deps, limitSettings: config });
  operatorActionRoutes(app, deps);
  operatorNodeRoutes(app, deps);
  fiatRateRoutes(app, deps);
  if (playground) playgroundRoutes(app, { access, invoices, control: playground });
  metricsRoute(app, { ...deps, lastPositions: () => lastPositions(modules.database) }, config);
  // The route needs no key, and each read takes a database connection, so the result is cached.
  const readable = new TtlCache<boolean>({ maxAgeMs: 1000, maxSize: 1 });
  serviceRoutes(app, {
    isReadable: async () => (await readable.get('', () => isReadable(modules.database))) === true,
    isWritable: modules.health.isWritable,
    connections: modules.connections,
  });
}

/** Most of a key's requests, and half of all connections, remain for requests that end soon. */
function createLive(app: App, { maxRequestsAtOnce, maxConnections }: Config, modules: Modules, timing: StreamTiming) {
  const waiting = { ofKey: Math.ceil(maxRequestsAtOnce / 2), ofAddress: 100, ofAll: Math.ceil(maxConnections / 4) };
  const streaming = { ...waiting, ofKey: Math.ceil(maxRequestsAtOnce / 10) };
  const waits = createStatusWaits({ ...modules, places: new Places(waiting) });
  const streams = createStreams({ ...modules, places: new Places(streaming), timing });
  // When the server is closed, it waits for open requests.
  app.addHook('preClose', async () => {
    waits.close();
    streams.close();
  });
  return { waits, streams };
}

async function isAnyAvailable({ all }: NodeConnections): Promise<boolean> {
  return (await Promise.all(all.map((one) => one.isAvailable()))).includes(true);
}

async function isReadable(database: Database): Promise<boolean> {
  try {
    await database.snapshot(async () => undefined);
    return true;
  } catch {
    return false;
  }
}
