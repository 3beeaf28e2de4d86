import type { Alarms } from '../alarms/alarms.ts';
import { chargeLate } from '../budgets/budgets.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/accounts.ts';
import type { Posting } from '../ledger/posting.ts';
import type { PaymentOutcome } from '../lightning/node.ts';
import { amountTransfer, feeTransfer, requireProof } from './conclusion.ts';
import type { Payment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { SagaDependencies } from './saga.ts';

export interface CorrectionDependencies extends SagaDependencies {
  readonly alarms: Alarms;
}

type Success = Extract<PaymentOutcome, { state: 'succeeded' }>;

/** Another report was first. */
class CorrectedBefore extends Error {
  override readonly name = 'CorrectedBefore';
}

/**
 * The node had called a payment failed, its hold was released, and now the node says that it went through. The money has left, so the
 * ledger says so: the wallet is charged what it would have been charged; if that is not there any more, the operator bears it,
 * because no customer's balance goes below zero. Either way once, with an alarm in the same posting.
 */
export async function correctLateSuccess(deps: CorrectionDependencies, payment: Payment, outcome: Success): Promise<void> {
  requireProof(payment, outcome.preimage);
  try {
    try {
      await deps.ledger.post(charged(deps, payment, outcome));
    } catch (error) {
      if (!(error instanceof Refusal && error.type === 'insufficient_balance')) throw error;
      await deps.ledger.post(borne(deps, payment, outcome));
    }
  } catch (error) {
    if (!(error instanceof CorrectedBefore)) throw error;
  }
  await deps.alarms.announce();
}

function charged({ alarms, clock }: CorrectionDependencies, payment: Payment, { preimage, feeMsat }: Success): Posting {
  const parameters = [payment.id, preimage, feeMsat, unixSeconds(clock)];
  const message = `reported as failed, then as succeeded: its wallet was charged ${payment.amountMsat} msat and ${feeMsat} msat for routing`;
  const fee = feeMsat > 0 ? [feeTransfer(payment, newId(clock.nowMs()), feeMsat)] : [];
  return {
    rows: [
      { statement: sql.correctCharged, parameters, otherwise: new CorrectedBefore() },
      ...chargeLate(payment.charge, msat(payment.amountMsat + feeMsat)),
      alarms.rowOf({ kind: 'payment_corrected', subject: payment.id, message }),
    ],
    transfers: [{ ...amountTransfer(payment), to: SYSTEM_ACCOUNTS.node }, ...fee],
  };
}

function borne({ alarms, clock }: CorrectionDependencies, payment: Payment, { feeMsat }: Success): Posting {
  const lossMsat = msat(payment.amountMsat + feeMsat);
  const message = `reported as failed, then as succeeded, and the wallet could not be charged any more: the operator bears ${lossMsat} msat`;
  return {
    rows: [
      { statement: sql.correctBorne, parameters: [payment.id], otherwise: new CorrectedBefore() },
      alarms.rowOf({ kind: 'payment_corrected', subject: payment.id, message }),
    ],
    transfers: [{ id: newId(clock.nowMs()), from: SYSTEM_ACCOUNTS.routingFees, to: SYSTEM_ACCOUNTS.node, amountMsat: lossMsat }],
  };
}
