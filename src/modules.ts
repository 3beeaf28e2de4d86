import { join } from 'node:path';
import type { pino } from 'pino';
import type { Config } from './config.ts';
import { createAccounts } from './core/accounts/accounts.ts';
import { createContacts } from './core/accounts/contacts.ts';
import { createAccountDirectory } from './core/accounts/directory.ts';
import { createKeyUses } from './core/accounts/key-uses.ts';
import { createKeyring } from './core/accounts/keyring.ts';
import { createNotes } from './core/accounts/notes.ts';
import { createAlerts } from './core/alerts/alerts.ts';
import { connectNodes, type NodeConnections } from './core/connection/connections.ts';
import type { Database, Tx } from './core/db/database.ts';
import { Instances } from './core/db/instances.ts';
import { createFees } from './core/fees/fees.ts';
import { createHoldInvoices } from './core/hold-invoices/hold-invoices.ts';
import { createIdempotency } from './core/idempotency/idempotency.ts';
import { type InvoiceContext, Invoices } from './core/invoices/invoices.ts';
import { createLostHolds } from './core/invoices/lost-holds.ts';
import { type KeysendRouting, keysendRouting } from './core/invoices/settle.ts';
import { createEventLog, type LoggedEvent } from './core/journal/event-log.ts';
import { systemClock } from './core/kernel/clock.ts';
import { errorMessage } from './core/kernel/log.ts';
import { createMarkers } from './core/kernel/markers.ts';
import { createLedger } from './core/ledger/ledger.ts';
import { createLimits } from './core/limits/limits.ts';
import { createNostrCrypto } from './core/nostr/crypto-pool.ts';
import { Outbound, type OutboundSettings } from './core/outbound/outbound.ts';
import { createPayments, markPendingAtNode, type PaymentDependencies } from './core/payments/payments.ts';
import { Quarantine, readQuarantine } from './core/quarantine/quarantine.ts';
import { createRates } from './core/rates/rates.ts';
import { createRecoveryLog, type RecoveryLog, type RecoveryLogOptions } from './core/recovery-log/recovery-log.ts';
import { createTasks } from './core/tasks/tasks.ts';
import { walletRecovery } from './core/wallets/recovery.ts';
import { createWallets, type Wallet, type Wallets } from './core/wallets/wallets.ts';
import { createWithdrawals } from './core/withdrawals/withdrawals.ts';
import { storeFirstKeys } from './data-files.ts';
import { renderEvents } from './features/events/event-object.ts';
import { Feed } from './features/events/feed.ts';
import { findWalletOfLogin } from './features/lndhub/imported-login.ts';
import { createTokens } from './features/lndhub/tokens.ts';
import { createLinkModules } from './features/lnurl/link-modules.ts';
import { defaultLinkRow } from './features/lnurl/pay/pay-links.ts';
import { linkUses } from './features/lnurl/withdraw/claims.ts';
import { createLoginModules } from './features/logins/login-modules.ts';
import type { Passwords } from './features/logins/passwords.ts';
import { createNotificationModule } from './features/notifications/notification-module.ts';
import { createNwc } from './features/nwc/nwc.ts';
import { Operator } from './features/operator/operator.ts';
import { createPayouts } from './features/payouts/payouts.ts';
import { Push, type PushDependencies } from './features/push/push.ts';
import { requestUnsettledComparison } from './features/reconcile/invoices.ts';
import { createHistory } from './features/transactions/history.ts';
import { createObjects } from './features/transactions/objects.ts';
import { createSecretBox } from './features/webhooks/secrets.ts';
import { type WebhookDependencies, Webhooks } from './features/webhooks/webhooks.ts';
import type { JobTiming } from './jobs.ts';
import type { OpenedNode } from './open-node.ts';
import { openSecretKey } from './secret-key.ts';
import { listensOnLoopback } from './service-addresses.ts';

/** The modules that routes and background jobs use. */
export type Modules = Awaited<ReturnType<typeof createModules>>;

interface ModuleOptions {
  readonly config: Config;
  readonly log: pino.Logger;
  readonly database: Database;
  readonly opened: readonly OpenedNode[];
  readonly jobTiming?: JobTiming | undefined;
  readonly passwords?: Passwords | undefined;
}

