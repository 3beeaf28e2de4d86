import { createHash, randomBytes } from 'node:crypto';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { createAccounts } from '../../src/accounts/accounts.ts';
import { newKeyText } from '../../src/accounts/keys.ts';
import { createAlerts } from '../../src/alerts/alerts.ts';
import type { NodeConnection } from '../../src/connection/connection.ts';
import type { Database } from '../../src/db/database.ts';
import { createInvoices } from '../../src/invoices/invoices.ts';
import { keysendRouting } from '../../src/invoices/settle.ts';
import { systemClock as clock } from '../../src/kernel/clock.ts';
import { msat } from '../../src/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/ledger/accounts.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import type { OperatorDependencies } from '../../src/operator/actions.ts';
import { createPayments } from '../../src/payments/payments.ts';
import { createWallets } from '../../src/wallets/wallets.ts';
import { faulty } from '../support/faulty-database.ts';
import { silentLog as log } from '../support/ledger.ts';

/** What operator actions need, on a database that fails where a test says. */
export async function operatorOn(healthy: Database) {
  const database = faulty(healthy);
  const net = new FakeNetwork({ seed: 'operator' });
  const node = net.connect();
  const { pubkey, network } = await node.info();
  const connection: NodeConnection = {
    node,
    nodeId: 'lnd_test',
    identity: () => ({ pubkey, network }),
    isAvailable: async () => true,
    requireAvailable: async () => undefined,
  };
  const ledger = createLedger(database, clock);
  const alerts = createAlerts(healthy, clock, log);
  const accounts = createAccounts(healthy, clock);
  const made = await accounts.bootstrap(newKeyText('secret_api'), async () => undefined);
  const wallets = createWallets(database, accounts, clock);
  const invoices = createInvoices({
    database,
    ledger,
    connection,
    routeKeysend: keysendRouting(wallets, undefined),
    clock,
    maxOpenInvoices: 100,
  });
  const noLink = () => {
    throw new Error('no payment here has a link');
  };
  const linkUses = { releaseUse: noLink, takeUse: noLink };
  const payments = createPayments({ database, ledger, alerts, connection, invoices, clock, log, linkUses, maxInFlight: 100 });
  const { wallet } = await wallets.create(made?.accountId ?? '', 'test');
  const deps: OperatorDependencies = { database, ledger, alerts, connection, wallets, payments, clock, log };
  return {
    healthy,
    database,
    deps,
    suspenseMsat: async () => (await ledger.balance(SYSTEM_ACCOUNTS.suspense)).balanceMsat as number,
    /** Money in suspense, and where an action of this kind may take it: to a wallet, or three quarters of it to an invoice. */
    async stray(kind: 'credit' | 'return', amountMsat: number): Promise<{ subject: string; target: string }> {
      const preimage = randomBytes(32);
      const subject = createHash('sha256').update(preimage).digest('hex');
      const money = { paymentHash: subject, preimage: preimage.toString('hex'), amountMsat: msat(amountMsat) };
      await invoices.settle({ ...money, type: 'settlement', settledAt: 1, keysend: false, customRecords: {} });
      if (kind === 'credit') return { subject, target: wallet.id };
      const { paymentRequest } = net.outside.invoice({ amountMsat: (amountMsat / 4) * 3, script: { fee: 0 } });
      return { subject, target: paymentRequest };
    },
    /** Lets payments come to rest, as the service does now and then. */
    async settle(): Promise<void> {
      await payments.stop();
      await payments.resumePending();
    },
  };
}
