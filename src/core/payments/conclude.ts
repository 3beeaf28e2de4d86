import type { Alerts } from '../alerts/alerts.ts';
import { concludeCharge } from '../budgets/budgets.ts';
import type { Database } from '../db/database.ts';
import { reopenedRow, settledInternallyRow } from '../invoices/close.ts';
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
import type { Payment } from './payment.ts';
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
  await bookConclusion(context, success(context, payment, heldMsat, outcome));
  if (shareFee(payment, heldMsat, outcome.feeMsat).excessMsat === 0) return;
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

type FeeShares = ReturnType<typeof shareFee>;

/** Divides the routing fee: the wallet pays up to the fee reserve, the operator the excess. */
export function shareFee(payment: Payment, reservedMsat: Msat, feeMsat: Msat) {
  const chargedMsat = minMsat(feeMsat, subMsat(reservedMsat, payment.amountMsat));
  return { chargedMsat, excessMsat: subMsat(feeMsat, chargedMsat) };
}

/** Returns the transfers of the amount and of each non-zero share of the fee to the ledger account of the payment's node. */
export function paidTransfers(payment: Payment, node: number, shares: FeeShares, nowMs: number) {
  const { chargedMsat, excessMsat } = shares;
  const passThru = JSON.stringify({ source_transaction: walletTransactionId(payment.transferId, 'from') });
  const fee = { id: newId(nowMs), to: node, passThru };
  return {
    charged: [
      { ...amountTransfer(payment), to: node },
      // A wallet transaction that refers to the payment's.
      ...(chargedMsat > 0 ? [{ ...fee, from: payment.ledgerAccount, amountMsat: chargedMsat, fromType: 'network_fee' }] : []),
    ],
    excess: excessMsat > 0 ? [{ ...fee, id: newId(nowMs), from: SYSTEM_ACCOUNTS.routingFees, amountMsat: excessMsat }] : [],
  };
}

/** Returns the alert about an excess. It is part of the posting that books the excess, so it is raised once. */
export function excessAlert(alerts: Alerts, payment: Payment, { chargedMsat, excessMsat }: FeeShares): RowWrite[] {
  if (excessMsat === 0) return [];
  const message = `routing cost ${satText(chargedMsat + excessMsat)}: the wallet was charged ${satText(chargedMsat)}, the operator bears ${satText(excessMsat)}`;
  return alerts.rowsOf({ kind: 'fee_above_limit', subject: payment.id, message });
}

/** Returns the end of a successful payment: amount and real fee are posted, the rest of the reserve is released. */
export function success(
  context: PaymentContext,
  payment: Payment,
  heldMsat: Msat,
  outcome: Extract<PaymentOutcome, { state: 'succeeded' }>,
): Conclusion {
  const { alerts, connections, clock } = context;
  const shares = shareFee(payment, heldMsat, outcome.feeMsat);
  const { charged, excess } = paidTransfers(payment, connections.of(payment.nodeId).ledgerAccount, shares, clock.nowMs());
  const ended = succeeded(context, payment, outcome.preimage, shares.chargedMsat);
  const posting: Posting = {
    rows: [...ended.rows, ...excessAlert(alerts, payment, shares)],
    posts: [{ holdId: payment.id, account: payment.ledgerAccount, transfers: charged }],
    transfers: excess,
  };
  return { payment: ended.payment, posting };
}

/** Returns the end of a successful internal payment: the amount moves to the other wallet, without a fee. */
export function internalSuccess(context: PaymentContext, payment: Payment, invoice: Invoice): Conclusion {
  invariant(invoice.preimage, 'an issued invoice has a preimage');
  const settled = settledInternallyRow(invoice.id, payment.amountMsat, unixSeconds(context.clock), notPending);
  const transfer = { ...amountTransfer(payment), to: invoice.ledgerAccount, toType: invoice.wtxType, toLntx: invoice.id };
  const ended = succeeded(context, payment, invoice.preimage, ZERO_MSAT);
  const posting: Posting = {
    rows: [settled, ...ended.rows],
    posts: [{ holdId: payment.id, account: payment.ledgerAccount, transfers: [transfer] }],
  };
  return { payment: ended.payment, posting };
}

/** Returns the end of a failed payment: hold, budget, invoice and link use are released. */
export function failure({ linkUses, clock }: PaymentContext, payment: Payment, reason: FailureReason): Conclusion {
  const rows: RowWrite[] = [
    { statement: sql.markFailed, parameters: [payment.id, reason, payment.sendingSinceMs ?? null], onMiss: () => new SentAgain() },
    failedTransactionRow(payment),
    ...concludeCharge(payment.charge, ZERO_MSAT),
    ...(payment.invoiceId === undefined ? [] : [reopenedRow(payment.invoiceId, notPending)]),
    ...(isClaim(payment) ? linkUses.releaseUse(payment) : []),
  ];
  // A correction deletes the reason from the row of the payment.
  const data = { failureReason: reason };
  const event = eventRow(clock, { type: 'wallet_send_failure', owner: payment, subject: payment.id, data });
  const posting: Posting = { rows, voids: [{ holdId: payment.id, account: payment.ledgerAccount }], events: [event] };
  return { payment: { ...payment, state: 'failed', failureReason: reason }, posting };
}

/** Returns the transfer of the amount. The wallet transaction has had its id since the hold. */
function amountTransfer(payment: Payment): Omit<TransferOrder, 'to'> {
  const { transferId: id, ledgerAccount: from, amountMsat, wtxType: fromType, id: fromLntx } = payment;
  return { id, from, amountMsat, fromType, fromLntx };
}

/** Returns the payment after its success, and the rows of the posting that records it. */
function succeeded(
  { clock, linkUses }: PaymentContext,
  payment: Payment,
  preimage: string,
  feeMsat: Msat,
): { payment: Payment; rows: RowWrite[] } {
  const settledAt = unixSeconds(clock);
  const spentMsat = msat(payment.amountMsat + feeMsat);
  return {
    payment: { ...payment, state: 'succeeded', preimage, feeMsat, settledAt },
    rows: [
      { statement: sql.markSucceeded, parameters: [payment.id, preimage, feeMsat, settledAt], onMiss: notPending },
      ...concludeCharge(payment.charge, spentMsat),
      ...(isClaim(payment) ? linkUses.settleUse(payment, spentMsat) : []),
    ],
  };
}

/** The hold of a payment and its state change in one posting, so this is a bug. */
function notPending(): Error {
  return new InvariantViolation('the payment is not pending although its hold is open');
}
