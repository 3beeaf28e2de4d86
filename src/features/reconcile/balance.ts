import { unbookedSettlements } from '../../core/connection/unbooked-events.ts';
import { pause } from '../../core/kernel/clock.ts';
import { satText } from '../../core/kernel/money.ts';
import { explainClosedChannels, trackChannels, useFees } from './closing.ts';
import { describeClosing, type Measurement, measure, NotMeasured, sumClosing } from './measure.ts';
import { type ComparedBalance, MAX_LISTED } from './reconciliation-object.ts';
import { acceptBaseline, levelAfterSweep, missingMsat, type Remainder, readRemainder, recordFall, recordRise } from './remainder.ts';
import type { ReconciliationRun } from './run.ts';
import { measureWithEvidence } from './unsent.ts';

/** The number of measurements while the ledger moves or the node seems to have too little. */
const TRIES = 5;
/** More measurements for a new baseline, which must be exact. */
const BASELINE_TRIES = 20;

/** The node's balance and its own money. */
interface Measured {
  readonly look: Measurement;
  readonly remainder: Remainder;
}

/** Compares the node's balance with the ledger, and tracks the node's own money. */
export async function compareBalance(run: ReconciliationRun): Promise<ComparedBalance> {
  run.state.progress = 'balance';
  const tracked = await readRemainder(run);
  try {
    const measured = tracked && run.scope !== 'new_baseline' ? await trackRemainder(run, tracked) : await takeBaseline(run, tracked);
    await alertIfTooLittle(run, measured);
    return render('measured', null, measured);
  } catch (error) {
    if (error instanceof NotMeasured) return render(error.status, error.message);
    throw error;
  }
}

async function alertIfTooLittle(run: ReconciliationRun, { look, remainder: { sweptMsat = 0 } }: Measured): Promise<void> {
  const { nodeMsat, remainderMsat, inFlightMsat, movedMsat, balance } = look;
  if (remainderMsat + sweptMsat >= -(inFlightMsat + movedMsat)) {
    await run.alerts.clear('node_holds_less', run.nodeId);
    return;
  }
  const message = `the node has ${satText(nodeMsat)}, ${satText(-remainderMsat)} less than the ledger owes; up to ${satText(inFlightMsat)} of that may be in flight.${describeClosing(balance)}`;
  const details = { ln_node_id: run.nodeId, amount_msat: -remainderMsat, in_flight_msat: inFlightMsat };
  await run.alerts.raise({ kind: 'node_holds_less', subject: run.nodeId, message, details });
}

/** @throws NotMeasured */
async function trackRemainder(run: ReconciliationRun, stored: Remainder): Promise<Measured> {
  let look = await measure(run);
  let { remainder: tracked, feesMsat } = await explainClosedChannels(run, stored, look);
  const measureNext = async (next: () => Promise<Measurement>) => {
    look = await next();
    ({ remainder: tracked, feesMsat } = await explainClosedChannels(run, tracked, look));
  };
  // A payment that ends between the two reads looks like missing money. So does a payment whose claim the node's peer has not confirmed yet.
  for (let tries = 1; tries < TRIES && (look.movedMsat > 0 || missingMsat(tracked, look) > 0); tries++) {
    await pause(run.probe.timing.againMs, run.signal);
    await measureNext(() => measure(run));
  }
  // What is missing may be in flight, unless the node has no HTLC of the pending payments. A second look confirms that.
  for (let tries = 0; tries < 2 && isBelow(tracked, look); tries++) {
    if (tries > 0) await pause(run.probe.timing.againMs, run.signal);
    await measureNext(() => measureWithEvidence(run));
  }
  const lackingMsat = missingMsat(tracked, look);
  if (lackingMsat > 0 && lackingMsat <= feesMsat) {
    await useFees(run);
    return { look, remainder: await levelAfterSweep(run, tracked, lackingMsat) };
  }
  if (lackingMsat > 0) return { look, remainder: await recordFall(run, tracked, look) };
  const unbookedMsat = await unbookedSum(run);
  // The minimum of the node's own money.
  const certainMsat = ({ remainderMsat, movedMsat }: Measurement) => remainderMsat - movedMsat - unbookedMsat;
  const risenMsat = certainMsat(look);
  if (risenMsat <= tracked.levelMsat) return { look, remainder: tracked };
  // Money that has arrived and is not booked yet looks like the node's own, so a later measurement must confirm an increase.
  await pause(run.probe.timing.arrivalMs, run.signal);
  const again = await measure(run);
  const levelMsat = Math.min(risenMsat, certainMsat(again));
  return { look: again, remainder: levelMsat > tracked.levelMsat ? await recordRise(run, tracked, levelMsat) : tracked };
}

