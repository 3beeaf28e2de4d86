import type { Alerts } from '../alerts/alerts.ts';
import { concludeCharge } from '../budgets/budgets.ts';
import type { Database } from '../db/database.ts';
import { reopenedRow, settledInternallyRow } from '../invoices/close.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { eventRow } from '../journal/events.ts';
import { walletTransactionId } from '../journal/wallet-transaction-id.ts';
import { failedTransactionRow } from '../journal/wallet-transactions.ts';
import { invariant } from '../kernel/assert.ts';
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
export interface ClaimPayment {
  readonly id: string;
  readonly amountMsat: Msat;
  readonly linkId: string;
}

/** Writes the uses and the daily spending of withdraw links, which the module `lnurl` stores. Each of its rows changes exactly one row. */
export interface LinkUses {
  /** Returns the rows that release the use of a failed claim, and what the claim reserved. */
  releaseUse(claim: ClaimPayment): RowWrite[];
  /** Returns the rows that count a claim as paid. */
  settleUse(claim: ClaimPayment, spentMsat: Msat): RowWrite[];
  /** Takes the use of a claim that succeeded after it was booked as failed. */
  takeUse(database: Database, claim: ClaimPayment): Promise<TakenUse>;
}

export interface TakenUse {
  /** Returns the rows that take the use and count what the wallet is charged. They throw {@link LinkUsesChanged}. */
  rows(spentMsat: Msat): RowWrite[];
  /** The number of claims that the link then has paid beyond its uses; 0 if a use was left. */
  readonly overused: number;
}

/** Returns the claim that a payment is; undefined if it claims no link. */
export function claimOf({ id, amountMsat, linkId }: Payment): ClaimPayment | undefined {
  return linkId === undefined ? undefined : { id, amountMsat, linkId };
}

/** Another posting changed the uses of the withdraw link after they were read. Read them again. */
export class LinkUsesChanged extends Error {
  override readonly name = 'LinkUsesChanged';
}

/** Another request to send the payment began after the one that failed, so the failure is not final. */
export class SentAgain extends Error {
  override readonly name = 'SentAgain';
}

/** The payment is not pending although its hold is open. Both change in one posting, so this is a bug. */
class PaymentNotPending extends Error {
  override readonly name = 'PaymentNotPending';
}

/** Books a definitive outcome. Idempotent; `pending` changes nothing. */
export async function conclude(context: PaymentContext, payment: Payment, outcome: PaymentOutcome): Promise<void> {
  if (outcome.state === 'pending') return;
  if (outcome.state === 'failed') return bookConclusion(context, failure(context, payment, outcome.reason));
  requireProof(payment, outcome.preimage);
  const heldMsat = await context.ledger.openHoldMsat(payment.id);
  if (heldMsat === undefined) return;
  await bookConclusion(context, success(context, payment, heldMsat, outcome));
  if (shareFee(payment, heldMsat, outcome.feeMsat).excessMsat > 0) await announceExcess(context, payment);
}

/** Books the end of a payment, and notifies the requests that wait for it. Books nothing if the payment has ended. */
export async function bookConclusion({ ledger, endings }: PaymentContext, { payment, posting }: Conclusion): Promise<void> {
  try {
    const receipt = await ledger.post(posting);
    endings.announce(payment.id, { payment, receipt });
  } catch (error) {
    // The next attempt reads the outcome of the other request.
    if (error instanceof SentAgain) return;
    if (!(error instanceof HoldClosed)) throw error;
    endings.announce(payment.id);
  }
}

/** Checks the preimage, which proves the success of a payment (BOLT 4). Without it the outcome is unknown. @throws Error */
export function requireProof(payment: Payment, preimage: string): void {
  if (paymentHashOf(preimage) !== payment.paymentHash)
    throw new Error('the node reports the payment as succeeded, with a preimage that does not match its payment hash');
}

interface FeeShares {
  readonly chargedMsat: Msat;
  readonly excessMsat: Msat;
}

/** Divides the routing fee: the wallet pays up to the fee reserve, the operator the excess. */
export function shareFee(payment: Payment, reservedMsat: Msat, feeMsat: Msat): FeeShares {
  const chargedMsat = minMsat(feeMsat, subMsat(reservedMsat, payment.amountMsat));
  return { chargedMsat, excessMsat: subMsat(feeMsat, chargedMsat) };
}

/** Returns the transfers of the amount and of each non-zero share of the fee to the ledger account of the payment's node. */
export function paidTransfers(payment: Payment, node: number, shares: FeeShares, nowMs: number) {
  const { chargedMsat, excessMsat } = shares;
  const excess = { id: newId(nowMs), from: SYSTEM_ACCOUNTS.routingFees, to: node, amountMsat: excessMsat };
  return {
    charged: [
      { ...amountTransfer(payment), to: node },
      ...(chargedMsat > 0 ? [feeTransfer(payment, node, newId(nowMs), chargedMsat)] : []),
    ],
    excess: excessMsat > 0 ? [{ ...excess, passThru: sourceOf(payment) }] : [],
  };
}

/** Returns the alert about an excess. It is part of the posting that books the excess, so it is raised once. */
export function excessAlert(alerts: Alerts, payment: Payment, { chargedMsat, excessMsat }: FeeShares): RowWrite[] {
  if (excessMsat === 0) return [];
  const message = `routing cost ${satText(chargedMsat + excessMsat)}: the wallet was charged ${satText(chargedMsat)}, the operator bears ${satText(excessMsat)}`;
  return alerts.rowsOf({ kind: 'fee_above_limit', subject: payment.id, message });
}

