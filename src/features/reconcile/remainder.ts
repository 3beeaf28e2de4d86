import { writeFact } from '../../core/db/facts.sql.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { timeText, unixSeconds } from '../../core/kernel/clock.ts';
import { satText } from '../../core/kernel/money.ts';
import { describeClosing, type Measurement } from './measure.ts';
import * as sql from './reconcile.sql.ts';
import { factOf, type ReconciliationRun, readNodeFact, writeNodeFact } from './run.ts';

/**
 * The node's own money over time: the remainder of its balance that the ledger does not explain.
 *
 * `level` follows the remainder. A decrease is money that left the node without an entry in the ledger; each one raises its own alert and is
 * added to `fell`. An increase is added to `rose`. They are never offset: money that the operator adds does not explain missing money. Both
 * are reset by a new baseline, and by a return to exactly the level before the first decrease. What closed channels have paid to the node's on-chain
 * wallet, which the service does not see, is `swept`; an increase first counts as its return. Invariant: `baseline + rose − fell − swept = level`.
 * Amounts are msat, times Unix seconds.
 */
export interface Remainder {
  readonly baselineMsat: number;
  readonly baselineAt: number;
  readonly levelMsat: number;
  readonly levelAt: number;
  readonly roseMsat: number;
  readonly fellMsat: number;
  /** Absent: 0. */
  readonly sweptMsat?: number;
  /** The level before the first decrease in `fell`; null if there is none. */
  readonly beforeFallMsat: number | null;
  /** The subjects of the alerts about the decreases in `fell`. */
  readonly fallAlerts: readonly string[];
}

const FALL = 'node_balance_fell';
const REMAINDER = 'node_remainder';

export async function readRemainder(run: ReconciliationRun): Promise<Remainder | undefined> {
  const stored = await readNodeFact(run, REMAINDER);
  return stored === undefined ? undefined : (JSON.parse(stored) as Remainder);
}

/** Returns the part of the level that is missing and cannot be in flight; 0 or less if there is none. */
export function missingMsat({ levelMsat }: Remainder, { remainderMsat, inFlightMsat, movedMsat }: Measurement): number {
  return levelMsat - remainderMsat - inFlightMsat - movedMsat;
}

/** Stores a decrease that closed channels explain: their money is in the node's on-chain wallet, or paid fees. */
export async function levelAfterSweep(run: ReconciliationRun, tracked: Remainder, amountMsat: number): Promise<Remainder> {
  const next: Remainder = {
    ...tracked,
    levelMsat: tracked.levelMsat - amountMsat,
    levelAt: unixSeconds(run.clock),
    sweptMsat: (tracked.sweptMsat ?? 0) + amountMsat,
    beforeFallMsat: tracked.beforeFallMsat === null ? null : tracked.beforeFallMsat - amountMsat,
  };
  await writeNodeFact(run, REMAINDER, JSON.stringify(next));
  return next;
}

/** Stores a decrease and its alert in one transaction, so that each decrease raises one alert. */
export async function recordFall(run: ReconciliationRun, tracked: Remainder, measured: Measurement): Promise<Remainder> {
  const now = unixSeconds(run.clock);
  const fellMsat = missingMsat(tracked, measured);
  const next: Remainder = {
    ...tracked,
    levelMsat: tracked.levelMsat - fellMsat,
    levelAt: now,
    fellMsat: tracked.fellMsat + fellMsat,
    beforeFallMsat: tracked.beforeFallMsat ?? tracked.levelMsat,
    fallAlerts: [...tracked.fallAlerts, run.id],
  };
  const uncertainMsat = measured.inFlightMsat + measured.movedMsat;
  const uncertain = uncertainMsat > 0 ? ` Up to ${satText(uncertainMsat)} more may be missing or in flight.` : '';
  const message = `${satText(fellMsat)} left the node between ${timeText(tracked.levelAt)} and ${timeText(now)} without an entry in the ledger.${uncertain}${describeClosing(measured.balance)}`;
  const details = { ln_node_id: run.nodeId, amount_msat: fellMsat, in_flight_msat: uncertainMsat, since: tracked.levelAt };
  await run.database.transaction(async (tx) => {
    await writeRows(tx, run.alerts.rowsOf({ kind: FALL, subject: run.id, message, details }));
    await tx.run(writeFact, factOf(REMAINDER, run.nodeId), JSON.stringify(next));
  });
  await run.alerts.announce();
  return next;
}

/** Stores an increase that two measurements have confirmed. */
export async function recordRise(run: ReconciliationRun, tracked: Remainder, levelMsat: number): Promise<Remainder> {
  const isBack = levelMsat === tracked.beforeFallMsat;
  const sweptMsat = tracked.sweptMsat ?? 0;
  const returnedMsat = isBack ? 0 : Math.min(sweptMsat, levelMsat - tracked.levelMsat);
  const leftMsat = sweptMsat - returnedMsat;
  const ownMsat = levelMsat + leftMsat - tracked.baselineMsat;
  const next: Remainder = {
    ...tracked,
    levelMsat,
    levelAt: unixSeconds(run.clock),
    roseMsat: isBack ? Math.max(0, ownMsat) : tracked.roseMsat + levelMsat - tracked.levelMsat - returnedMsat,
    fellMsat: isBack ? Math.max(0, -ownMsat) : tracked.fellMsat,
    sweptMsat: leftMsat,
    beforeFallMsat: isBack ? null : tracked.beforeFallMsat,
    fallAlerts: isBack ? [] : tracked.fallAlerts,
  };
  await writeNodeFact(run, REMAINDER, JSON.stringify(next));
  if (isBack) await clearFalls(run, tracked);
  return next;
}

/**
 * Accepts the node's present own money as the baseline, and records who did so. Money that could not be booked yet is not the node's own. The
 * baseline is at least 0: missing money of customers cannot be accepted.
 */
export async function acceptBaseline(
  run: ReconciliationRun,
  tracked: Remainder | undefined,
  { nodeMsat, remainderMsat }: Measurement,
  unbookedMsat: number,
): Promise<Remainder> {
  const now = unixSeconds(run.clock);
  const levelMsat = remainderMsat - unbookedMsat;
  const baselineMsat = Math.max(0, levelMsat);
  const next: Remainder = {
    baselineMsat,
    baselineAt: now,
    levelMsat,
    levelAt: now,
    roseMsat: 0,
    fellMsat: baselineMsat - levelMsat,
    beforeFallMsat: null,
    fallAlerts: [],
  };
  const who = run.requested_by || 'the service';
  const reason = run.reason || (tracked ? '' : 'first measurement');
  await run.database.transaction(async (tx) => {
    const accepted = [tracked?.roseMsat ?? 0, tracked?.fellMsat ?? 0];
    await tx.run(sql.insertBaseline, run.id, run.nodeId, now, who, reason, nodeMsat, baselineMsat, ...accepted);
    await tx.run(writeFact, factOf(REMAINDER, run.nodeId), JSON.stringify(next));
  });
  await clearFalls(run, tracked);
  return next;
}

async function clearFalls({ alerts }: ReconciliationRun, tracked: Remainder | undefined): Promise<void> {
  for (const subject of tracked?.fallAlerts ?? []) await alerts.clear(FALL, subject);
}
