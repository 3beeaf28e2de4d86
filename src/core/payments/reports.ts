import { errorMessage } from '../kernel/log.ts';
import type { PaymentOutcome } from '../lightning/node.ts';
import { correctLateSuccess } from './correction.ts';
import { referenceOf, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { Payments } from './payments.ts';
import type { Saga, SagaDependencies } from './saga.ts';

/** The newest payments of a hash that are read again. Only one of them can be pending. */
const MAX_PER_HASH = 10;

/** Books what the node reports about payments that this process may not have attempted. */
export function createReports(deps: SagaDependencies, saga: Saga, find: Payments['find']): Pick<Payments, 'reportOutcome' | 'readAgain'> {
  const { database } = deps;

  /** Attempts a pending payment, and reads a failed one again: its failure may have been ended with evidence, or reported wrongly. */
  async function readAgain(paymentHash: string): Promise<void> {
    for (const payment of (await database.all(sql.findUnpaidByHash, paymentHash, MAX_PER_HASH)).map(rowToPayment)) {
      if (payment.state === 'pending') await saga.attempt(payment);
      else {
        const outcome = await deps.connections.of(payment.nodeId).node.lookupPayment(referenceOf(payment));
        if (outcome?.state === 'succeeded') await reportOutcome(payment.id, outcome);
      }
    }
  }

  async function reportOutcome(paymentId: string, outcome: PaymentOutcome): Promise<void> {
    let payment = await find(paymentId);
    if (payment?.state === 'pending') {
      await saga.conclude(payment, outcome);
      // Another report with another outcome may have been booked meanwhile.
      payment = await find(paymentId);
      if (payment?.state === 'pending') return;
    }
    if (outcome.state === 'pending' || outcome.state === payment?.state || payment?.correction) return;
    if (payment?.state === 'failed' && outcome.state === 'succeeded') return correctLateSuccess(deps, payment, outcome);
    const message = `the payment is ${payment?.state ?? 'unknown'} in the ledger and ${outcome.state} at the node`;
    await deps.alerts.raise({ kind: 'payment_contradicted', subject: paymentId, message });
  }

  return {
    reportOutcome,
    readAgain(paymentHash) {
      // Pending payments are attempted again periodically, and ended ones are compared with the node, so a failure here only delays.
      readAgain(paymentHash).catch((error) =>
        deps.log.warn({ paymentHash, reason: errorMessage(error) }, 'the payments of a hash were not read again'),
      );
    },
  };
}
