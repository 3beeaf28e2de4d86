import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Alerts, createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import type { Invoice } from '../../src/core/invoices/invoice.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { msat } from '../../src/core/kernel/money.ts';
import type { InvoiceStatus, LightningNode, PaymentOutcome } from '../../src/core/lightning/node.ts';
import type { ClosedChannel, ClosingChannel } from '../../src/core/lightning/node-channel.ts';
import type { Payment } from '../../src/core/payments/payment.ts';
import { createPayments } from '../../src/core/payments/payments.ts';
import type { Wallet } from '../../src/core/wallets/wallets.ts';
import { runRequest } from '../../src/features/reconcile/reconcile.ts';
import type { NodeComparison } from '../../src/features/reconcile/reconciliation-object.ts';
import { type ReconciliationScope, start } from '../../src/features/reconcile/requests.sql.ts';
import { findReconciliation, requestReconciliation } from '../../src/features/reconcile/requests.ts';
import type { ReconcileModules } from '../../src/features/reconcile/run.ts';
import { silentLog } from '../support/ledger.ts';
import { connectionsTo, createModules, draftOf, modulesOn, preimageOf } from '../support/modules.ts';

export const RESERVE_MSAT = 5000;
export const STUCK_SECONDS = 3600;
const OWN_MSAT = 1_000_000_000;

/** The responses of the node. Other payments are unknown to it, and `silent` means no response in time. */
export interface NodeResponses {
  readonly payments: Map<string, PaymentOutcome | 'silent'>;
  readonly invoices: Map<string, InvoiceStatus | 'silent'>;
  localMsat: number | 'silent';
  openChannels: readonly string[];
  closing: readonly ClosingChannel[];
  closed: readonly ClosedChannel[];
  calls: number;
  inFlight: number;
  mostInFlight: number;
  /** Until so many are in flight at the same time, none of them returns. */
  together: number;
}

