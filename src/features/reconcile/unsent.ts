import { unixSeconds } from '../../core/kernel/clock.ts';
import { collectEvidence, lookUpPayment } from '../../core/lightning/responses.ts';
import { type Measurement, measure } from './measure.ts';
import { referenceTo } from './pending.ts';
import * as sql from './reconcile.sql.ts';
import type { ReconciliationRun } from './run.ts';

/** The most payments whose evidence is collected for one measurement, the oldest ones. Each takes about five calls. */
const MAX_PAYMENTS = 500;
/** The HTLC of a younger payment may just have ended, before the node records the outcome. */
const MIN_AGE_SECONDS = 60;

/**
 * Measures without counting payments as in flight of which the node has no HTLC: their amounts are in its balance. The evidence is collected
 * after the balance was read, because a payment that is still unfinished then cannot have left the balance before. It counts for payments
 * that are pending before and after.
 * @throws NotMeasured
 */
export async function measureWithEvidence(run: ReconciliationRun): Promise<Measurement> {
  const before = await readHeld(run);
  const look = await measure(run);
  const unsent = new Set<string>();
  await run.probe.each(before, async (payment) => {
    if (await isWithoutHtlc(run, payment)) unsent.add(payment.id);
  });
  const after = await readHeld(run);
  const unsentMsat = after.reduce((sum, { id, held_msat }) => (unsent.has(id) ? sum + held_msat : sum), 0);
  return { ...look, inFlightMsat: look.inFlightMsat - unsentMsat };
}

function readHeld({ database, nodeId, clock }: ReconciliationRun) {
  return database.all(sql.heldPayments, nodeId, unixSeconds(clock) - MIN_AGE_SECONDS, MAX_PAYMENTS);
}

/** Returns whether the node reports a payment as pending and its records show no HTLC of it. No response proves nothing. */
async function isWithoutHtlc({ probe }: ReconciliationRun, payment: Parameters<typeof referenceTo>[0]): Promise<boolean> {
  const reference = referenceTo(payment);
  const outcome = await probe.call((node) => lookUpPayment(node, reference));
  if (!outcome.answered || outcome.value?.state !== 'pending') return false;
  const evidence = await probe.call((node) => collectEvidence(node, reference));
  return evidence.answered && evidence.value?.isWithoutHtlc === true;
}