/** Logs the alert. It is stored already, so a failure here only delays its line in the log. */
export async function announceExcess({ alerts, log }: PaymentContext, payment: Payment): Promise<void> {
  const late = (error: unknown) =>
    log.warn({ payment: payment.id, reason: errorMessage(error) }, 'an alert is stored and will be logged later');
  await alerts.announce().catch(late);
}

/** Returns the end of a successful payment: amount and real fee are posted, the rest of the reserve is released. */
export function success(
  { alerts, connections, clock, linkUses }: PaymentContext,
  payment: Payment,
  heldMsat: Msat,
  outcome: Extract<PaymentOutcome, { state: 'succeeded' }>,
): Conclusion {
  const shares = shareFee(payment, heldMsat, outcome.feeMsat);
  const { chargedMsat } = shares;
  const { charged, excess } = paidTransfers(payment, connections.of(payment.nodeId).ledgerAccount, shares, clock.nowMs());
  const ended = succeeded(payment, outcome.preimage, chargedMsat, unixSeconds(clock));
  const spentMsat = msat(payment.amountMsat + chargedMsat);
  const counted = [...concludeCharge(payment.charge, spentMsat), ...settledUse(linkUses, payment, spentMsat)];
  const posting: Posting = {
    rows: [ended.row, ...counted, ...excessAlert(alerts, payment, shares)],
    posts: [{ holdId: payment.id, account: payment.ledgerAccount, transfers: charged }],
    transfers: excess,
  };
  return { payment: ended.payment, posting };
}

/** Returns the end of a successful internal payment: the amount moves to the other wallet, without a fee. */
export function internalSuccess({ clock, linkUses }: PaymentContext, payment: Payment, invoice: Invoice): Conclusion {
  invariant(invoice.preimage, 'an issued invoice has a preimage');
  const now = unixSeconds(clock);
  const settled = settledInternallyRow(invoice.id, payment.amountMsat, now, notPending);
  const transfer = { ...amountTransfer(payment), to: invoice.ledgerAccount, toType: invoice.wtxType, toLntx: invoice.id };
  const ended = succeeded(payment, invoice.preimage, ZERO_MSAT, now);
  const posting: Posting = {
    rows: [ended.row, settled, ...concludeCharge(payment.charge, payment.amountMsat), ...settledUse(linkUses, payment, payment.amountMsat)],
    posts: [{ holdId: payment.id, account: payment.ledgerAccount, transfers: [transfer] }],
  };
  return { payment: ended.payment, posting };
}

/** Returns the end of a failed payment: hold, budget, invoice and link use are released. */
export function failure({ linkUses, clock }: PaymentContext, payment: Payment, reason: FailureReason): Conclusion {
  const rows: RowWrite[] = [
    { statement: sql.markFailed, parameters: [payment.id, reason, payment.sendingSinceMs ?? null], onMiss: sentAgain },
    failedTransactionRow(payment),
    ...concludeCharge(payment.charge, ZERO_MSAT),
  ];
  if (payment.invoiceId !== undefined) rows.push(reopenedRow(payment.invoiceId, notPending));
  const claim = claimOf(payment);
  if (claim) rows.push(...linkUses.releaseUse(claim));
  // A correction deletes the reason from the row of the payment.
  const data = { failureReason: reason };
  const event = eventRow(clock, { type: 'wallet_send_failure', owner: payment, subject: payment.id, data });
  const posting: Posting = { rows, voids: [{ holdId: payment.id, account: payment.ledgerAccount }], events: [event] };
  return { payment: { ...payment, state: 'failed', failureReason: reason }, posting };
}

function settledUse(linkUses: LinkUses, payment: Payment, spentMsat: Msat): RowWrite[] {
  const claim = claimOf(payment);
  return claim ? linkUses.settleUse(claim, spentMsat) : [];
}

/** Returns the transfer of the amount. The wallet transaction has had its id since the hold. */
function amountTransfer(payment: Payment): Omit<TransferOrder, 'to'> {
  const { transferId: id, ledgerAccount: from, amountMsat, wtxType: fromType, id: fromLntx } = payment;
  return { id, from, amountMsat, fromType, fromLntx };
}

/** Returns the transfer of the fee, a wallet transaction that refers to the payment's. */
function feeTransfer(payment: Payment, node: number, id: string, amountMsat: Msat): TransferOrder {
  const { ledgerAccount: from } = payment;
  return { id, from, to: node, amountMsat, fromType: 'network_fee', passThru: sourceOf(payment) };
}

function succeeded(payment: Payment, preimage: string, feeMsat: Msat, settledAt: number): { payment: Payment; row: RowWrite } {
  return {
    payment: { ...payment, state: 'succeeded', preimage, feeMsat, settledAt },
    row: { statement: sql.markSucceeded, parameters: [payment.id, preimage, feeMsat, settledAt], onMiss: notPending },
  };
}

function sentAgain(): Error {
  return new SentAgain();
}

function notPending(): Error {
  return new PaymentNotPending();
}

function sourceOf(payment: Payment): string {
  return JSON.stringify({ source_transaction: walletTransactionId(payment.transferId, 'from') });
}
