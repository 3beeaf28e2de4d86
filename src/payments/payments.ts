import type { Tx } from '../db/database.ts';
import type { Invoices } from '../invoices/invoices.ts';
import { errorMessage } from '../kernel/log.ts';
import { type Msat, subMsat } from '../kernel/money.ts';
import type { Receipt } from '../ledger/posting.ts';
import type { Bolt11 } from '../lightning/bolt11/bolt11.ts';
import type { PaymentOutcome } from '../lightning/node.ts';
import { correctLateSuccess } from './correction.ts';
import { type Keysend, keysend } from './keysend.ts';
import { type InvoicePayment, payInvoice } from './pay-invoice.ts';
import { readInvoice } from './payable.ts';
import { type Payment, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import { Saga, type SagaDependencies, type StartedPayment, type Waited } from './saga.ts';
import { stateShortfall } from './stated-shortfall.ts';
import { transferBetween, type WalletTransfer } from './transfer.ts';

/** Money out: to invoices, to nodes, to other wallets. */
export interface Payments {
  /** Decodes an invoice. @throws Refusal `invoice_undecodable`, `invoice_wrong_network` */
  readInvoice(paymentRequest: string): Bolt11;
  payInvoice(order: InvoicePayment): Promise<StartedPayment>;
  keysend(order: Keysend): Promise<StartedPayment>;
  /** @returns the receipt, with the one transfer and both balances. */
  transfer(order: WalletTransfer): Promise<Receipt>;
  /** The payment once it has ended, or as it is after `seconds`. */
  wait(id: string, seconds: number): Promise<Waited>;
  find(id: string): Promise<Payment | undefined>;
  /** Returns the most that routing the payment may cost, or might have cost. */
  feeLimitMsat(payment: Payment): Promise<Msat | undefined>;
  /** The payment of a hash in one wallet, or in any wallet of an account: the live one, or the newest failed one. */
  findByHash(paymentHash: string, owner: { accountId: string; walletId?: string | undefined }): Promise<Payment | undefined>;
  findMany(ids: readonly string[]): Promise<Payment[]>;
  /** How many are in flight; counts no further than 100,000. */
  countPending(): Promise<number>;
  /** Whether a claim of the withdraw link is being paid. */
  isLinkBusy(linkId: string): Promise<boolean>;
  /** Returns whether a claim of the withdraw link with this invoice is pending or was paid. */
  isClaimPaid(linkId: string, invoice: Pick<Bolt11, 'paymentHash' | 'paymentRequest'>): Promise<boolean>;
  /** Books what the node reports of a payment; what contradicts the ledger is corrected where that is possible, and raises an alert. */
  report(paymentId: string, outcome: PaymentOutcome): Promise<void>;
  /** Drives one pending payment again; never throws. */
  drive(payment: Payment): Promise<void>;
  /** Drives every pending payment again, unless the node is away; never throws. */
  resume(): Promise<void>;
  /** Answers everybody who waits with what is known now. */
  stopWaiting(): void;
  stop(): Promise<void>;
}

export interface PaymentsDependencies extends SagaDependencies {
  readonly invoices: Invoices;
}

/**
 * Marks every pending payment as known to the node, so that it is looked up and never sent again. Called when the node was restored from a
 * backup: it may have forgotten payments that it has sent.
 */
export async function markPendingAtNode(tx: Tx): Promise<void> {
  await tx.run(sql.markPendingAtNode);
}

/** How many pending payments are driven at once when they are resumed. */
const RESUME_PAGE = 100;
const MAX_COUNT = 100_000;

export function createPayments(deps: PaymentsDependencies): Payments {
  const { database } = deps;
  const saga = new Saga(deps);
  const one = (row: sql.PaymentRow | undefined) => row && rowToPayment(row);
  const find = async (id: string) => one(await database.first(sql.findById, id));

  /** A page at a time, so that any number of them costs the same memory. */
  async function driveAllPending(): Promise<void> {
    let count = 0;
    for (let after: string | undefined = ''; after !== undefined; ) {
      const rows: sql.PaymentRow[] = await database.all(sql.listPending, after, RESUME_PAGE);
      await Promise.all(rows.map((row) => saga.drive(rowToPayment(row))));
      count += rows.length;
      after = rows.length < RESUME_PAGE ? undefined : rows.at(-1)?.id;
      if (rows.length > 0) deps.log.info({ count, more: after !== undefined }, 'pending payments were handed to the node again');
    }
  }

  async function resume(): Promise<void> {
    try {
      // While the node is away, nothing is lost by waiting: whoever sees it come back resumes.
      if (await deps.connection.isAvailable()) await driveAllPending();
    } catch (error) {
      deps.log.warn({ reason: errorMessage(error) }, 'pending payments were not resumed; trying again later');
    }
  }

  return {
    find,
    resume,
    readInvoice: (paymentRequest) => readInvoice(paymentRequest, deps.connection.identity().network),
    payInvoice(order) {
      const started = payInvoice({ ...deps, saga }, order);
      // The claimer of a withdraw link has no key of the wallet, and is told nothing about its balance.
      return order.claim ? started : stateShortfall('payment', started);
    },
    keysend: (order) => stateShortfall('payment', keysend({ ...deps, saga }, order)),
    transfer: (order) => stateShortfall('transfer', transferBetween(deps, order)),
    async feeLimitMsat({ id, amountMsat }) {
      const reservedMsat = await deps.ledger.reservedMsat(id);
      return reservedMsat === undefined ? undefined : subMsat(reservedMsat, amountMsat);
    },
    wait: (id, seconds) => saga.wait(id, seconds),
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
    async report(paymentId, outcome) {
      let payment = await find(paymentId);
      if (payment?.state === 'pending') {
        await saga.conclude(payment, outcome);
        // Another report may have been booked meanwhile, and say something else.
        payment = await find(paymentId);
        if (payment?.state === 'pending') return;
      }
      if (outcome.state === 'pending' || outcome.state === payment?.state || payment?.correction) return;
      if (payment?.state === 'failed' && outcome.state === 'succeeded') return correctLateSuccess(deps, payment, outcome);
      const message = `the ledger calls the payment ${payment?.state ?? 'unknown'}, the node says ${outcome.state}`;
      await deps.alerts.raise({ kind: 'payment_contradicted', subject: paymentId, message });
    },
    drive: (payment) => saga.drive(payment),
    stopWaiting: () => saga.stopWaiting(),
    stop: () => saga.stop(),
  };
}