/** Creates each module once, with the modules it depends on as arguments. */
export async function createModules({ config, log, database, opened, jobTiming, passwords }: ModuleOptions) {
  const clock = systemClock;
  const secretKey = await openSecretKey(config, database);
  const { publicUrl, paymentWaitSeconds, stuckPaymentSeconds } = config;
  const instances = new Instances({ database, clock, log });
  const running = { instances, tasks: createTasks({ database, instances, clock, log }) };
  const alerts = createAlerts(database, clock, log);
  const isReadBack = (await readQuarantine(database))?.backupCreatedAt === 0;
  const { takeOverFromLedger: replacesLedger, holdInvoices, maxBlockAgeSeconds } = config;
  const settings = { replacesLedger, isReadBack, holdInvoices, maxBlockAgeSeconds };
  const nodes = opened.map(({ node }) => node);
  const connections = await connectNodes({ database, nodes, alerts, onRestore, ...settings, clock, log });
  const ledger = createLedger(database, clock);
  const quarantine = new Quarantine(database);
  const withdrawals = createWithdrawals({ database, alerts, clock, log });
  const accounts = createAccounts(database, clock);
  const newKeys = await accounts.bootstrap(config.bootstrapSecretKey, async (keys) => {
    // Keys that the operator chose are not stored in a file.
    if (config.bootstrapSecretKey === undefined) await storeFirstKeys(config.dataDir, keys);
  });
  const keys = {
    keyring: createKeyring(database, clock, config.maxActiveKeys),
    keyUses: createKeyUses(database, clock, jobTiming?.keyUses),
    lndhubTokens: createTokens(secretKey, clock),
  };
  const directory = createAccountDirectory({ database, ledger, clock });
  const stored = { notes: createNotes({ database, clock }), contacts: createContacts({ database, clock }) };
  const markers = createMarkers(secretKey);
  const idempotency = createIdempotency(database, clock);
  const rowsOf = (wallet: Wallet) => [defaultLinkRow(wallet)];
  const wallets = createWallets({ database, accounts, clock, isNodeAvailable: (id) => connections.isAvailable(id), rowsOf });
  await warnOfMissingWallet(config, wallets, log);
  const routeKeysend = keysendRouting(wallets, config.keysendWalletId, (login) => findWalletOfLogin(database, login));
  const core = { database, ledger, alerts, connections, clock, log };
  const recoveryLog = await openRecoveryLog(config, { secretKey, clock, log });
  const lostHolds = createLostHolds(database, recoveryLog);
  const marked = { markers, quarantine, withdrawals, recoverWallet: walletRecovery({ database, clock, rowsOf }) };
  const moving = createMoneyModules(config, { ...core, ...marked, routeKeysend, recoveryLog, lostHolds });
  const { fees, invoices, payments } = moving;
  const objects = createObjects({ clock, legacyNullKeysend: config.legacyNullKeysend });
  const history = createHistory({ database, ledger, wallets, invoices, payments, objects, clock });
  const eventLog = createEventLog(database, config.eventRetentionDays);
  const renderLogged = (events: readonly LoggedEvent[]) => renderEvents({ history, invoices, payments, objects }, events);
  const logged = { eventLog, renderEvents: renderLogged };
  const feed = new Feed({ database, eventLog, log });
  const newOutbound = (settings = {}) => new Outbound({ allow: config.outboundAllow, proxy: config.outboundProxy, log, ...settings });
  const outbound = newOutbound();
  const rates = createRates({ ...config, database, alerts, outbound: newOutbound(), clock, timeoutMs: jobTiming?.rateTimeoutMs });
  const nostrCrypto = createNostrCrypto();
  const linked = { ...config, rates, withdrawals, database, secretKey, ledger, fees, accounts, wallets, invoices, payments, clock, log };
  const links = createLinkModules({ ...linked, outbound, relayOutbound: newOutbound({ maxRequestsPerHost: 64 }), nostrCrypto });
  const service = { clock, log, database, ...running, alerts, connections, accounts, newKeys, ...keys, directory, idempotency, ...stored };
  const deliveries = createDeliveries(config, { ...service, ...logged, history, secretKey, newOutbound, jobTiming });
  connections.guardIncoming(async (incoming) => ((await invoices.mayClaim(incoming)) ? 'claim' : 'refuse'));
  const playground = opened.find((one) => one.playground)?.playground;
  const logins = createLoginModules({ database, clock, secretKey, publicUrl, passwords });
  const money = { ...marked, ...moving, rates, ledger, wallets, history, ...links, nostrCrypto, stuckPaymentSeconds };
  const common = { ...service, recoveryLog, outbound, playground, ...logins, ...money, ...logged, objects, feed, ...deliveries };
  const modules = { ...common, payouts: createPayouts(common), ...createNwc({ ...config, ...common, secretKey, timing: jobTiming?.nwc }) };
  const notifications = createNotificationModule({ ...config.notifications, ...modules, publicUrl, timing: jobTiming?.notifications });
  return { ...modules, notifications, operator: new Operator(modules, paymentWaitSeconds) };
}