/** Returns whether the node has less money of its own than before, so that it matters what is in flight. */
function isBelow({ levelMsat, baselineMsat }: Remainder, { remainderMsat, inFlightMsat, movedMsat }: Measurement): boolean {
  return inFlightMsat > 0 && remainderMsat + movedMsat < Math.max(levelMsat, baselineMsat);
}

/**
 * Accepts the node's own money as the new baseline, once three consecutive measurements agree and the ledger did not move. Money that has
 * arrived and is not booked yet looks like the node's own, so the third one comes later.
 * @throws NotMeasured
 */
async function takeBaseline(run: ReconciliationRun, tracked: Remainder | undefined): Promise<Measured> {
  const { againMs, arrivalMs } = run.probe.timing;
  let look = await measure(run);
  for (let tries = 1; tries < BASELINE_TRIES; tries++) {
    const first = look;
    const measureAgain = async (waitMs: number) => {
      await pause(waitMs, run.signal);
      look = await measure(run);
      return first.movedMsat + look.movedMsat === 0 && look.remainderMsat === first.remainderMsat;
    };
    if ((await measureAgain(againMs)) && (await measureAgain(arrivalMs))) {
      await trackChannels(run, look);
      return { look, remainder: await acceptBaseline(run, tracked, look, await unbookedSum(run)) };
    }
  }
  throw new NotMeasured('unsteady', `money moved through the node during each of ${BASELINE_TRIES} measurements`);
}

/** Returns the amount in msat that has arrived and could not be booked, or that may have arrived and is not final. */
async function unbookedSum(run: ReconciliationRun): Promise<number> {
  const unbooked = new Map([...run.unbookedMsat, ...(await unbookedSettlements(run.database, run.nodeId))]);
  return sumOf(unbooked.values()) + (await run.invoices.arrivingMsat(run.nodeId));
}

function render(status: ComparedBalance['balance_status'], reason: string | null, measured?: Measured): ComparedBalance {
  const { look, remainder } = measured ?? {};
  const closing = look?.balance.closing ?? [];
  const swept = remainder?.sweptMsat ?? 0;
  return {
    balance_status: status,
    balance_reason: reason,
    assets_msat: look?.nodeMsat ?? null,
    baseline_msat: remainder?.baselineMsat ?? null,
    baseline_at: remainder?.baselineAt ?? null,
    customers_msat: look?.totals.customersMsat ?? null,
    service_fees_msat: look?.totals.serviceFeesMsat ?? null,
    suspense_msat: look?.totals.suspenseMsat ?? null,
    operator_costs_msat: look ? 0 - look.totals.operatorMsat : null,
    other_nodes_msat: look ? sumOf(look.totals.heldByNode.values()) - look.heldByNodeMsat : null,
    expected_msat: look && remainder ? remainder.baselineMsat - swept + look.heldByNodeMsat : null,
    difference_msat: look && remainder ? look.remainderMsat - remainder.baselineMsat + swept : null,
    in_flight_msat: look?.inFlightMsat ?? null,
    closing_msat: look ? sumClosing(closing) : null,
    closing_channels: closing
      .slice(0, MAX_LISTED)
      .map(({ id, peerPubkey, limboMsat }) => ({ id, peer_pubkey: peerPubkey, num_msat: limboMsat })),
    swept_msat: remainder ? swept : null,
    rose_msat: remainder?.roseMsat ?? null,
    fell_msat: remainder?.fellMsat ?? null,
    moved_msat: look?.movedMsat ?? null,
  };
}

function sumOf(amounts: Iterable<number>): number {
  return Array.from(amounts).reduce((sum, amountMsat) => sum + amountMsat, 0);
}
