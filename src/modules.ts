import type { pino } from 'pino';
import { createAccounts } from './accounts/accounts.ts';
import { createAccountDirectory } from './accounts/directory.ts';
import { createKeyUses } from './accounts/key-uses.ts';
import { createKeyring } from './accounts/keyring.ts';
import type { Passwords } from './accounts/login/passwords.ts';
import { createAlerts } from './alerts/alerts.ts';
import type { Config } from './config.ts';
import { connectNodes } from './connection/connections.ts';
import type { Commits } from './db/commits.ts';
import type { Database, Tx } from './db/database.ts';
import type { DatabaseHealth } from './db/health.ts';
import { createInstances } from './db/instances.ts';
import { detailsOf } from './feed/details.ts';
import { createFeed } from './feed/feed.ts';
import { createEventLog, type LoggedEvent } from './feed/log.ts';
import { storeFirstKeys } from './first-key.ts';
import { createHistory } from './history/history.ts';
import type { StreamTiming } from './http/live/streams.ts';
import { createObjects } from './http/objects/objects.ts';
import { createIdempotency } from './idempotency/idempotency.ts';
import { createInvoices } from './invoices/invoices.ts';
import { keysendRouting } from './invoices/settle.ts';
import type { JobTiming } from './jobs.ts';
import { systemClock } from './kernel/clock.ts';
import { createLedger } from './ledger/ledger.ts';
import { defaultLinkRow } from './lnurl/pay/default-link.ts';
import { createPayLinks } from './lnurl/pay/pay-links.ts';
import { createRemoteLinks } from './lnurl/remote/remote-links.ts';
import { createWithdrawLinks, linkUses } from './lnurl/withdraw/withdraw-links.ts';
import { createLoginModules } from './login-modules.ts';
import type { OpenedNode } from './open-node.ts';
import { createOperatorReads } from './operator/reads.ts';
import { createOperatorRequests } from './operator/requests.ts';
import { createOutbound } from './outbound/outbound.ts';
import { createPayments, markPendingAtNode } from './payments/payments.ts';
import { createProofs } from './proof/proofs.ts';
import { requestUnsettledComparison } from './reconcile/invoices.ts';
import { readSecretKey } from './secret-key.ts';
import { createWallets, type Wallets } from './wallets/wallets.ts';
import { createSecretBox, createWebhooks } from './webhooks/webhooks.ts';

type CoreModules = Awaited<ReturnType<typeof createModules>>;

/** The modules that routes and background jobs use. */
export type Modules = CoreModules &
  ReturnType<typeof createOperatorModules> & {
    readonly health: DatabaseHealth;
    readonly streamTiming: Partial<StreamTiming> | undefined;
  };

/** The dependencies of the modules. */
export interface ModuleDependencies {
  readonly config: Config;
  readonly log: pino.Logger;
  readonly database: Database;
  readonly commits: Commits;
  readonly opened: readonly OpenedNode[];
  readonly jobTiming: JobTiming | undefined;
  readonly passwords: Passwords | undefined;
}

/** Creates each module once, with the modules it depends on as arguments. */
export async function createModules({ config, log, database, commits, opened, jobTiming, passwords }: ModuleDependencies) {
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

export function createOperatorModules({ stuckPaymentSeconds, paymentWaitSeconds }: Config, modules: CoreModules) {
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
