import type { Tx } from '../db/database.ts';
import { errorMessage } from '../kernel/log.ts';
import { type Msat, subMsat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { InsufficientBalance, type Receipt } from '../ledger/ledger.ts';
import type { Bolt11 } from '../lightning/bolt11/bolt11.ts';
import type { PaymentOutcome } from '../lightning/node.ts';
import { type Keysend, keysend } from './keysend.ts';
import { type InvoicePayment, payInvoice } from './pay-invoice.ts';
import { readInvoice } from './payable.ts';
import { type Payment, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import { reportPending, reportUnanswered } from './pending-report.ts';
import { createReports } from './reports.ts';
import { type AwaitedPayment, Saga, type SagaDependencies, type StartedPayment } from './saga.ts';
import { transferBetween, type WalletTransfer } from './transfer.ts';

/** Outgoing money: payments of invoices, keysends, transfers between wallets. */
export interface Payments {
  /** Decodes an invoice. @throws Refusal `invoice_undecodable`, `invoice_wrong_network` */
  readInvoice(paymentRequest: string): Bolt11;
  /** See `pay-invoice.ts`. @throws Refusal, NodeUnavailable when no payment was started. */
  payInvoice(order: InvoicePayment): Promise<StartedPayment>;
  /** See `keysend.ts`. @throws Refusal, NodeUnavailable when no payment was started. */
  keysend(order: Keysend): Promise<StartedPayment>;
  /** See `transfer.ts`. @returns the receipt, with the transfer and both balances. @throws Refusal */
  transfer(order: WalletTransfer): Promise<Receipt>;
  /** Returns the payment when it has ended, or its state after `seconds`. */
  wait(id: string, seconds: number): Promise<AwaitedPayment>;
  /**
   * For a request that ends while the payment is pending: stores the event `payment_pending` unless it is stored. Returns the
   * payment, which may have ended meanwhile.
   */
  reportPending(payment: Payment): Promise<AwaitedPayment>;
  find(id: string): Promise<Payment | undefined>;
  /** Returns the fee limit of a payment; undefined if it never had a hold. */
  feeLimitMsat(payment: Payment): Promise<Msat | undefined>;
  /** Returns the payment of a hash in a wallet, or in any wallet of an account: the live one, otherwise the newest failed one. */
  findByHash(paymentHash: string, owner: { accountId: string; walletId?: string | undefined }): Promise<Payment | undefined>;
  findMany(ids: readonly string[]): Promise<Payment[]>;
  /** Counts the pending payments, up to 100,000. */
  countPending(): Promise<number>;
  /** Returns whether a claim of the withdraw link is pending. */
  isLinkBusy(linkId: string): Promise<boolean>;
  /** Returns whether a claim of the withdraw link with this invoice is pending or was paid. */
  isClaimPaid(linkId: string, invoice: Pick<Bolt11, 'paymentHash' | 'paymentRequest'>): Promise<boolean>;
  /**
   * Books an outcome that the node reports. An outcome that contradicts the ledger raises an alert, and is corrected if possible. Idempotent.
   */
  reportOutcome(paymentId: string, outcome: PaymentOutcome): Promise<void>;
  /** Attempts a pending payment again. Never throws. */
  attempt(payment: Payment): Promise<void>;
  /** Reads the outcomes of a hash's payments that have not succeeded again. For hints of the node. Never throws. */
  readAgain(paymentHash: string): void;
  /** Attempts all pending payments again whose node is available. Never throws. */
  resumePending(): Promise<void>;
  /** Makes every `wait` return the present state. */
  stopWaiting(): void;
  /** Waits until the running attempts have ended, or for a short time if the node does not answer. */
  stop(): Promise<void>;
}

/**
 * Marks every pending payment that a node may have been sent as known to the node, so that it is looked up and never sent again. Called when
 * the node was restored from a backup: it may have forgotten payments that it has sent.
 */
export async function markPendingAtNode(tx: Tx, nodeId: string): Promise<void> {
  await tx.run(sql.markPendingAtNode, nodeId);
}

/** The number of pending payments that are attempted at the same time. */
const RESUME_PAGE = 100;
const MAX_COUNT = 100_000;

export function createPayments(deps: SagaDependencies): Payments {
  const { database } = deps;
  const saga = new Saga(deps);
  const one = (row: sql.PaymentRow | undefined) => row && rowToPayment(row);
  const find = async (id: string) => one(await database.first(sql.findById, id));

  /** Leaves out payments whose node is unavailable. An event reader resumes them when its node answers again. */
  async function withAvailableNode(payments: readonly Payment[]): Promise<Payment[]> {
    const invoices = await deps.invoices.findMany(payments.flatMap(({ invoiceId }) => invoiceId ?? []));
    const nodeOfInvoice = new Map(invoices.map(({ id, nodeId }) => [id, nodeId]));
    const available = new Set<string>();
    await Promise.all(deps.connections.all.map(async (one) => void ((await one.isAvailable()) && available.add(one.nodeId))));
    return payments.filter(({ invoiceId, nodeId }) => available.has((invoiceId && nodeOfInvoice.get(invoiceId)) ?? nodeId));
  }

  /** Reads a page at a time to bound the memory. */
  async function attemptAllPending(): Promise<void> {
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: sql.PaymentRow[] = await database.all(sql.listPending, after, RESUME_PAGE);
      const pending = rows.map(rowToPayment);
      // Before the attempts, which may take as long as the node likes.
      await reportUnanswered(deps, pending);
      const payments = await withAvailableNode(pending);
      await Promise.all(payments.map((payment) => saga.attempt(payment)));
      count += payments.length;
      after = rows.length < RESUME_PAGE ? undefined : rows.at(-1)?.id;
      if (payments.length > 0) deps.log.info({ count, more: after !== undefined }, 'pending payments were attempted again');
    }
  }

  async function resumePending(): Promise<void> {
    try {
      await attemptAllPending();
    } catch (error) {
      deps.log.warn({ reason: errorMessage(error) }, 'pending payments were not resumed; retrying later');
    }
  }

  const { reportOutcome, readAgain } = createReports(deps, saga, find);

  return {
    find,
    resumePending,
    readAgain,
    readInvoice: (paymentRequest) => readInvoice(paymentRequest, deps.connections.network()),
    payInvoice(order) {
      const started = payInvoice({ ...deps, saga }, order);
      // The claimer of a withdraw link has no key of the wallet and must not learn its balance.
      return order.claim ? started : withShortfall('payment', started);
    },
    keysend: (order) => withShortfall('payment', keysend({ ...deps, saga }, order)),
    transfer: (order) => withShortfall('transfer', transferBetween(deps, order)),
    async feeLimitMsat({ id, amountMsat }) {
      const reservedMsat = await deps.ledger.reservedMsat(id);
      return reservedMsat === undefined ? undefined : subMsat(reservedMsat, amountMsat);
    },
    wait: (id, seconds) => saga.wait(id, seconds),
    async reportPending(payment) {
      if (payment.isPendingReported || (await reportPending(deps, payment))) return { payment };
      return saga.wait(payment.id, 0);
    },
    findByHash: async (paymentHash, { accountId, walletId }) =>
      one(
        walletId === undefined
          ? await database.first(sql.findByHashInAccount, paymentHash, accountId)
          : await database.first(sql.findByHashInWallet, paymentHash, walletId),
      ),
    findMany: async (ids) => (ids.length === 0 ? [] : (await database.all(sql.findMany, ids)).map(rowToPayment)),
    countPending: async () => (await database.first(sql.countAllPending, MAX_COUNT))?.n ?? 0,
    isLinkBusy: async (linkId) => (await database.first(sql.findPendingOfLink, linkId)) !== undefined,
    isClaimPaid: async (linkId, { paymentHash, paymentRequest }) =>
      (await database.first(sql.findClaim, paymentHash, paymentRequest, linkId)) !== undefined,
    reportOutcome,
    attempt: (payment) => saga.attempt(payment),
    stopWaiting: () => saga.stopWaiting(),
    stop: () => saga.stop(),
  };
}

/**
 * Adds the amounts to the error for an insufficient balance. Only for callers whose key may spend from the wallet: such a key may also read
 * the balance.
 */
async function withShortfall<T>(what: 'payment' | 'transfer', work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof InsufficientBalance)) throw error;
    const { spendableMsat, amountMsat, reserveMsat } = error.shortfall;
    const required = `The spendable balance is ${spendableMsat} msat. The ${what} requires ${BigInt(amountMsat) + BigInt(reserveMsat)} msat`;
    if (reserveMsat === 0) throw new Refusal('insufficient_balance', `${required}.`);
    throw new Refusal(
      'insufficient_balance',
      `${required}: ${amountMsat} msat for the amount and ${reserveMsat} msat for the fee reserve. ` +
        'A balance that covers the amount, but not all of the fee reserve, is accepted.',
    );
  }
}
