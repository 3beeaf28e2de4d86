import { createHash } from 'node:crypto';
import type { Alerts } from '../alerts/alerts.ts';
import { concludeCharge } from '../budgets/budgets.ts';
import { reopen as reopenInvoice, settleInside } from '../invoices/invoices.sql.ts';
import { invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage } from '../kernel/log.ts';
import { type Msat, minMsat, msat, subMsat, ZERO_MSAT } from '../kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/accounts.ts';
import type { Posting, RowWrite, TransferOrder } from '../ledger/posting.ts';
import type { FailureReason, PaymentOutcome } from '../lightning/node.ts';
import { walletTransactionId } from '../wallets/wallet-transaction-id.ts';
import type { IssuedInvoice } from './payable.ts';
import type { Payment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { SagaDependencies } from './saga.ts';

/** The posting that ends a payment, and the payment as it is once that is committed. */
export interface Conclusion {
  readonly payment: Payment;
  readonly posting: Posting;
}

/** Something moved the payment out of `pending` before its hold: the two change in one posting, so this is a bug. */
class PaymentNotPending extends Error {
  override readonly name = 'PaymentNotPending';
}

/** A payment has succeeded when its preimage is known (BOLT4): a node that says so without it has not said anything. @throws */
export function requireProof(payment: Payment, preimage: string): void {
  const hash = createHash('sha256').update(preimage, 'hex').digest('hex');
  if (hash !== payment.paymentHash) throw new Error('the node calls the payment succeeded, but shows a preimage of something else');
}

interface FeeShares {
  readonly chargedMsat: Msat;
  readonly excessMsat: Msat;
}

/** Who bears what routing has cost: the wallet as much as was reserved for it, the operator what is beyond. */
export function shareFee(payment: Payment, reservedMsat: Msat, feeMsat: Msat): FeeShares {
  const chargedMsat = minMsat(feeMsat, subMsat(reservedMsat, payment.amountMsat));
  return { chargedMsat, excessMsat: subMsat(feeMsat, chargedMsat) };
}

/** The amount, and each share of the fee that is not zero, leave for the node. */
export function paidTransfers(payment: Payment, shares: FeeShares, nowMs: number) {
  const { chargedMsat, excessMsat } = shares;
  const excess = { id: newId(nowMs), from: SYSTEM_ACCOUNTS.routingFees, to: SYSTEM_ACCOUNTS.node, amountMsat: excessMsat };
  return {
    charged: [
      { ...amountTransfer(payment), to: SYSTEM_ACCOUNTS.node },
      ...(chargedMsat > 0 ? [feeTransfer(payment, newId(nowMs), chargedMsat)] : []),
    ],
    excess: excessMsat > 0 ? [{ ...excess, passThru: sourceOf(payment) }] : [],
  };
}

/** In the posting that books the operator's loss, so that it is raised once, however often and by whomever the end is reported. */
export function excessAlert(alerts: Alerts, payment: Payment, { chargedMsat, excessMsat }: FeeShares): RowWrite[] {
  if (excessMsat === 0) return [];
  const message = `routing cost ${chargedMsat + excessMsat} msat: its wallet was charged ${chargedMsat} msat, the operator bears ${excessMsat} msat`;
  return [alerts.rowOf({ kind: 'fee_above_limit', subject: payment.id, message })];
}

/** The alert is kept with the payment's end, and whoever waits has been answered: only its line in the log may come later. */
export async function announceExcess({ alerts, log }: SagaDependencies, payment: Payment): Promise<void> {
  const late = (error: unknown) => log.warn({ payment: payment.id, reason: errorMessage(error) }, 'an alert will be announced later');
  await alerts.announce().catch(late);
}

/** The amount and the real fee leave the wallet for the node; the rest of the reserve is released. */
export function success(
  { alerts, clock }: SagaDependencies,
  payment: Payment,
  heldMsat: Msat,
  outcome: Extract<PaymentOutcome, { state: 'succeeded' }>,
): Conclusion {
  const shares = shareFee(payment, heldMsat, outcome.feeMsat);
  const { chargedMsat } = shares;
  const { charged, excess } = paidTransfers(payment, shares, clock.nowMs());
  const ended = succeeded(payment, outcome.preimage, chargedMsat, unixSeconds(clock));
  const posting: Posting = {
    rows: [ended.row, ...concludeCharge(payment.charge, msat(payment.amountMsat + chargedMsat)), ...excessAlert(alerts, payment, shares)],
    posts: [{ holdId: payment.id, account: payment.ledgerAccount, transfers: charged }],
    transfers: excess,
  };
  return { payment: ended.payment, posting };
}

/** The amount moves from wallet to wallet; there is no fee. */
export function internalPaymentPosting({ clock }: SagaDependencies, payment: Payment, invoice: IssuedInvoice): Conclusion {
  invariant(invoice.preimage, 'an invoice that is paid inside has its preimage');
  const now = unixSeconds(clock);
  const settled = { statement: settleInside, parameters: [invoice.id, payment.amountMsat, now], onMiss: notPending };
  const transfer = { ...amountTransfer(payment), to: invoice.ledgerAccount, toType: invoice.wtxType, toLntx: invoice.id };
  const ended = succeeded(payment, invoice.preimage, ZERO_MSAT, now);
  const posting: Posting = {
    rows: [ended.row, settled, ...concludeCharge(payment.charge, payment.amountMsat)],
    posts: [{ holdId: payment.id, account: payment.ledgerAccount, transfers: [transfer] }],
  };
  return { payment: ended.payment, posting };
}

/** Everything comes back to the wallet, and what the payment had taken can be taken again. */
export function failure({ linkUses }: SagaDependencies, payment: Payment, reason: FailureReason): Conclusion {
  const rows: RowWrite[] = [
    { statement: sql.fail, parameters: [payment.id, reason], onMiss: notPending },
    ...concludeCharge(payment.charge, ZERO_MSAT),
  ];
  if (payment.invoiceId !== undefined) {
    rows.push({ statement: reopenInvoice, parameters: [payment.invoiceId], onMiss: notPending });
  }
  if (payment.linkId !== undefined) rows.push(linkUses.releaseUse(payment.linkId));
  const posting: Posting = { rows, voids: [{ holdId: payment.id, account: payment.ledgerAccount }] };
  return { payment: { ...payment, state: 'failed', failureReason: reason }, posting };
}

/** What a payment moves out of its wallet; its wallet transaction has had this id since the hold. */
function amountTransfer(payment: Payment): Omit<TransferOrder, 'to'> {
  const { transferId: id, ledgerAccount: from, amountMsat, wtxType: fromType, id: fromLntx } = payment;
  return { id, from, amountMsat, fromType, fromLntx };
}

/** What routing cost, as a line of its own that names the payment's. */
function feeTransfer(payment: Payment, id: string, amountMsat: Msat): TransferOrder {
  const { ledgerAccount: from } = payment;
  return { id, from, to: SYSTEM_ACCOUNTS.node, amountMsat, fromType: 'network_fee', passThru: sourceOf(payment) };
}

function succeeded(payment: Payment, preimage: string, feeMsat: Msat, settledAt: number): { payment: Payment; row: RowWrite } {
  return {
    payment: { ...payment, state: 'succeeded', preimage, feeMsat, settledAt },
    row: { statement: sql.succeed, parameters: [payment.id, preimage, feeMsat, settledAt], onMiss: notPending },
  };
}

function notPending(): Error {
  return new PaymentNotPending();
}

function sourceOf(payment: Payment): string {
  return JSON.stringify({ source_transaction: walletTransactionId(payment.transferId, 'from') });
}