type MoneyDependencies = Pick<PaymentDependencies, 'database' | 'ledger' | 'alerts' | 'connections' | 'clock' | 'log' | keyof Marked> & {
  readonly routeKeysend: KeysendRouting;
} & Pick<InvoiceContext, 'recoveryLog' | 'lostHolds'>;

/** What invoices and payments need to recognize those of a ledger that was restored. */
type Marked = Pick<PaymentDependencies, 'markers' | 'quarantine' | 'withdrawals' | 'recoverWallet'>;

/** Creates the modules of fees, limits, invoices and payments. */
function createMoneyModules(config: Config, { routeKeysend, ...deps }: MoneyDependencies) {
  const { maxPaymentsInFlight: maxInFlight, paymentWaitSeconds, maxHoldSeconds, holdLimits } = config;
  const fees = createFees(deps);
  const limits = createLimits(deps);
  const invoices = new Invoices({ ...config, ...deps, routeKeysend, fees, limits });
  const payments = createPayments({ ...deps, invoices, fees, limits, linkUses, maxInFlight, paymentWaitSeconds });
  const holdInvoices = createHoldInvoices({ ...deps, invoices, payments, maxHoldSeconds, holdLimits });
  return { fees, spendingLimits: limits, invoices, payments, holdInvoices };
}

type DeliveryDependencies = Omit<
  WebhookDependencies & PushDependencies,
  'outbound' | 'secretBox' | 'retentionDays' | 'publicUrl' | 'timing'
> & {
  readonly connections: Pick<NodeConnections, 'areOnTestNetworks'>;
  readonly newOutbound: (settings: Partial<OutboundSettings>) => Outbound;
  readonly jobTiming: JobTiming | undefined;
};

/** Creates the modules that report events to other services: webhooks, and notifications of browsers. */
function createDeliveries(config: Config, { newOutbound, jobTiming, ...deps }: DeliveryDependencies) {
  const { publicUrl, eventRetentionDays: retentionDays } = config;
  // Users of a service that other machines can reach must not cause requests to this machine.
  const isLocal = listensOnLoopback(config) && config.localHosts.includes(new URL(publicUrl).host);
  const mayReachLoopback = () => isLocal && deps.connections.areOnTestNetworks();
  return {
    webhooks: new Webhooks({
      ...deps,
      outbound: newOutbound({ maxRequestsPerHost: 256, mayReachLoopback }),
      secretBox: createSecretBox(deps.secretKey),
      retentionDays,
      timing: jobTiming?.webhooks,
    }),
    push: new Push({ ...deps, publicUrl, outbound: newOutbound({ maxRequestsPerHost: 32, mayReachLoopback }), timing: jobTiming?.push }),
  };
}

/** Opens the log of what the loss of the database must not take along. A folder that cannot be written to prevents hold invoices only. */
async function openRecoveryLog(
  { backup, dataDir }: Config,
  options: Pick<RecoveryLogOptions, 'secretKey' | 'clock'> & { readonly log: pino.Logger },
): Promise<RecoveryLog> {
  const recoveryLog = createRecoveryLog({ ...options, folder: join(backup.folder ?? dataDir, 'recovery-log') });
  await recoveryLog.begin().catch((error) => {
    const reason = errorMessage(error);
    options.log.error({ folder: recoveryLog.folder, reason }, 'BACKUP_DIR cannot be written to: no hold invoice is created until it can');
  });
  return recoveryLog;
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
