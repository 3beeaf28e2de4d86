import { unbookedSettlements } from '../../core/connection/unbooked.ts';
import { pause } from '../../core/kernel/clock.ts';
import { satText } from '../../core/kernel/money.ts';
import { type Measurement, measure } from './measure.ts';
import type { NodeAnswer } from './node-probe.ts';
import type { ComparedBalance } from './reconciliation-object.ts';
import { acceptBaseline, missingMsat, type Remainder, readRemainder, recordFall, recordRise } from './remainder.ts';
import type { ReconciliationRun } from './run.ts';

/** The number of measurements while the ledger moves or the node seems to have too little. */
const TRIES = 5;
/** More measurements for a new baseline, which must be exact. */
const BASELINE_TRIES = 20;

/** The node's balance and its own money; or the reason why it was not measured. */
type Outcome =
  | { readonly status: 'measured'; readonly look: Measurement; readonly remainder: Remainder }
  | { readonly status: 'unanswered' | 'unsteady'; readonly reason: string };

/** Compares the node's balance with the ledger, and tracks the node's own money. */
export async function compareBalance(run: ReconciliationRun): Promise<ComparedBalance> {
  run.progress = 'balance';
  const tracked = await readRemainder(run);
  const outcome = tracked && run.scope !== 'new_baseline' ? await trackRemainder(run, tracked) : await takeBaseline(run, tracked);
  if (outcome.status === 'measured') await alertIfTooLittle(run, outcome.look);
  return render(outcome);
}

async function alertIfTooLittle(run: ReconciliationRun, { nodeMsat, remainderMsat, inFlightMsat, movedMsat }: Measurement): Promise<void> {
  if (remainderMsat >= -(inFlightMsat + movedMsat)) {
    await run.alerts.clear('node_holds_less', run.nodeId);
    return;
  }
  const message = `the node has ${satText(nodeMsat)}, ${satText(-remainderMsat)} less than the ledger owes; up to ${satText(inFlightMsat)} of that may be in flight`;
  await run.alerts.raise({ kind: 'node_holds_less', subject: run.nodeId, message });
}

async function trackRemainder(run: ReconciliationRun, tracked: Remainder): Promise<Outcome> {
  let measured = await measure(run);
  // A payment that ends between the two reads looks like missing money. So does a payment whose claim the node's peer has not confirmed yet.
  const isUnclear = (look: Measurement) => look.movedMsat > 0 || missingMsat(tracked, look) > 0;
  for (let tries = 1; tries < TRIES && measured.answered && isUnclear(measured.value); tries++) {
    await pause(run.probe.timing.againMs, run.signal);
    measured = await measure(run);
  }
  if (!measured.answered) return { status: 'unanswered', reason: measured.reason };
  const look = measured.value;
  if (missingMsat(tracked, look) > 0) return { status: 'measured', look, remainder: await recordFall(run, tracked, look) };
  const unbookedMsat = await unbookedSum(run);
  // The minimum of the node's own money.
  const certainMsat = ({ remainderMsat, movedMsat }: Measurement) => remainderMsat - movedMsat - unbookedMsat;
  const risenMsat = certainMsat(look);
  if (risenMsat <= tracked.levelMsat) return { status: 'measured', look, remainder: tracked };
  // Money that has arrived and is not booked yet looks like the node's own, so a later measurement must confirm an increase.
  await pause(run.probe.timing.arrivalMs, run.signal);
  const again = await measure(run);
  if (!again.answered) return { status: 'unanswered', reason: again.reason };
  const levelMsat = Math.min(risenMsat, certainMsat(again.value));
  const remainder = levelMsat > tracked.levelMsat ? await recordRise(run, tracked, levelMsat) : tracked;
  return { status: 'measured', look: again.value, remainder };
}

/**
 * Accepts the node's own money as the new baseline, once three consecutive measurements agree and the ledger did not move. Money that has
 * arrived and is not booked yet looks like the node's own, so the third one comes later.
 */
async function takeBaseline(run: ReconciliationRun, tracked: Remainder | undefined): Promise<Outcome> {
  let measured = await measure(run);
  for (let tries = 1; tries < BASELINE_TRIES && measured.answered; tries++) {
    const first: Measurement = measured.value;
    const agrees = (again: NodeAnswer<Measurement>) =>
      again.answered && first.movedMsat + again.value.movedMsat === 0 && again.value.remainderMsat === first.remainderMsat;
    await pause(run.probe.timing.againMs, run.signal);
    measured = await measure(run);
    if (!agrees(measured)) continue;
    await pause(run.probe.timing.arrivalMs, run.signal);
    measured = await measure(run);
    if (measured.answered && agrees(measured)) {
      const remainder = await acceptBaseline(run, tracked, measured.value, await unbookedSum(run));
      return { status: 'measured', look: measured.value, remainder };
    }
  }
  if (!measured.answered) return { status: 'unanswered', reason: measured.reason };
  return { status: 'unsteady', reason: `money moved through the node during each of ${BASELINE_TRIES} measurements` };
}

/** Returns the amount in msat that has arrived and could not be booked. */
async function unbookedSum(run: ReconciliationRun): Promise<number> {
  const unbooked = new Map([...run.unbookedMsat, ...(await unbookedSettlements(run.database, run.nodeId))]);
  return sumOf(unbooked.values());
}

function render(outcome: Outcome): ComparedBalance {
  const { look, remainder } = outcome.status === 'measured' ? outcome : {};
  const expectedMsat = look && remainder && remainder.baselineMsat + look.heldByNodeMsat;
  return {
    balance_status: outcome.status,
    balance_reason: outcome.status === 'measured' ? null : outcome.reason,
    assets_msat: look?.nodeMsat ?? null,
    baseline_msat: remainder?.baselineMsat ?? null,
    baseline_at: remainder?.baselineAt ?? null,
    customers_msat: look?.totals.customersMsat ?? null,
    service_fees_msat: look?.totals.serviceFeesMsat ?? null,
    suspense_msat: look?.totals.suspenseMsat ?? null,
    operator_costs_msat: look ? 0 - look.totals.operatorMsat : null,
    other_nodes_msat: look ? sumOf(look.totals.heldByNode.values()) - look.heldByNodeMsat : null,
    expected_msat: expectedMsat ?? null,
    difference_msat: look && remainder ? look.remainderMsat - remainder.baselineMsat : null,
    in_flight_msat: look?.inFlightMsat ?? null,
    rose_msat: remainder?.roseMsat ?? null,
    fell_msat: remainder?.fellMsat ?? null,
    moved_msat: look?.movedMsat ?? null,
  };
}

function sumOf(amounts: Iterable<number>): number {
  return Array.from(amounts).reduce((sum, amountMsat) => sum + amountMsat, 0);
}
