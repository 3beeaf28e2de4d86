import { unbookedSettlements } from '../connection/unbooked-events.ts';
import { pause } from '../kernel/clock.ts';
import { type Measurement, measure } from './measure.ts';
import { acceptBaseline, missingMsat, noteFall, noteRise, type Remainder, readRemainder } from './remainder.ts';
import { type BalanceReport, holdsLess, type MeasuredBalance } from './report.ts';
import type { ReconciliationRun } from './run.ts';
import type { NodeAnswer } from './node-probe.ts';

/** How often the balance is measured again while the ledger moves, or while the node seems to have too little. */
const TRIES = 5;
/** A new baseline is accepted rarely and must be exact. */
const BASELINE_TRIES = 20;

/** Compares the node's balance with what the ledger says it holds, and follows what the node has of its own. */
export async function compareBalance(run: ReconciliationRun): Promise<BalanceReport> {
  run.progress('balance');
  const kept = await readRemainder(run.database);
  const report = kept && run.scope !== 'new_baseline' ? await follow(run, kept) : await takeBaseline(run, kept);
  if (report.state !== 'measured') return report;
  if (holdsLess(report)) {
    const { nodeMsat, restMsat, baselineMsat, inFlightMsat } = report;
    const shortMsat = -(restMsat + baselineMsat);
    const message = `the node has ${nodeMsat} msat, ${shortMsat} msat less than it holds for the ledger; ${inFlightMsat} msat of that can be in flight`;
    await run.alerts.raise({ kind: 'node_holds_less', subject: 'node', message });
  } else {
    await run.alerts.clear('node_holds_less', 'node');
  }
  return report;
}

async function follow(run: ReconciliationRun, kept: Remainder): Promise<BalanceReport> {
  let measured = await measure(run);
  // A payment that ends between two reads looks like missing money, and so does one whose claim the node's peer has not confirmed yet.
  const isUnclear = (look: Measurement) => look.movedMsat > 0 || missingMsat(kept, look) > 0;
  for (let tries = 1; tries < TRIES && measured.answered && isUnclear(measured.value); tries++) {
    await pause(run.probe.timing.againMs, run.signal);
    measured = await measure(run);
  }
  if (!measured.answered) return unanswered(measured);
  const look = measured.value;
  if (missingMsat(kept, look) > 0) return reportOf(look, await noteFall(run, kept, look));
  const unbooked = new Map([...run.unbookedMsat, ...(await unbookedSettlements(run.database))]);
  const unbookedMsat = [...unbooked.values()].reduce((sum, amountMsat) => sum + amountMsat, 0);
  // The least that the node can have of its own.
  const certainMsat = ({ remainderMsat, movedMsat }: Measurement) => remainderMsat - movedMsat - unbookedMsat;
  const risenMsat = certainMsat(look);
  if (risenMsat <= kept.levelMsat) return reportOf(look, kept);
  // Money that has arrived and is not booked yet looks like the node's own: an increase counts once a later look confirms it.
  await pause(run.probe.timing.arrivalMs, run.signal);
  const again = await measure(run);
  if (!again.answered) return unanswered(again);
  const levelMsat = Math.min(risenMsat, certainMsat(again.value));
  return reportOf(again.value, levelMsat > kept.levelMsat ? await noteRise(run, kept, levelMsat) : kept);
}

/** Takes what the node has of its own as the new baseline, once two looks in a row agree while the ledger stands still. */
async function takeBaseline(run: ReconciliationRun, kept: Remainder | undefined): Promise<BalanceReport> {
  let measured = await measure(run);
  for (let tries = 1; tries < BASELINE_TRIES && measured.answered; tries++) {
    const before: Measurement = measured.value;
    await pause(run.probe.timing.againMs, run.signal);
    measured = await measure(run);
    if (!measured.answered) break;
    const { movedMsat, remainderMsat } = measured.value;
    const isSteady = movedMsat === 0 && before.movedMsat === 0 && remainderMsat === before.remainderMsat;
    if (isSteady) return reportOf(measured.value, await acceptBaseline(run, kept, measured.value));
  }
  if (!measured.answered) return unanswered(measured);
  return { state: 'unsteady', reason: `money moved through the node during each of ${BASELINE_TRIES} measurements` };
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
