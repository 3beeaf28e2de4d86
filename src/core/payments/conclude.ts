import { concludeCharge } from '../budgets/budgets.ts';
import type { Database } from '../db/database.ts';
import type { FeePosting } from '../fees/fees.ts';
import { linkPaymentRows, reopenedRow, settledInternallyRow } from '../invoices/close.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { eventRow } from '../journal/events.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { failedTransactionRow } from '../journal/wallet-transactions.ts';
import { InvariantViolation, invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage } from '../kernel/log.ts';
import { type Msat, minMsat, msat, satText, subMsat, ZERO_MSAT } from '../kernel/money.ts';
import { HoldClosed, type Posting, type RowWrite, SYSTEM_ACCOUNTS, type TransferOrder } from '../ledger/ledger.ts';
import type { FailureReason, PaymentOutcome } from '../lightning/node.ts';
import { paymentHashOf } from '../lightning/payment-hash.ts';
import { endRows } from '../limits/limits.ts';
import { feeDirectionOf, limitOwnersOf, type Payment, routingReserve } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

/** The posting that ends a payment, and the payment after its commit. */
export interface Conclusion {
  readonly payment: Payment;
  readonly posting: Posting;
}

/** A payment that claims a withdraw link. */
export type ClaimPayment = Payment & { readonly linkId: string };

/** Writes the uses and the daily spending of withdraw links, which the module `lnurl` stores. Each of its rows changes exactly one row. */
export interface LinkUses {
  /** Returns the rows that release the use of a failed claim, and what the claim reserved. */
  releaseUse(claim: ClaimPayment): RowWrite[];
  /** Returns the rows that count a claim as paid. */
  settleUse(claim: ClaimPayment, spentMsat: Msat): RowWrite[];
  /** Returns how many claims beyond its uses a link has paid when it pays another one; 0 if a use is left. */
  readOveruse(database: Database, claim: ClaimPayment): Promise<number>;
  /**
   * Returns the rows that take the use of a claim that succeeded after it was booked as failed, and count what the wallet is charged.
   * They throw {@link LinkUsesChanged} if the link has another overuse than the one that was read.
   */
  retakeUse(claim: ClaimPayment, spentMsat: Msat, overused: number): RowWrite[];
}

export function isClaim(payment: Payment): payment is ClaimPayment {
  return payment.linkId !== undefined;
}

/** Another posting changed the uses of the withdraw link after they were read. Read them again. */
export class LinkUsesChanged extends Error {
  override readonly name = 'LinkUsesChanged';
}

/** Another request to send the payment began after the one that failed, so the failure is not final. */
export class SentAgain extends Error {
  override readonly name = 'SentAgain';
}

/** Books a definitive outcome. Idempotent; `pending` changes nothing. */
export async function conclude(context: PaymentContext, payment: Payment, outcome: PaymentOutcome): Promise<void> {
  if (outcome.state === 'pending') return;
  if (outcome.state === 'failed') return bookConclusion(context, failure(context, payment, outcome.reason));
  requireProof(payment, outcome.preimage);
  const heldMsat = await context.ledger.openHoldMsat(payment.id);
  if (heldMsat === undefined) return;
  const { chargedMsat, charged, excess, alert } = divideCost(context, payment, heldMsat, outcome.feeMsat);
  const fee = await serviceFeePosting(context, payment);
  const returned = returnShortfall(context, payment, subMsat(routingReserve(payment, heldMsat), chargedMsat));
  const end = {
    preimage: outcome.preimage,
    feeMsat: chargedMsat,
    charged: [...charged, ...fee.charged],
    rows: [...alert, ...fee.rows, ...returned.rows],
    transfers: [...fee.shared, ...excess, ...returned.transfers],
  };
  await bookConclusion(context, success(context, payment, end));
  if (excess.length === 0) return;
  // The alert about it is stored already, so a failure here only delays its line in the log.
  const late = (error: unknown) =>
    context.log.warn({ payment: payment.id, reason: errorMessage(error) }, 'an alert is stored and will be logged later');
  await context.alerts.announce().catch(late);
}

/** Books the end of a payment, and notifies the requests that wait for it. Books nothing if the payment has ended. */
export async function bookConclusion({ ledger, endings }: PaymentContext, { payment, posting }: Conclusion): Promise<void> {
  try {
    const receipt = await ledger.post(posting);
    endings.emit(payment.id, { payment, receipt });
  } catch (error) {
    // The next attempt reads the outcome of the other request.
    if (error instanceof SentAgain) return;
    if (!(error instanceof HoldClosed)) throw error;
    endings.emit(payment.id);
  }
}

