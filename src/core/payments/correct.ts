import { chargeLate } from '../budgets/budgets.ts';
import { eventRow } from '../journal/events.ts';
import { invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { type Msat, msat, satText, ZERO_MSAT } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type Posting, type RowWrite, SYSTEM_ACCOUNTS } from '../ledger/ledger.ts';
import type { PaymentOutcome } from '../lightning/node.ts';
import { lateRows } from '../limits/limits.ts';
import { conclude, divideCost, isClaim, LinkUsesChanged, requireProof, serviceFeePosting } from './conclude.ts';
import { limitOwnersOf, type Payment, readPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

type Success = Extract<PaymentOutcome, { state: 'succeeded' }>;

/** Another report has corrected the payment before. */
class CorrectedBefore extends Error {
  override readonly name = 'CorrectedBefore';
}

/**
 * Books an outcome that the node reports, also of a payment that this process has not attempted. An outcome that contradicts the ledger
 * raises an alert, and is corrected if possible. Idempotent.
 */
export async function reportOutcome(context: PaymentContext, paymentId: string, outcome: PaymentOutcome): Promise<void> {
  const read = () => readPayment(context.database, sql.findById, paymentId);
  let payment = await read();
  if (payment?.state === 'pending') {
    await conclude(context, payment, outcome);
    // Another report with another outcome may have been booked meanwhile.
    payment = await read();
    if (payment?.state === 'pending') return;
  }
  if (outcome.state === 'pending' || outcome.state === payment?.state || payment?.correction) return;
  // The restored ledger has forgotten it. It is read back from the node's records, which also name its wallet.
  if (!payment && (await context.quarantine.read())) return;
  if (payment?.state === 'failed' && outcome.state === 'succeeded') return correctLateSuccess(context, payment, outcome);
  const message = `the payment is ${payment?.state ?? 'unknown'} in the ledger and ${outcome.state} at the node`;
  const details = {
    lntx_id: paymentId,
    wallet_id: payment?.walletId,
    ln_node_id: payment?.nodeId,
    amount_msat: payment?.amountMsat,
    status: payment?.state,
    reason: outcome.state,
  };
  await context.alerts.raise({ kind: 'payment_contradicted', subject: paymentId, message, details });
}

/**
 * Books a payment that the node reported as succeeded after it had reported it as failed, so that the hold was released. The wallet is
 * charged the same as for any success. If its balance no longer covers that, the operator bears the cost, because no wallet's balance may
 * become negative. Idempotent; the posting contains an alert.
 */
async function correctLateSuccess(context: PaymentContext, payment: Payment, outcome: Success): Promise<void> {
  requireProof(payment, outcome.preimage);
  const reservedMsat = await context.ledger.reservedMsat(payment.id);
  invariant(reservedMsat !== undefined, `payment ${payment.id} never had a hold`);
  for (;;) {
    try {
      await bookLateSuccess(context, payment, reservedMsat, outcome);
      break;
    } catch (error) {
      if (error instanceof CorrectedBefore) break;
      if (!(error instanceof LinkUsesChanged)) throw error;
    }
  }
  await context.alerts.announce();
}

async function bookLateSuccess(context: PaymentContext, payment: Payment, reservedMsat: Msat, outcome: Success): Promise<void> {
  const overused = isClaim(payment) ? await context.linkUses.readOveruse(context.database, payment) : 0;
  try {
    await context.ledger.post(await chargedToWallet(context, payment, reservedMsat, outcome, overused));
  } catch (error) {
    if (!(error instanceof Refusal && error.type === 'insufficient_balance')) throw error;
    await context.ledger.post(borneByOperator(context, payment, outcome, overused));
  }
}

async function chargedToWallet(
  context: PaymentContext,
  payment: Payment,
  reservedMsat: Msat,
  { preimage, feeMsat }: Success,
  overused: number,
): Promise<Posting> {
  const { chargedMsat, charged, excess, alert } = divideCost(context, payment, reservedMsat, feeMsat);
  const fee = await serviceFeePosting(context, payment);
  const parameters = [payment.id, preimage, chargedMsat, unixSeconds(context.clock)];
  const spentMsat = msat(payment.amountMsat + chargedMsat + (payment.serviceFeeMsat ?? 0));
  const message = `reported as failed, then as succeeded: the wallet was charged ${satText(payment.amountMsat)} and ${satText(chargedMsat)} for routing`;
  return {
    rows: [
      { statement: sql.correctCharged, parameters, onMiss: new CorrectedBefore() },
      ...chargeLate(payment.charge, spentMsat),
      ...lateRows(context.clock, limitOwnersOf(payment), payment.amountMsat),
      ...correctionRows(context, payment, message, overused, spentMsat),
      ...alert,
      ...fee.rows,
    ],
    transfers: [...charged, ...fee.charged, ...fee.shared, ...excess],
    events: [correctionEvent(context, payment, 'charged')],
  };
}

function borneByOperator(context: PaymentContext, payment: Payment, { feeMsat }: Success, overused: number): Posting {
  const { connections, clock } = context;
  const to = connections.of(payment.nodeId).ledgerAccount;
  const lossMsat = msat(payment.amountMsat + feeMsat);
  const message = `reported as failed, then as succeeded, and the wallet's balance does not cover it: the operator bears ${satText(lossMsat)}`;
  return {
    rows: [
      { statement: sql.correctBorne, parameters: [payment.id], onMiss: new CorrectedBefore() },
      ...correctionRows(context, payment, message, overused, ZERO_MSAT),
    ],
    transfers: [{ id: newId(clock.nowMs()), from: SYSTEM_ACCOUNTS.routingFees, to, amountMsat: lossMsat }],
    events: [correctionEvent(context, payment, 'borne')],
  };
}

function correctionEvent({ clock }: PaymentContext, payment: Payment, correction: 'charged' | 'borne'): RowWrite {
  return eventRow(clock, { type: 'payment_corrected', owner: payment, subject: payment.id, data: { correction } });
}

/** Returns the rows that take the released use of the withdraw link again, and raise the alert. */
function correctionRows(
  { alerts, linkUses }: PaymentContext,
  payment: Payment,
  message: string,
  overused: number,
  spentMsat: Msat,
): RowWrite[] {
  const { id, linkId } = payment;
  const overuse = overused > 0 ? `. Withdraw link ${linkId} has now paid ${overused} more than its number of uses` : '';
  const status = spentMsat === 0 ? 'borne' : 'charged';
  const details = { lntx_id: id, wallet_id: payment.walletId, amount_msat: payment.amountMsat, charged_msat: spentMsat, status };
  return [
    ...(isClaim(payment) ? linkUses.retakeUse(payment, spentMsat, overused) : []),
    ...alerts.rowsOf({ kind: 'payment_corrected', subject: id, message: message + overuse, details }),
  ];
}
