import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
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
import { TtlCache } from './kernel/ttl-cache.ts';
import type { Modules } from './modules.ts';
import { lastPositions } from './reconcile/requests.ts';

/** Creates the HTTP server with all routes. */
export function createHttpServer(config: Config, modules: Modules): App {
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

async function isReadable(database: Database): Promise<boolean> {
  try {
    await database.snapshot(async () => undefined);
    return true;
  } catch {
    return false;
  }
}
