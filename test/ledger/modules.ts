import { createHash, randomBytes } from 'node:crypto';
import { insertAccount } from '../../src/accounts/accounts.sql.ts';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { createAlerts } from '../../src/alerts/alerts.ts';
import type { NodeConnection } from '../../src/connection/connection.ts';
import type { Database } from '../../src/db/database.ts';
import type { Invoice } from '../../src/invoices/invoice.ts';
import { createInvoices, type Invoices } from '../../src/invoices/invoices.ts';
import { keysendRouting } from '../../src/invoices/settle.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { newId } from '../../src/kernel/ids.ts';
import { msat } from '../../src/kernel/money.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import type { LightningNode, Settlement } from '../../src/lightning/node.ts';
import type { Payment } from '../../src/payments/payment.ts';
import { Saga } from '../../src/payments/saga.ts';
import { createWallets, type Wallet } from '../../src/wallets/wallets.ts';
import { type FaultyDatabase, faulty } from '../support/faulty-database.ts';
import { silentLog, testDeposit } from '../support/ledger.ts';

const NOW_MS = 1_700_000_000_000;
const fixedClock: Clock = { nowMs: () => NOW_MS };

/** The modules around the ledger, on a database that fails where a test chooses, with a node that leaves every payment pending. */
export interface Modules {
  readonly database: FaultyDatabase;
  readonly ledger: Ledger;
  readonly invoices: Invoices;
  readonly saga: Saga;
  wallet(balanceMsat: number): Promise<Wallet>;
  invoice(wallet: Wallet, amountMsat: number): Promise<Invoice>;
}

export async function modulesOn(healthy: Database): Promise<Modules> {
  const database = faulty(healthy);
  const ledger = createLedger(database, fixedClock);
  const wallets = createWallets(healthy, createAccounts(healthy, fixedClock), fixedClock);
  const node = stubNode();
  const connection: NodeConnection = {
    node,
    nodeId: 'lnd_test',
    identity: () => ({ pubkey: '02'.padEnd(66, '0'), network: 'regtest' }),
    isAvailable: async () => true,
    requireAvailable: async () => undefined,
  };
  const invoices = createInvoices({
    database,
    ledger,
    connection,
    routeKeysend: keysendRouting(wallets, undefined),
    clock: fixedClock,
    maxOpenInvoices: 1_000_000,
  });
  const noLink = () => {
    throw new Error('no payment here has a link');
  };
  const linkUses = { releaseUse: noLink, takeUse: noLink };
  const accountId = `acc_${newId()}`;
  await healthy.transaction((tx) => tx.run(insertAccount, accountId, NOW_MS / 1000));
  return {
    database,
    ledger,
    invoices,
    saga: new Saga({
      database,
      ledger,
      alerts: createAlerts(healthy, fixedClock, silentLog),
      connection,
      clock: fixedClock,
      log: silentLog,
      invoices,
      maxInFlight: 1000,
      linkUses,
    }),
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
  const unasked = () => Promise.reject(new Error('nobody asks the node for that here'));
  const noResponse = () => Promise.reject(new Error('the response was lost'));
  return {
    info: unasked,
    balance: unasked,
    lookupPayment: unasked,
    lookupInvoice: unasked,
    knowsPosition: unasked,
    close: async () => undefined,
    guardIncoming: () => undefined,
    watch: () => {
      throw new Error('nobody watches the node here');
    },
    cancelInvoice: async () => 'cancelled',
    // A response would be noted in the database, by a statement that comes at any time beside those of a test.
    pay: noResponse,
    keysend: noResponse,
    async createInvoice() {
      const preimage = randomBytes(32);
      const paymentHash = createHash('sha256').update(preimage).digest('hex');
      return { paymentHash, preimage: preimage.toString('hex'), paymentRequest: `lnbcrt${paymentHash}` };
    },
  };
}

/** What the node shows when an outside payment of {@link draftOf} succeeds. */
export function preimageOf(payment: Pick<Payment, 'id'>): string {
  return sha256(payment.id);
}

function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** A payment that is about to begin; inside when it names an invoice. */
export function draftOf(wallet: Wallet, amountMsat: number, invoice?: Invoice): Payment {
  const id = `lntx_${newId()}`;
  return {
    id,
    walletId: wallet.id,
    ledgerAccount: wallet.ledgerAccount,
    nodeId: 'lnd_test',
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
  };
}

/** The node's word that an invoice was paid from outside. */
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