/** Checks the preimage, which proves the success of a payment (BOLT 4). Without it the outcome is unknown. @throws Error */
export function requireProof(payment: Payment, preimage: string): void {
  if (paymentHashOf(preimage) !== payment.paymentHash)
    throw new Error('the node reports the payment as succeeded, with a preimage that does not match its payment hash');
}

/**
 * Divides the cost of a payment: the wallet pays the amount, and the routing fee up to the fee reserve, the operator the excess. All of it goes
 * to the ledger account of the payment's node.
 */
export function divideCost({ alerts, connections, clock }: PaymentContext, payment: Payment, reservedMsat: Msat, feeMsat: Msat) {
  const chargedMsat = minMsat(feeMsat, routingReserve(payment, reservedMsat));
  const excessMsat = subMsat(feeMsat, chargedMsat);
  const to = connections.of(payment.nodeId).ledgerAccount;
  const passThru = JSON.stringify({ source_transaction: walletTransactionId(payment.transferId, 'from') });
  const feeTransfer = (from: number, amountMsat: Msat) => ({ id: newId(clock.nowMs()), from, to, amountMsat, passThru });
  const message = `routing cost ${satText(feeMsat)}: the wallet was charged ${satText(chargedMsat)}, the operator bears ${satText(excessMsat)}`;
  const { id: lntx_id, walletId: wallet_id } = payment;
  const details = { lntx_id, wallet_id, amount_msat: excessMsat, charged_msat: chargedMsat };
  return {
    chargedMsat,
    charged: [
      { ...amountTransfer(payment), to },
      // A wallet transaction that refers to the payment's.
      ...(chargedMsat > 0 ? [{ ...feeTransfer(payment.ledgerAccount, chargedMsat), fromType: 'network_fee' }] : []),
    ],
    excess: excessMsat > 0 ? [feeTransfer(SYSTEM_ACCOUNTS.routingFees, excessMsat)] : [],
    // Part of the posting that books the excess, so it is raised once.
    alert: excessMsat > 0 ? alerts.rowsOf({ kind: 'fee_above_limit', subject: payment.id, message, details }) : [],
  };
}

/** Returns the parts of the posting that charge the fee of the service for a payment that succeeded. */
export function serviceFeePosting({ fees }: PaymentContext, payment: Payment): Promise<FeePosting> {
  const { id, walletId, ledgerAccount, transferId, serviceFeeMsat: feeMsat, feeScheduleId: scheduleId } = payment;
  if (feeMsat === undefined || scheduleId === undefined) return fees.posting(undefined);
  const source = { transferId, side: 'from' } as const;
  return fees.posting({
    feeMsat,
    scheduleId,
    direction: feeDirectionOf(payment),
    wallet: { id: walletId, ledgerAccount },
    source,
    lntx: id,
  });
}

/** Returns the end of a successful internal payment: the amount moves to the other wallet, without a routing fee. */
export async function internalSuccess(context: PaymentContext, payment: Payment, invoice: Invoice): Promise<Conclusion> {
  invariant(invoice.preimage, 'an issued invoice has a preimage');
  const settledAt = unixSeconds(context.clock);
  const settled = settledInternallyRow(invoice.id, payment.amountMsat, settledAt, notPending);
  return paidInternally(context, payment, invoice, { preimage: invoice.preimage, settled, settledAt });
}

interface InternalSettlement {
  readonly preimage: string;
  /** The row that marks the invoice. */
  readonly settled: RowWrite;
  /** The time in that row, in Unix seconds. */
  readonly settledAt: number;
}

/** Returns the end of an internal payment whose invoice is settled, also of a hold invoice that its wallet settles. */
export async function paidInternally(
  context: PaymentContext,
  payment: Payment,
  invoice: Invoice,
  { preimage, settled, settledAt }: InternalSettlement,
): Promise<Conclusion> {
  const { id, ledgerAccount: to, wtxType: toType } = invoice;
  const transfer = { ...amountTransfer(payment), to, toType, toLntx: id };
  const fee = await serviceFeePosting(context, payment);
  return success(context, payment, {
    preimage,
    feeMsat: ZERO_MSAT,
    charged: [transfer, ...fee.charged],
    rows: [settled, ...linkPaymentRows(invoice, payment.amountMsat, settledAt), ...fee.rows],
    transfers: fee.shared,
  });
}

