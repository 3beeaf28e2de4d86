import { playgroundRoutes } from '../devnet/playground/routes.ts';
import type { Config } from './config.ts';
import type { DatabaseHealth } from './core/db/health.ts';
import { accountRoutes } from './features/accounts/routes.ts';
import { readLastBackup } from './features/backup/last-backup.ts';
import { contactRoutes } from './features/contacts/routes.ts';
import { noteRoutes } from './features/customers/note-routes.ts';
import { customerRoutes } from './features/customers/routes.ts';
import { eventRoutes } from './features/events/routes.ts';
import { createStatusWaits } from './features/events/status-waits.ts';
import { STREAM_TIMING, Streams, type StreamTiming } from './features/events/streams.ts';
import { limitRoutes } from './features/fees/limit-routes.ts';
import { feeRoutes } from './features/fees/routes.ts';
import { importedPathRoutes } from './features/import/path-routes.ts';
import { importedTransactionRoutes } from './features/import/routes.ts';
import { invoiceRoutes } from './features/invoices/routes.ts';
import { invoiceStatusRoutes } from './features/invoices/status-routes.ts';
import { keyRoutes } from './features/keys/routes.ts';
import { lndhubErrors } from './features/lndhub/errors.ts';
import { appPath } from './features/lndhub/paths.ts';
import { lndhubRoutes } from './features/lndhub/routes.ts';
import { nostrIdentifierRoutes } from './features/lnurl/nostr/identifier-routes.ts';
import { payRequestRoutes } from './features/lnurl/pay/request-routes.ts';
import { payLinkRoutes } from './features/lnurl/pay/routes.ts';
import { createOutsideLinks } from './features/lnurl/remote/outside-links.ts';
import { claimRoutes } from './features/lnurl/withdraw/claim-routes.ts';
import { withdrawLinkRoutes } from './features/lnurl/withdraw/routes.ts';
import { lnurlAuthRoutes } from './features/logins/lnurl-auth/routes.ts';
import { createLoginLimits } from './features/logins/login-limits.ts';
import { passkeyRoutes } from './features/logins/passkey-routes.ts';
import { createLoginResponses } from './features/logins/session-object.ts';
import { sessionRoutes } from './features/logins/session-routes.ts';
import { setupRoutes } from './features/logins/setup-routes.ts';
import { totpRoutes } from './features/logins/totp-routes.ts';
import { walletLoginRoutes } from './features/logins/wallet-login-routes.ts';
import { metricsRoute } from './features/metrics/metrics.ts';
import { nodeRoutes } from './features/nodes/routes.ts';
import { notificationRoutes } from './features/notifications/routes.ts';
import { connectionRoutes } from './features/nwc/routes.ts';
import { alertRoutes } from './features/operator/alert-routes.ts';
import { checkRoutes } from './features/operator/checks/check-routes.ts';
import { fiatRateRoutes } from './features/operator/fiat-rate-routes.ts';
import { figureRoutes } from './features/operator/figure-routes.ts';
import { firstStepRoutes } from './features/operator/first-steps.ts';
import { operatorNodeRoutes } from './features/operator/node-routes.ts';
import { operatorPaymentRoutes } from './features/operator/payment-routes.ts';
import { reportUnreadableAddresses } from './features/operator/proxy-alert.ts';
import { operatorReadRoutes } from './features/operator/read-routes.ts';
import { reconciliationRoutes } from './features/operator/reconciliation-routes.ts';
import { suspenseRoutes } from './features/operator/suspense-routes.ts';
import { withdrawalRoutes } from './features/operator/withdrawal-routes.ts';
import { payerPageRoutes } from './features/payer-pages/payer-pages.ts';
import { bulkTransferRoutes } from './features/payments/bulk-transfer-routes.ts';
import { remoteLinkRoutes } from './features/payments/lnurl-routes.ts';
import { paymentRoutes } from './features/payments/routes.ts';
import { transferRoutes } from './features/payments/transfer-routes.ts';
import { payoutRoutes } from './features/payouts/routes.ts';
import { proofRoutes } from './features/proof/routes.ts';
import { pushRoutes } from './features/push/routes.ts';
import { rateRoutes } from './features/rates/routes.ts';
import { lastPositions } from './features/reconcile/requests.ts';
import { restoreRoutes } from './features/restore/routes.ts';
import { searchRoutes } from './features/search/routes.ts';
import { serviceRoutes } from './features/service/routes.ts';
import { transactionCsvRoutes } from './features/transactions/csv-routes.ts';
import { transactionRoutes } from './features/transactions/routes.ts';
import { summaryRoutes } from './features/transactions/summary-routes.ts';
import { walletRoutes } from './features/wallets/routes.ts';
import { webhookDeliveryRoutes } from './features/webhooks/delivery-routes.ts';
import { webhookRoutes } from './features/webhooks/routes.ts';
import type { App, RouteContext } from './http/app-type.ts';
import { createAccess } from './http/auth/access.ts';
import { createIdempotentHandler } from './http/idempotent.ts';
import { WaitingSlots } from './http/limits/callers.ts';
import { RateLimits } from './http/limits/rate-limits.ts';
import { type Dashboard, fontPath } from './http/pages/dashboard.ts';
import { createServer } from './http/server.ts';
import type { Modules } from './modules.ts';
import { readVersion } from './version.ts';

