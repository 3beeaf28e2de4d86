import { unbookedSettlements } from '../../core/connection/events.ts';
import { pause } from '../../core/kernel/clock.ts';
import { satText } from '../../core/kernel/money.ts';
import { type Measurement, measure } from './measure.ts';
import type { NodeAnswer } from './node-probe.ts';
import { acceptBaseline, missingMsat, type Remainder, readRemainder, recordFall, recordRise } from './remainder.ts';
import { type BalanceReport, holdsLess, type MeasuredBalance } from './report.ts';
import type { ReconciliationRun } from './run.ts';

/** The number of measurements while the ledger moves or the node seems to have too little. */
const TRIES = 5;
/** More measurements for a new baseline, which must be exact. */
const BASELINE_TRIES = 20;

/** Compares the node's balance with the ledger, and tracks the node's own money. */
export async function compareBalance(run: ReconciliationRun): Promise<BalanceReport> {
  run.progress = 'balance';
  const tracked = await readRemainder(run);
  const report = tracked && run.scope !== 'new_baseline' ? await trackRemainder(run, tracked) : await takeBaseline(run, tracked);
  if (report.state !== 'measured') return report;
  if (holdsLess(report)) {
    const { nodeMsat, restMsat, baselineMsat, inFlightMsat } = report;
    const shortMsat = -(restMsat + baselineMsat);
    const message = `the node has ${satText(nodeMsat)}, ${satText(shortMsat)} less than the ledger owes; up to ${satText(inFlightMsat)} of that may be in flight`;
    await run.alerts.raise({ kind: 'node_holds_less', subject: run.nodeId, message });
  } else {
    await run.alerts.clear('node_holds_less', run.nodeId);
  }
  return report;
}

async function trackRemainder(run: ReconciliationRun, tracked: Remainder): Promise<BalanceReport> {
  let measured = await measure(run);
  // A payment that ends between the two reads looks like missing money. So does a payment whose claim the node's peer has not confirmed yet.
  const isUnclear = (look: Measurement) => look.movedMsat > 0 || missingMsat(tracked, look) > 0;
  for (let tries = 1; tries < TRIES && measured.answered && isUnclear(measured.value); tries++) {
    await pause(run.probe.timing.againMs, run.signal);
    measured = await measure(run);
  }
  if (!measured.answered) return unanswered(measured);
  const look = measured.value;
  if (missingMsat(tracked, look) > 0) return reportOf(look, await recordFall(run, tracked, look));
  const unbookedMsat = await unbookedSum(run);
  // The minimum of the node's own money.
  const certainMsat = ({ remainderMsat, movedMsat }: Measurement) => remainderMsat - movedMsat - unbookedMsat;
  const risenMsat = certainMsat(look);
  if (risenMsat <= tracked.levelMsat) return reportOf(look, tracked);
  // Money that has arrived and is not booked yet looks like the node's own, so a later measurement must confirm an increase.
  await pause(run.probe.timing.arrivalMs, run.signal);
  const again = await measure(run);
  if (!again.answered) return unanswered(again);
  const levelMsat = Math.min(risenMsat, certainMsat(again.value));
  return reportOf(again.value, levelMsat > tracked.levelMsat ? await recordRise(run, tracked, levelMsat) : tracked);
}

/**
 * Accepts the node's own money as the new baseline, once three consecutive measurements agree and the ledger did not move. Money that has
 * arrived and is not booked yet looks like the node's own, so the third one comes later.
 */
async function takeBaseline(run: ReconciliationRun, tracked: Remainder | undefined): Promise<BalanceReport> {
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
      return reportOf(measured.value, await acceptBaseline(run, tracked, measured.value, await unbookedSum(run)));
    }
  }
  if (!measured.answered) return unanswered(measured);
  return { state: 'unsteady', reason: `money moved through the node during each of ${BASELINE_TRIES} measurements` };
}

/** Returns the amount in msat that has arrived and could not be booked. */
async function unbookedSum(run: ReconciliationRun): Promise<number> {
  const unbooked = new Map([...run.unbookedMsat, ...(await unbookedSettlements(run.database, run.nodeId))]);
  return [...unbooked.values()].reduce((sum, amountMsat) => sum + amountMsat, 0);
}

function unanswered({ reason }: Extract<NodeAnswer<Measurement>, { answered: false }>): BalanceReport {
  return { state: 'unanswered', reason };
}

function reportOf(look: Measurement, { baselineMsat, baselineAt, roseMsat, fellMsat }: Remainder): MeasuredBalance {
  const { heldByNodeMsat, remainderMsat, ...parts } = look;
  const expectedMsat = baselineMsat + heldByNodeMsat;
  return {
    ...parts,
    state: 'measured',
    baselineMsat,
    baselineAt,
    expectedMsat,
    roseMsat,
    fellMsat,
    restMsat: remainderMsat - baselineMsat,
  };
}