/** A ledger, a node with fixed responses, and what reconciliation needs. */
export async function booksOn(database: Database, answerMs = 800) {
  // An attempt ends at once, so that no statement of it runs later.
  const lost = () => Promise.reject(new Error('the response was lost'));
  const modules = await modulesOn(database, { pay: lost, keysend: lost }, systemClock);
  const responses: NodeResponses = {
    payments: new Map(),
    invoices: new Map(),
    localMsat: OWN_MSAT,
    openChannels: ['a', 'b'],
    closing: [],
    closed: [],
    calls: 0,
    inFlight: 0,
    mostInFlight: 0,
    together: 1,
  };
  const clock = { ms: Math.floor(Date.now() / 1000) * 1000, nowMs: () => clock.ms };
  // Only the reconciliation's own clock is moved: ids made in a future would stay ahead for the rest of the process.
  const errors: string[] = [];
  const log = { ...silentLog, error: (_fields: object, message: string) => void errors.push(message) };
  const alerts = createAlerts(database, systemClock, log);
  const node = respondingNode(responses);
  const { invoices } = modules;
  const common = createModules({ database, connections: connectionsTo(database, node), clock: systemClock }).deps;
  const paymentsWith = (others: Alerts) => createPayments({ ...common, ledger: modules.ledger, invoices, alerts: others });
  const payments = paymentsWith(alerts);
  const timing = { answerMs, atOnce: 4, patience: 3, againMs: 1, arrivalMs: 1 };
  const deps: ReconcileModules = {
    database,
    connections: connectionsTo(database, node),
    alerts,
    invoices,
    payments,
    clock,
    log: silentLog,
    stuckPaymentSeconds: STUCK_SECONDS,
    timing,
    pollMs: 20,
  };
  return {
    ...modules,
    responses,
    alerts,
    clock,
    /** What was written to the log as an error. */
    errors,
    deps: { ...deps, node },
    paymentsWith,
    /** One reconciliation, stored as the service stores it. */
    async reconcile(
      scope: ReconciliationScope = 'full',
      { node: changedCalls = {}, ...changed }: { node?: Partial<LightningNode> } & Record<string, unknown> = {},
    ): Promise<NodeComparison & { id: string }> {
      const connections = connectionsTo(database, { ...node, ...changedCalls });
      const requester = { requestedBy: 'bob', reason: 'a test' };
      const id = await database.transaction((tx) => requestReconciliation(tx, 'periodic', clock.ms / 1000, requester));
      await database.transaction((tx) => tx.run(start, id));
      const request = { id, scope, requested_by: 'bob', reason: 'a test' };
      await runRequest({ ...deps, connections, ...changed }, request, new AbortController().signal);
      const [comparison] = (await findReconciliation(database, id))?.nodes ?? [];
      return { id, ...(comparison as NodeComparison) };
    },
    openAlerts: async () => (await alerts.listOpen()).map(({ kind, subject }) => `${kind} ${subject}`),
    /** Starts a payment that is pending at the node, with a start some seconds ago. */
    async pay(wallet: Wallet, amountMsat: number, secondsAgo = 0): Promise<Payment> {
      const createdAt = Math.floor(clock.ms / 1000) - secondsAgo;
      const payment = { ...draftOf(wallet, amountMsat), createdAt };
      await modules.saga.start({ payment, reserveMsat: msat(RESERVE_MSAT) });
      responses.payments.set(payment.id, { state: 'pending' });
      return payment;
    },
    /** Ends a payment in the ledger, and lets the node report the outcome. */
    async end(payment: Payment, outcome: PaymentOutcome): Promise<void> {
      responses.payments.set(payment.id, outcome);
      await modules.saga.conclude(payment, outcome);
    },
    /** An invoice that the node knows as open. */
    async invoice(wallet: Wallet, amountMsat: number): Promise<Invoice> {
      const invoice = await modules.invoice(wallet, amountMsat);
      responses.invoices.set(invoice.paymentHash, { state: 'open' });
      return invoice;
    },
    /** Pays an invoice at the node, without booking it in the ledger. */
    paidAtNode({ paymentHash, preimage = '' }: Invoice, amountMsat: number) {
      const paid = { amountMsat: msat(amountMsat), preimage };
      responses.invoices.set(paymentHash, { state: 'settled', ...paid });
      responses.localMsat = Number(responses.localMsat) + amountMsat;
      return {
        ...paid,
        type: 'settlement',
        position: '1',
        paymentHash,
        settledAt: clock.ms / 1000,
        keysend: false,
        customRecords: {},
      } as const;
    },
  };
}

export type Books = Awaited<ReturnType<typeof booksOn>>;

export function succeeded(payment: Payment, feeMsat = 0): PaymentOutcome {
  return { state: 'succeeded', preimage: preimageOf(payment), feeMsat: msat(feeMsat) };
}

export const FAILED: PaymentOutcome = { state: 'failed', reason: 'NO_ROUTE' };

function respondingNode(responses: NodeResponses): LightningNode {
  async function respond<T>(value: T | 'silent'): Promise<T> {
    responses.calls += 1;
    responses.inFlight += 1;
    responses.mostInFlight = Math.max(responses.mostInFlight, responses.inFlight);
    while (responses.mostInFlight < responses.together) await nextTurn();
    // No turn of the event loop: a response is never later than the probe's patience, however long a turn takes.
    await undefined;
    responses.inFlight -= 1;
    return value === 'silent' ? new Promise<T>(() => undefined) : value;
  }
  return {
    lookupPayment: ({ paymentId }) => respond(responses.payments.get(paymentId)),
    lookupInvoice: (hash) => respond(responses.invoices.get(hash)),
    balance: async () => ({
      localMsat: msat(await respond<number>(responses.localMsat)),
      openChannels: responses.openChannels,
      closing: responses.closing,
    }),
    closedChannels: async (ids) => responses.closed.filter(({ id }) => ids.includes(id)),
    pay: async () => ({ state: 'pending' }),
  } as Partial<LightningNode> as LightningNode;
}

/** Ids in their order. */
export function ids(count: number): string[] {
  return Array.from({ length: count }, () => `lntx_${newId()}`);
}
