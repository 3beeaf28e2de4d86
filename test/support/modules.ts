import { createHash, randomBytes } from 'node:crypto';
import { insertAccount } from '../../src/core/accounts/accounts.sql.ts';
import { createAccounts } from '../../src/core/accounts/accounts.ts';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { NodeConnection } from '../../src/core/connection/connection.ts';
import { NodeConnections } from '../../src/core/connection/connections.ts';
import type { NodeIdentity } from '../../src/core/connection/ledger-nodes.ts';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { createFees, type Fees } from '../../src/core/fees/fees.ts';
import type { Invoice } from '../../src/core/invoices/invoice.ts';
import { Invoices } from '../../src/core/invoices/invoices.ts';
import type { SettlementDetails } from '../../src/core/invoices/report.ts';
import { keysendRouting, type SettlementResult } from '../../src/core/invoices/settle.ts';
import type { Clock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { createMarkers } from '../../src/core/kernel/markers.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { createLedger, type Ledger, SYSTEM_ACCOUNTS } from '../../src/core/ledger/ledger.ts';
import type { LightningNode, PaymentOutcome, Settlement } from '../../src/core/lightning/node.ts';
import { createLimits, type Limits } from '../../src/core/limits/limits.ts';
import { attempt, stopAttempts } from '../../src/core/payments/attempt.ts';
import { conclude } from '../../src/core/payments/conclude.ts';
import { type PaymentDraft, startPayment } from '../../src/core/payments/hold.ts';
import type { Payment } from '../../src/core/payments/payment.ts';
import { createPayments, type PaymentDependencies, paymentContext } from '../../src/core/payments/payments.ts';
import { Quarantine } from '../../src/core/quarantine/quarantine.ts';
import { walletRecovery } from '../../src/core/wallets/recovery.ts';
import { createWallets, type Wallet } from '../../src/core/wallets/wallets.ts';
import { createWithdrawals } from '../../src/core/withdrawals/withdrawals.ts';
import { type FaultyDatabase, faulty } from './faulty-database.ts';
import { silentLog, testDeposit } from './ledger.ts';

/*
 * The modules that move money, on a database of the `ledger` harness, without HTTP:
 *
 *   const { wallet, invoice, invoices, ledger } = await modulesOn(await open());
 *   const payee = await wallet(0);
 *   await invoices.settle(settlementOf(await invoice(payee, 5_000), 5_000));
 *   expect((await ledger.balance(payee.ledgerAccount)).balanceMsat).toBe(5_000);
 */

const NOW_MS = 1_700_000_000_000;
const fixedClock: Clock = { nowMs: () => NOW_MS };

/** The id of the node of {@link connectionsTo}, once {@link nameNode} has given it to the first node of the database. */
export const NODE_ID = 'lnd_test';
const STUB_IDENTITY: NodeIdentity = { pubkey: '02'.padEnd(66, '0'), network: 'regtest' };

const STUB_CAPABILITIES = {
  sendsKeysend: true,
  receivesKeysend: true,
  guards: 'all',
  descriptionHashWithoutText: true,
  holdInvoices: true,
} as const;

/** Returns the connections of a service with one node that is always available. */
export function connectionsTo(database: Database, node: LightningNode, identity: NodeIdentity = STUB_IDENTITY): NodeConnections {
  const ledgerNode = { id: NODE_ID, ledgerAccount: SYSTEM_ACCOUNTS.node, identity, state: 'active', createdAt: NOW_MS / 1000 } as const;
  const info = { ...identity, alias: 'stub', software: 'stub', capabilities: STUB_CAPABILITIES };
  const identify = async () => ({ nodeId: NODE_ID, adapter: node, info });
  const connection = new NodeConnection(ledgerNode, { identify, onHistoryChanged: async () => undefined });
  const isReady = { answers: async () => true, isAvailable: async () => true, requireCanSend: async () => undefined };
  return new NodeConnections([Object.assign(connection, isReady)], [node], database);
}

const nameFirstNode = statement('test_name_node', 'UPDATE lightning_node SET id = $1 WHERE ledger_account = 1');

/** Gives the first node the id of {@link connectionsTo}. Call it before there are wallets. */
export async function nameNode(database: Database): Promise<void> {
  await database.transaction((tx) => tx.run(nameFirstNode, NODE_ID));
}

const noLink = () => {
  throw new Error('this payment has no link');
};
const noLinkUses: PaymentDependencies['linkUses'] = { releaseUse: noLink, settleUse: noLink, readOveruse: noLink, retakeUse: noLink };

/** The invoices of a service with one node. */
class TestInvoices extends Invoices {
  override settle(settlement: SettlementDetails, nodeId = NODE_ID): Promise<SettlementResult> {
    return super.settle(settlement, nodeId);
  }
}

export interface ModuleOptions {
  readonly database: Database;
  /** The database of accounts, wallets and alerts, when `database` fails on purpose. */
  readonly healthy?: Database;
  readonly connections: NodeConnections;
  readonly clock: Clock;
  readonly linkUses?: PaymentDependencies['linkUses'];
}

/** Creates the modules that move money, as the service does. */
export function createModules({ database, healthy = database, connections, clock, linkUses = noLinkUses }: ModuleOptions) {
  const alerts = createAlerts(healthy, clock, silentLog);
  const accounts = createAccounts(healthy, clock);
  const wallets = createWallets({ database: healthy, accounts, clock, isNodeAvailable: async () => true });
  const ledger = createLedger(database, clock);
  const markers = createMarkers(new Uint8Array(32));
  const routeKeysend = keysendRouting(wallets, undefined);
  const fees = createFees({ database: healthy, clock });
  const limits = createLimits({ database: healthy, clock });
  const withdrawals = createWithdrawals({ database: healthy, alerts, clock, log: silentLog });
  const marked = { markers, withdrawals, quarantine: new Quarantine(healthy), recoverWallet: walletRecovery({ database: healthy, clock }) };
  const invoices = new TestInvoices({
    database,
    ledger,
    alerts,
    connections,
    routeKeysend,
    fees,
    limits,
    ...marked,
    clock,
    log: silentLog,
    maxOpenInvoices: 1_000_000,
    creditBeforeFinalMsat: 0,
    maxHoldSeconds: 86_400,
    holdLimits: { perWallet: 1000, perAccount: 1000, perChannel: 1000 },
  });
  const deps = {
    database,
    ledger,
    alerts,
    connections,
    invoices,
    fees,
    limits,
    ...marked,
    clock,
    log: silentLog,
    maxInFlight: 1000,
    linkUses,
    paymentWaitSeconds: 50,
  };
  return { alerts, accounts, wallets, ledger, invoices, payments: createPayments(deps), deps };
}

/** The steps of payments, each of which a test can execute alone. */
export function sagaOf(deps: PaymentDependencies) {
  const context = paymentContext(deps);
  return {
    start: (draft: PaymentDraft) => startPayment(context, draft, 0),
    attempt: (payment: Payment) => attempt(context, payment),
    conclude: (payment: Payment, outcome: PaymentOutcome) => conclude(context, payment, outcome),
    stop: () => stopAttempts(context),
  };
}

/** The modules on a database that fails when a test sets faults, with a node that leaves every payment pending unless a test replaces calls. */
export interface Modules {
  readonly database: FaultyDatabase;
  readonly ledger: Ledger;
  readonly fees: Fees;
  readonly limits: Limits;
  readonly invoices: TestInvoices;
  readonly saga: ReturnType<typeof sagaOf>;
  wallet(balanceMsat: number): Promise<Wallet>;
  invoice(wallet: Wallet, amountMsat: number): Promise<Invoice>;
}

export async function modulesOn(healthy: Database, node: Partial<LightningNode> = {}, clock = fixedClock): Promise<Modules> {
  await nameNode(healthy);
  const database = faulty(healthy);
  const { wallets, ledger, invoices, deps } = createModules({
    database,
    healthy,
    connections: connectionsTo(healthy, { ...stubNode(), ...node }),
    clock,
  });
  const accountId = `acc_${newId()}`;
  await healthy.transaction((tx) => tx.run(insertAccount, accountId, NOW_MS / 1000));
  return {
    database,
    ledger,
    fees: deps.fees,
    limits: deps.limits,
    invoices,
    saga: sagaOf(deps),
    async wallet(balanceMsat) {
      const { wallet } = await wallets.create(accountId, 'test');
      if (balanceMsat > 0) await ledger.post({ transfers: [testDeposit(wallet.ledgerAccount, balanceMsat)] });
      return wallet;
    },
    invoice: (wallet, amountMsat) =>
      invoices.create({ wallet, amountMsat: msat(amountMsat), memo: 'tea', expirySeconds: 3600, wtxType: 'ln_deposit' }),
  };
}

function stubNode(): LightningNode {
  const unsupported = () => Promise.reject(new Error('the stub node does not support this call'));
  const noResponse = () => new Promise<never>(() => undefined);
  return {
    info: unsupported,
    balance: unsupported,
    readSentPayments: unsupported,
    readSettlements: unsupported,
    lookupPayment: unsupported,
    lookupInvoice: unsupported,
    knowsPosition: unsupported,
    close: async () => undefined,
    guardIncoming: () => undefined,
    watch: () => {
      throw new Error('the stub node has no events');
    },
    cancelInvoice: async () => 'cancelled',
    settlementFinality: async () => ({ state: 'final' }),
    // A response, or its loss, would be stored by a statement that runs at any time between those of a test.
    pay: noResponse,
    keysend: noResponse,
    async createInvoice() {
      const preimage = randomBytes(32);
      const paymentHash = createHash('sha256').update(preimage).digest('hex');
      return { paymentHash, preimage: preimage.toString('hex'), paymentRequest: `lnbcrt${paymentHash}` };
    },
  };
}

/** Returns the preimage of an outside payment of {@link draftOf}. */
export function preimageOf(payment: Pick<Payment, 'id'>): string {
  return sha256(payment.id);
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Returns a payment that has not begun. With an invoice, it is internal. */
export function draftOf(wallet: Wallet, amountMsat: number, invoice?: Invoice): Payment {
  const id = `lntx_${newId()}`;
  return {
    id,
    walletId: wallet.id,
    ledgerAccount: wallet.ledgerAccount,
    nodeId: NODE_ID,
    transferId: newId(),
    wtxType: 'ln_withdrawal',
    state: 'pending',
    failureReason: undefined,
    paymentHash: invoice?.paymentHash ?? sha256(Buffer.from(preimageOf({ id }), 'hex')),
    paymentRequest: invoice?.paymentRequest ?? 'lnbcrt',
    destPubkey: '02'.padEnd(66, '0'),
    amountMsat: msat(amountMsat),
    feeMsat: undefined,
    userLabel: '',
    memo: '',
    descriptionHash: undefined,
    expirySeconds: 3600,
    expiresAt: NOW_MS / 1000 + 3600,
    createdAt: NOW_MS / 1000,
    settledAt: undefined,
    preimage: undefined,
    isKeysend: false,
    customRecords: undefined,
    passThru: undefined,
    invoiceId: invoice?.id,
    linkId: undefined,
    sendingSinceMs: invoice ? undefined : NOW_MS,
  };
}

/** Returns the node's event that an invoice was paid from outside. */
export function settlementOf(invoice: Invoice, amountMsat: number): Settlement {
  return {
    type: 'settlement',
    position: '1',
    paymentHash: invoice.paymentHash,
    preimage: invoice.preimage ?? '',
    amountMsat: msat(amountMsat),
    settledAt: NOW_MS / 1000,
    keysend: false,
    customRecords: {},
  };
}
