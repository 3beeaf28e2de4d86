import { createHash, randomBytes } from 'node:crypto';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Database } from '../../src/core/db/database.ts';
import { systemClock as clock } from '../../src/core/kernel/clock.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import type { OperatorModules } from '../../src/features/operator/operator.ts';
import { faulty } from '../support/faulty-database.ts';
import { silentLog as log } from '../support/ledger.ts';
import { connectionsTo, createModules, NODE_ID, nameNode } from '../support/modules.ts';

/** The modules that operator actions need, on a database that fails where a test sets faults. */
export async function operatorOn(healthy: Database) {
  const database = faulty(healthy);
  const net = new FakeNetwork({ seed: 'operator' });
  const node = net.connect();
  const { pubkey, network } = await node.info();
  await nameNode(healthy);
  const connections = connectionsTo(healthy, node, { pubkey, network });
  const { accounts, alerts, invoices, ledger, payments, wallets } = createModules({ database, healthy, connections, clock });
  const made = await accounts.bootstrap(newKeyText('secret_api'), async () => undefined);
  const { wallet } = await wallets.create(made?.accountId ?? '', 'test');
  const deps: OperatorModules = { database, ledger, alerts, connections, invoices, wallets, payments, clock, log };
  return {
    healthy,
    database,
    deps,
    suspenseMsat: async () => (await ledger.balance(SYSTEM_ACCOUNTS.suspense)).balanceMsat as number,
    /** Puts money into suspense and returns it with a target for an action of this kind: a wallet, or an invoice for three quarters of it. */
    async unmatched(kind: 'credit' | 'return', amountMsat: number): Promise<{ subject: string; target: string }> {
      const preimage = randomBytes(32);
      const subject = createHash('sha256').update(preimage).digest('hex');
      const money = { paymentHash: subject, preimage: preimage.toString('hex'), amountMsat: msat(amountMsat) };
      await invoices.settle({ ...money, type: 'settlement', settledAt: 1, keysend: false, customRecords: {} }, NODE_ID);
      if (kind === 'credit') return { subject, target: wallet.id };
      const { paymentRequest } = net.outside.invoice({ amountMsat: (amountMsat / 4) * 3, script: { fee: 0 } });
      return { subject, target: paymentRequest };
    },
    /** Attempts pending payments again, as the service does periodically. */
    async settle(): Promise<void> {
      await payments.stop();
      await payments.resumePending();
    },
  };
}