export type HttpModules = Modules & { readonly health: DatabaseHealth };

function appProtocols({ nwc, lndhub }: Config): ('nwc' | 'lndhub')[] {
  return [...(nwc.relays.length > 0 ? ['nwc' as const] : []), ...(lndhub.isOn ? ['lndhub' as const] : [])];
}

/** Creates the HTTP server with all routes. */
export function createHttpServer(config: Config, modules: HttpModules, streamTiming: Partial<StreamTiming> = {}): App {
  const limits = new RateLimits({ keyRate: config.rateLimit, addressRate: config.addressRateLimit, maxAtOnce: config.maxRequestsAtOnce });
  const access = createAccess({ ...modules, limits });
  const options = {
    ...config,
    limits,
    authenticate: access.anyKey,
    recordDatabaseError: modules.health.note,
    ensureDurable: modules.database.ensureDurable,
    errorForm: lndhubErrors(config.lndhub),
    onUnreadableAddress: reportUnreadableAddresses(modules),
    rewriteUrl: (url: string) => appPath(url, config.lndhub),
    appProtocols: appProtocols(config),
  };
  const register = (app: App, dashboard: Dashboard) =>
    registerRoutes(app, config, {
      ...modules,
      font: fontPath(dashboard),
      ...createLive(app, config, modules, { ...STREAM_TIMING, ...streamTiming }),
      limits,
      access,
      runIdempotent: createIdempotentHandler({ ...modules, limits }),
    });
  return createServer(modules.log, register, options);
}

type AccountRouteContext = Parameters<typeof accountRoutes>[1] &
  Parameters<typeof customerRoutes>[1] &
  Parameters<typeof noteRoutes>[1] &
  Parameters<typeof contactRoutes>[1];

function registerAccountRoutes(app: App, deps: AccountRouteContext): void {
  accountRoutes(app, deps);
  customerRoutes(app, deps);
  noteRoutes(app, deps);
  contactRoutes(app, deps);
}

function registerDeliveryRoutes(app: App, deps: Parameters<typeof webhookDeliveryRoutes>[1] & Parameters<typeof pushRoutes>[1]): void {
  webhookRoutes(app, deps);
  webhookDeliveryRoutes(app, deps);
  pushRoutes(app, deps);
}

function registerAlertRoutes(app: App, deps: Parameters<typeof alertRoutes>[1] & Parameters<typeof notificationRoutes>[1]): void {
  alertRoutes(app, deps);
  notificationRoutes(app, deps);
}

type Live = ReturnType<typeof createLive>;

