import { createHash, randomBytes } from 'node:crypto';
import { vi } from 'vitest';
import { FakeNetwork } from '../../devnet/fake/fake.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Database } from '../../src/core/db/database.ts';
import { systemClock as clock } from '../../src/core/kernel/clock.ts';
import { msat } from '../../src/core/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../src/core/ledger/accounts.ts';
import type { Payment } from '../../src/core/payments/payment.ts';
import type { Wallet } from '../../src/core/wallets/wallets.ts';
import { type Action, findAction, type NewAction, readAction, requestAction } from '../../src/features/operator/actions.ts';
import { Operator, type OperatorModules } from '../../src/features/operator/operator.ts';
import { faulty } from '../support/faulty-database.ts';
import { silentLog as log, testDeposit } from '../support/ledger.ts';
import { connectionsTo, createModules, NODE_ID, nameNode } from '../support/modules.ts';

type WantedAction = Partial<NewAction> & Pick<NewAction, 'kind' | 'subject'>;

/** Executes an action as far as possible on the instance with these modules. */
export function execute(modules: OperatorModules, action: Action): Promise<void> {
  return new Operator(modules, 0).execute(action);
}

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
  const deps: OperatorModules = { database, ledger, alerts, connections, invoices, wallets, payments, clock, log, stuckPaymentSeconds: 0 };
  const accountId = made?.accountId ?? '';
  const request = async (action: WantedAction): Promise<Action> => {
    const wanted = { target: '', requestedBy: 'bob@desk', reason: 'a test', ...action };
    const { id } = await healthy.transaction((tx) => requestAction(tx, wanted, 1));
    return readAction(healthy, id);
  };
  return {
    healthy,
    database,
    deps,
    net,
    wallet,
    accountId,
    request,
    /** The modules of another instance; on SQLite, where there is none, the same. */
    another: (): OperatorModules => {
      if (healthy.dialect === 'sqlite') return deps;
      const made = createModules({ database, healthy, connections, clock });
      return { ...deps, ledger: made.ledger, invoices: made.invoices, payments: made.payments };
    },
    newWallet: async () => (await wallets.create(accountId, 'another')).wallet,
    balanceMsat: async ({ ledgerAccount }: Wallet) => (await ledger.balance(ledgerAccount)).balanceMsat as number,
    /** Requests an action and executes it, as far as possible, `tries` times. */
    async act(action: WantedAction, tries = 1): Promise<Action> {
      const { id } = await request(action);
      for (let i = 0; i < tries; i++) await execute(deps, (await findAction(healthy, id)) as Action);
      return (await findAction(healthy, id)) as Action;
    },
    /** Starts a payment that stays pending at the node. Returns it with its preimage. */
    async pendingPayment(amountMsat = 50_000, script: object = { hold: true, fee: 0 }): Promise<Payment & { readonly proof: string }> {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat, script });
      await ledger.post({ transfers: [testDeposit(wallet.ledgerAccount, 2 * amountMsat)] });
      const invoice = payments.readInvoice(paymentRequest);
      const order = { wallet, invoice, feeLimitMsat: msat(1_000), wtxType: 'ln_withdrawal' } as const;
      const { payment } = await payments.payInvoice(order);
      await vi.waitUntil(() => net.state().outgoing[payment.id]?.outcome.state === 'pending', { timeout: 150_000, interval: 20 });
      return { ...payment, proof: net.state().outsideInvoices[paymentHash]?.preimage ?? '' };
    },
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
