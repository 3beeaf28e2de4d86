import { chargeLate } from '../budgets/budgets.ts';
import { invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { type Msat, msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/accounts.ts';
import type { Posting, RowWrite } from '../ledger/posting.ts';
import type { PaymentOutcome } from '../lightning/node.ts';
import { excessAlarm, paidTransfers, requireProof, shareFee } from './conclusion.ts';
import type { Payment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { SagaDependencies } from './saga.ts';

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
export async function correctLateSuccess(deps: SagaDependencies, payment: Payment, outcome: Success): Promise<void> {
  requireProof(payment, outcome.preimage);
  const reservedMsat = await deps.ledger.reservedMsat(payment.id);
  invariant(reservedMsat !== undefined, `payment ${payment.id} never had a hold`);
  try {
    try {
      await deps.ledger.post(charged(deps, payment, reservedMsat, outcome));
    } catch (error) {
      if (!(error instanceof Refusal && error.type === 'insufficient_balance')) throw error;
      await deps.ledger.post(borne(deps, payment, outcome));
    }
  } catch (error) {
    if (!(error instanceof CorrectedBefore)) throw error;
  }
  await deps.alarms.announce();
}

function charged(deps: SagaDependencies, payment: Payment, reservedMsat: Msat, { preimage, feeMsat }: Success): Posting {
  const { alarms, clock } = deps;
  const shares = shareFee(payment, reservedMsat, feeMsat);
  const { chargedMsat } = shares;
  const parameters = [payment.id, preimage, chargedMsat, unixSeconds(clock)];
  const message = `reported as failed, then as succeeded: its wallet was charged ${payment.amountMsat} msat and ${chargedMsat} msat for routing`;
  const transfers = paidTransfers(payment, shares, clock.nowMs());
  return {
    rows: [
      { statement: sql.correctCharged, parameters, otherwise: new CorrectedBefore() },
      ...chargeLate(payment.charge, msat(payment.amountMsat + chargedMsat)),
      ...takeLink(deps, payment),
      alarms.rowOf({ kind: 'payment_corrected', subject: payment.id, message }),
      ...excessAlarm(alarms, payment, shares),
    ],
    transfers: [...transfers.charged, ...transfers.excess],
  };
}

function borne(deps: SagaDependencies, payment: Payment, { feeMsat }: Success): Posting {
  const { alarms, clock } = deps;
  const lossMsat = msat(payment.amountMsat + feeMsat);
  const message = `reported as failed, then as succeeded, and the wallet could not be charged any more: the operator bears ${lossMsat} msat`;
  return {
    rows: [
      { statement: sql.correctBorne, parameters: [payment.id], otherwise: new CorrectedBefore() },
      ...takeLink(deps, payment),
      alarms.rowOf({ kind: 'payment_corrected', subject: payment.id, message }),
    ],
    transfers: [{ id: newId(clock.nowMs()), from: SYSTEM_ACCOUNTS.routingFees, to: SYSTEM_ACCOUNTS.node, amountMsat: lossMsat }],
  };
}

/** The failure had given the use of its withdraw link back. */
function takeLink({ linkUses }: SagaDependencies, { linkId }: Payment): RowWrite[] {
  return linkId === undefined ? [] : [linkUses.take(linkId)];
}