/**
 * Returns the part of a shortfall that a payment does not need after all, because it spends less than it held. It goes back to
 * `restore_difference`; otherwise its wallet could spend it.
 */
function returnShortfall({ clock }: PaymentContext, { id, ledgerAccount, transferId, shortfallMsat }: Payment, unspentMsat: Msat) {
  const amountMsat = minMsat(shortfallMsat ?? ZERO_MSAT, unspentMsat);
  if (amountMsat === 0) return { rows: [], transfers: [] };
  const passThru = JSON.stringify({ source_transaction: walletTransactionId(transferId, 'from') });
  const order = { from: ledgerAccount, to: SYSTEM_ACCOUNTS.restoreDifference, amountMsat, fromType: 'restore_difference', passThru };
  return {
    rows: [{ statement: sql.reduceShortfall, parameters: [id, amountMsat], onMiss: notPending }],
    transfers: [{ id: newId(clock.nowMs()), ...order }],
  };
}

/** Returns the end of a failed payment: hold, budget, invoice and link use are released. */
export function failure(context: PaymentContext, payment: Payment, reason: FailureReason): Conclusion {
  const { linkUses, clock } = context;
  // The hold is at least the shortfall.
  const returned = returnShortfall(context, payment, payment.shortfallMsat ?? ZERO_MSAT);
  const rows: RowWrite[] = [
    { statement: sql.markFailed, parameters: [payment.id, reason, payment.sendingSinceMs ?? null], onMiss: () => new SentAgain() },
    failedTransactionRow(payment),
    ...concludeCharge(payment.charge, ZERO_MSAT),
    ...endRows(clock, limitOwnersOf(payment), payment.amountMsat, 'failed'),
    ...(payment.invoiceId === undefined ? [] : [reopenedRow(payment.invoiceId, notPending)]),
    ...(isClaim(payment) ? linkUses.releaseUse(payment) : []),
    ...returned.rows,
  ];
  // A correction deletes the reason from the row of the payment.
  const data = { failureReason: reason };
  const event = eventRow(clock, { type: 'wallet_send_failure', owner: payment, subject: payment.id, data });
  const voids = [{ holdId: payment.id, account: payment.ledgerAccount }];
  const posting: Posting = { rows, voids, transfers: returned.transfers, events: [event] };
  return { payment: { ...payment, state: 'failed', failureReason: reason }, posting };
}

/** Returns the transfer of the amount. The wallet transaction of a payment with a hold has had its id since then. */
export function amountTransfer(payment: Payment): Omit<TransferOrder, 'to'> {
  const { transferId: id, ledgerAccount: from, amountMsat, wtxType: fromType, id: fromLntx } = payment;
  return { id, from, amountMsat, fromType, fromLntx };
}

interface Success {
  readonly preimage: string;
  /** The routing fee that the wallet pays. */
  readonly feeMsat: Msat;
  /** The transfers from the wallet. */
  readonly charged: readonly TransferOrder[];
  /** Further rows and transfers of the posting. */
  readonly rows: readonly RowWrite[];
  readonly transfers?: readonly TransferOrder[];
}

/** Returns the end of a successful payment: its cost is posted, the rest of the reserve is released. */
function success({ clock, linkUses }: PaymentContext, payment: Payment, end: Success): Conclusion {
  const { preimage, feeMsat, charged, rows, transfers = [] } = end;
  const settledAt = unixSeconds(clock);
  const spentMsat = msat(payment.amountMsat + feeMsat + (payment.serviceFeeMsat ?? 0));
  const posting: Posting = {
    rows: [
      ...rows,
      { statement: sql.markSucceeded, parameters: [payment.id, preimage, feeMsat, settledAt], onMiss: notPending },
      ...concludeCharge(payment.charge, spentMsat),
      ...endRows(clock, limitOwnersOf(payment), payment.amountMsat, 'succeeded'),
      ...(isClaim(payment) ? linkUses.settleUse(payment, spentMsat) : []),
    ],
    posts: [{ holdId: payment.id, account: payment.ledgerAccount, transfers: charged }],
    transfers,
  };
  return { payment: { ...payment, state: 'succeeded', preimage, feeMsat, settledAt }, posting };
}

/** The hold of a payment and its state change in one posting, so this is a bug. */
function notPending(): Error {
  return new InvariantViolation('the payment is not pending although its hold is open');
}