function registerRoutes(
  app: App,
  config: Config,
  modules: HttpModules & Live & RouteContext & { limits: RateLimits; font: string | undefined },
): void {
  const { access, invoices, playground } = modules;
  const { paymentWaitSeconds, publicUrl } = config;
  const deps = { ...modules, publicUrl, paymentWaitSeconds };
  walletRoutes(app, deps);
  registerAccountRoutes(app, deps);
  const login = {
    ...deps,
    loginResponses: createLoginResponses(deps),
    loginLimits: createLoginLimits({ isUnlimited: config.hasUnlimitedLogins }),
  };
  sessionRoutes(app, login);
  setupRoutes(app, login);
  totpRoutes(app, login);
  walletLoginRoutes(app, login);
  passkeyRoutes(app, login);
  keyRoutes(app, { ...deps, lndhub: config.lndhub });
  feeRoutes(app, deps);
  limitRoutes(app, deps);
  connectionRoutes(app, deps);
  invoiceRoutes(app, deps);
  invoiceStatusRoutes(app, deps);
  transactionRoutes(app, deps);
  transactionCsvRoutes(app, deps);
  importedTransactionRoutes(app, deps);
  if (config.hasImportedPaths) importedPathRoutes(app, deps);
  summaryRoutes(app, deps);
  searchRoutes(app, deps);
  eventRoutes(app, deps);
  registerDeliveryRoutes(app, deps);
  paymentRoutes(app, deps);
  transferRoutes(app, deps);
  bulkTransferRoutes(app, deps);
  payoutRoutes(app, deps);
  nodeRoutes(app, deps);
  claimRoutes(app, deps);
  withdrawLinkRoutes(app, deps);
  payLinkRoutes(app, deps);
  payRequestRoutes(app, deps);
  payerPageRoutes(app, { ...deps, look: { ...config.payerPages, publicUrl, font: modules.font } });
  nostrIdentifierRoutes(app, { ...deps, addressDomains: config.addressDomains, localHosts: config.localHosts });
  remoteLinkRoutes(app, deps);
  lnurlAuthRoutes(app, deps);
  proofRoutes(app, deps);
  operatorReadRoutes(app, deps, config);
  const lastBackupAt = async () => (await readLastBackup(modules.database))?.createdAt ?? 0;
  firstStepRoutes(app, { ...deps, addressDomains: config.addressDomains, lastBackupAt });
  suspenseRoutes(app, deps);
  operatorPaymentRoutes(app, deps);
  operatorNodeRoutes(app, deps);
  registerAlertRoutes(app, deps);
  reconciliationRoutes(app, deps);
  restoreRoutes(app, deps);
  figureRoutes(app, deps);
  checkRoutes(app, deps, config);
  withdrawalRoutes(app, deps);
  fiatRateRoutes(app, deps);
  rateRoutes(app, deps);
  if (config.lndhub.isOn) lndhubRoutes(app, { ...deps, ...config });
  if (playground) playgroundRoutes(app, { access, invoices, control: playground, links: createOutsideLinks(modules) });
  metricsRoute(app, { ...deps, lastPositions: () => lastPositions(modules.database), lastBackupAt }, config);
  serviceRoutes(app, { ...deps, publicUrl, contacts: config.securityContacts }, readVersion(config.commit));
}

/** Most of a key's requests, and half of all connections, remain for requests that end soon. No account has more than a quarter. */
function createLive(app: App, { maxRequestsAtOnce, maxConnections }: Config, modules: Modules, timing: StreamTiming) {
  const ofAll = Math.ceil(maxConnections / 4);
  const waiting = { ofKey: Math.ceil(maxRequestsAtOnce / 2), ofAccount: Math.ceil(ofAll / 4), ofAddress: 100, ofAll };
  const streaming = { ...waiting, ofKey: Math.ceil(maxRequestsAtOnce / 10) };
  const waits = createStatusWaits({ ...modules, slots: new WaitingSlots(waiting) });
  const streams = new Streams({ ...modules, slots: new WaitingSlots(streaming), timing });
  // When the server is closed, it waits for open requests.
  app.addHook('preClose', async () => {
    waits.close();
    streams.close();
  });
  return { waits, streams };
}
