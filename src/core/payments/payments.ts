import type { Alerts } from '../alerts/alerts.ts';
import type { NodeConnections } from '../connection/connections.ts';
import type { Database, Tx } from '../db/database.ts';
import type { Fees } from '../fees/fees.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Invoices } from '../invoices/invoices.ts';
import { markBooked } from '../kernel/booking-mark.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { MarkedPayment, Markers } from '../kernel/markers.ts';
import { amountText, MAX_MSAT, type Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { InsufficientBalance, type Ledger, type Receipt } from '../ledger/ledger.ts';
import type { Bolt11 } from '../lightning/bolt11/bolt11.ts';
import type { PaymentOutcome, SentPayment } from '../lightning/node.ts';
import type { Limits } from '../limits/limits.ts';
import type { Quarantine } from '../quarantine/quarantine.ts';
import type { RecoverWallet } from '../wallets/recovery.ts';
import type { Withdrawals } from '../withdrawals/withdrawals.ts';
import { attempt, stopAttempts } from './attempt.ts';
import type { LinkUses } from './conclude.ts';
import { reportOutcome } from './correct.ts';
import { endHeld, type HeldEnd } from './held.ts';
import type { RequestTerms, StartedPayment } from './hold.ts';
import { type Keysend, keysend } from './keysend.ts';
import { type InvoicePayment, payInvoice, type RequestedInvoice, readInvoice } from './pay-invoice.ts';
import { type Payment, readPayment, routingReserve, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import { bookSentPayment, type ReadBackResult } from './read-back.ts';
import { readAgain, resumePending } from './resume.ts';
import { transferBetween, transferToMany, type WalletTransfer, type WalletTransfers } from './transfer.ts';
import { type AwaitedPayment, Endings, waitForEnd } from './wait.ts';

export interface PaymentDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly connections: NodeConnections;
  readonly invoices: Invoices;
  readonly quarantine: Quarantine;
  readonly withdrawals: Withdrawals;
  readonly markers: Markers;
  readonly recoverWallet: RecoverWallet;
  readonly clock: Clock;
  readonly log: Log;
  /** The maximum of pending payments of one wallet. */
  readonly maxInFlight: number;
  readonly linkUses: LinkUses;
  readonly fees: Fees;
  readonly limits: Limits;
  /** How long a response waits for the end of a payment. */
  readonly paymentWaitSeconds: number;
}

export type PaymentContext = ReturnType<typeof paymentContext>;

/** Returns what the steps of a payment use: other modules, and what this process remembers. */
export function paymentContext(deps: PaymentDependencies) {
  return {
    ...deps,
    /** The running attempts, by payment id. */
    attempts: new Map<string, Promise<void>>(),
    endings: new Endings(),
    /** The internal payments that are made in one posting (pay-at-once.ts), by payment hash. */
    payingAtOnce: new Map<string, { readonly ledgerAccount: number; readonly paying: Promise<StartedPayment> }>(),
  };
}

const MAX_COUNT = 100_000;

export type Payments = ReturnType<typeof createPayments>;

/**
 * Outgoing money: payments of invoices, keysends, transfers between wallets.
 *
 * A payment of an invoice and a keysend have four steps. The process may crash at any point.
 * 1. `hold.ts`, one database transaction: holds amount and fee reserve, and inserts the payment as pending.
 * 2. `attempt.ts`, over the network: sends the payment to the node, or closes the invoice of another wallet to outside payers.
 * 3. `conclude.ts`, one database transaction: posts amount and real fee of a success, voids the hold of a definitive failure. Any other outcome
 *    leaves the payment pending.
 * 4. `resume.ts`: pending payments are attempted again at the start of the service and periodically. This is safe, because the node pays at
 *    most once per payment id.
 *
 * A payment of another wallet's invoice is in most cases one posting instead (`pay-at-once.ts`), as a transfer is (`transfer.ts`).
 */
export function createPayments(deps: PaymentDependencies) {
  const context = paymentContext(deps);
  const { database, ledger, connections } = deps;

  return {
    /** Decodes an invoice. @throws Refusal `invoice_undecodable`, `invoice_wrong_network` */
    readInvoice: (paymentRequest: string): RequestedInvoice => readInvoice(paymentRequest, connections.network()),

    /** See `pay-invoice.ts`. @throws Refusal, NodeUnavailable when no payment was started. */
    payInvoice(order: InvoicePayment): Promise<StartedPayment> {
      const started = payInvoice(context, order);
      // The claimer of a withdraw link has no key of the wallet and must not learn its balance.
      return order.claim ? started : withShortfall('payment', order, started);
    },

    /** See `keysend.ts`. @throws Refusal, NodeUnavailable when no payment was started. */
    keysend: (order: Keysend): Promise<StartedPayment> => withShortfall('payment', order, keysend(context, order)),

    /** See `transfer.ts`. @returns the receipt, with the transfer and both balances. @throws Refusal */
    async transfer(order: WalletTransfer): Promise<Receipt> {
      await context.quarantine.requireNone();
      return withShortfall('transfer', order, transferBetween(context, order));
    },

    /** Makes all of these transfers or none. See `transfer.ts`. @returns the receipt, with the transfers in their order. @throws Refusal */
    async transferToMany(order: WalletTransfers): Promise<Receipt> {
      await context.quarantine.requireNone();
      return withShortfall('transfers', order, transferToMany(context, order));
    },

    /** Returns the payment when it has ended; after `seconds`, the pending payment, with the event `payment_pending`. */
    wait: (id: string, seconds: number): Promise<AwaitedPayment> => waitForEnd(context, id, seconds),

    find: (id: string): Promise<Payment | undefined> => readPayment(database, sql.findById, id),

    /** Returns the payment of a hash in a wallet or an account, by its id: the live one, otherwise the newest failed one. */
    findByHash: (paymentHash: string, ownerId: string): Promise<Payment | undefined> =>
      readPayment(database, sql.findByHash, paymentHash, ownerId),

    /** Returns the payments of a hash in a wallet or an account, by its id, newest first. */
    listByHash: async (paymentHash: string, ownerId: string, limit: number): Promise<Payment[]> =>
      (await database.all(sql.listByHash, paymentHash, ownerId, limit)).map(rowToPayment),

    /** Returns the newest payments of a wallet that are pending or paid, newest first. */
    listNewest: async (walletId: string, limit: number): Promise<Payment[]> =>
      (await database.all(sql.listNewest, walletId, limit)).map(rowToPayment),

    findMany: async (ids: readonly string[]): Promise<Payment[]> =>
      ids.length === 0 ? [] : (await database.all(sql.findMany, ids)).map(rowToPayment),

    /** Returns the fee limit of a payment; undefined if it never had a hold. */
    async feeLimitMsat(payment: Payment): Promise<Msat | undefined> {
      const reservedMsat = await ledger.reservedMsat(payment.id);
      return reservedMsat === undefined ? undefined : routingReserve(payment, reservedMsat);
    },

    /** Counts the pending payments, up to 100,000. */
    countPending: async (): Promise<number> => (await database.first(sql.countAllPending, MAX_COUNT))?.n ?? 0,

    /** Returns whether a claim of the withdraw link with this invoice is pending or was paid. */
    async isClaimPaid(linkId: string, { paymentHash, paymentRequest }: Bolt11): Promise<boolean> {
      if (!(await database.first(sql.findClaim, paymentHash, paymentRequest, linkId))) return false;
      markBooked();
      await database.ensureDurable();
      return true;
    },

    /** Books an outcome that the node reports. An outcome that contradicts the ledger raises an alert, and is corrected if possible. Idempotent. */
    reportOutcome: (paymentId: string, outcome: PaymentOutcome): Promise<void> => reportOutcome(context, paymentId, outcome),

    /** Books a payment of the node's records that the restored ledger lacks. See {@link bookSentPayment}. */
    bookSentPayment: (record: SentPayment, marked: MarkedPayment, nodeId: string): Promise<ReadBackResult> =>
      bookSentPayment(context, record, marked, nodeId),

    /** See {@link endHeld}. @throws Refusal */
    async endHeld(invoice: Invoice, end: HeldEnd): Promise<void> {
      await context.quarantine.requireNone();
      return endHeld(context, invoice, end);
    },

    /** Attempts a pending payment again. Never throws. */
    attempt: (payment: Payment): Promise<void> => attempt(context, payment),

    /** Reads the outcomes of a hash's payments that have not succeeded again. For hints of the node. Never throws. */
    readAgain: (paymentHash: string): void => void readAgain(context, paymentHash),

    /** Attempts all pending payments again whose node is available. Never throws. */
    resumePending: (): Promise<void> => resumePending(context),

    /** Ends every `wait` now. */
    stopWaiting: (): void => context.endings.close(),

    /** Waits until the running attempts have ended, or for a short time if the node does not answer. */
    stop: (): Promise<void> => stopAttempts(context),
  };
}

/**
 * Marks every pending payment that a node may have been sent as known to the node, so that it is looked up and never sent again. Called when
 * the node was restored from a backup: it may have forgotten payments that it has sent.
 */
export async function markPendingAtNode(tx: Tx, nodeId: string): Promise<void> {
  await tx.run(sql.markPendingAtNode, nodeId);
}

/**
 * Adds the amounts to the error for an insufficient balance. Only for callers whose key may spend from the wallet: such a key may also read
 * the balance.
 */
async function withShortfall<T>(what: 'payment' | 'transfer' | 'transfers', { unit }: RequestTerms, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof InsufficientBalance)) throw error;
    const { spendableMsat, amountMsat, reserveMsat, feeMsat = 0 } = error.shortfall;
    const text = (amount: number) => amountText(amount, unit);
    // The sum may be larger than any amount.
    const required = `The spendable balance is ${text(spendableMsat)}. The ${what} ${what === 'transfers' ? 'require' : 'requires'} ${text(Math.min(amountMsat + reserveMsat, MAX_MSAT))}`;
    const fee = feeMsat > 0 ? [`${text(feeMsat)} for the fee of this service`] : [];
    const reserve = reserveMsat > 0 ? [`${text(reserveMsat)} for the fee reserve`] : [];
    if (fee.length + reserve.length === 0) throw new Refusal('insufficient_balance', `${required}.`);
    const parts = new Intl.ListFormat('en').format([`${text(amountMsat - feeMsat)} for the amount`, ...fee, ...reserve]);
    const accepted = feeMsat > 0 ? 'the amount and the fee of this service' : 'the amount';
    const remedy = reserveMsat > 0 ? ` A balance that covers ${accepted}, but not all of the fee reserve, is accepted.` : '';
    throw new Refusal('insufficient_balance', `${required}: ${parts}.${remedy}`);
  }
}
