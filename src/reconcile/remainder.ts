import type { Alerts } from '../alerts/alerts.ts';
import type { Database } from '../db/database.ts';
import { readFact, writeFact } from '../db/facts.sql.ts';
import { writeRows } from '../db/row-write.ts';
import { unixSeconds } from '../kernel/clock.ts';
import type { Measurement } from './measure.ts';
import * as sql from './reconcile.sql.ts';
import type { ReconciliationRun } from './run.ts';

/**
 * What the node has of its own, over time: the remainder of its balance that the ledger does not explain.
 *
 * `level` follows the remainder. A decrease is money that left the node without an entry in the ledger: each one raises an alert of its
 * own and counts in `fell`. An increase counts in `rose`. The two are never set off against each other: money that the operator adds
 * does not explain money that is missing. Accepting a new baseline ends both, and so does a return to exactly the level before the
 * first decrease. Always `baseline + rose − fell = level`. Amounts are msat, times Unix seconds.
 */
export interface Remainder {
  readonly baselineMsat: number;
  readonly baselineAt: number;
  readonly levelMsat: number;
  readonly levelAt: number;
  readonly roseMsat: number;
  readonly fellMsat: number;
  /** The level before the first of the decreases that are counted; null while there is none. */
  readonly beforeFallMsat: number | null;
}

const REMAINDER = 'node_remainder';
/** Where the first version kept the baseline. */
const FIRST_BASELINE = 'node_baseline';

export async function readRemainder(database: Database): Promise<Remainder | undefined> {
  const row = await database.first(readFact, REMAINDER);
  if (row) return JSON.parse(row.value) as Remainder;
  const first = await database.first(readFact, FIRST_BASELINE);
  if (!first) return undefined;
  const { msat, at } = JSON.parse(first.value) as { msat: number; at: number };
  return { baselineMsat: msat, baselineAt: at, levelMsat: msat, levelAt: at, roseMsat: 0, fellMsat: 0, beforeFallMsat: null };
}

/** How much of the level is certainly gone, beyond what may be in flight; 0 or less when nothing is. */
export function missingMsat({ levelMsat }: Remainder, { remainderMsat, inFlightMsat, movedMsat }: Measurement): number {
  return levelMsat - remainderMsat - inFlightMsat - movedMsat;
}

/** Books a decrease: the alert and the new level are one transaction, so each decrease is raised once. */
export async function noteFall(run: ReconciliationRun, kept: Remainder, look: Measurement): Promise<Remainder> {
  const now = unixSeconds(run.clock);
  const fellMsat = missingMsat(kept, look);
  const next: Remainder = {
    ...kept,
    levelMsat: kept.levelMsat - fellMsat,
    levelAt: now,
    fellMsat: kept.fellMsat + fellMsat,
    beforeFallMsat: kept.beforeFallMsat ?? kept.levelMsat,
  };
  const [from, to] = [kept.levelAt, now].map((seconds) => new Date(seconds * 1000).toISOString());
  const open =
    look.inFlightMsat + look.movedMsat > 0
      ? ` Up to ${look.inFlightMsat + look.movedMsat} msat more may be missing: they are in flight.`
      : '';
  const message = `${fellMsat} msat left the node between ${from} and ${to} without an entry in the ledger.${open}`;
  const alert = run.alerts.rowOf({ kind: 'node_balance_fell', subject: run.id, message });
  await run.database.transaction(async (tx) => {
    await writeRows(tx, [alert]);
    await tx.run(writeFact, REMAINDER, JSON.stringify(next));
  });
  await run.alerts.announce();
  return next;
}

/** Books an increase that two looks have confirmed. */
export async function noteRise(run: ReconciliationRun, kept: Remainder, levelMsat: number): Promise<Remainder> {
  const isBack = levelMsat === kept.beforeFallMsat;
  const next: Remainder = {
    ...kept,
    levelMsat,
    levelAt: unixSeconds(run.clock),
    roseMsat: isBack ? Math.max(0, levelMsat - kept.baselineMsat) : kept.roseMsat + levelMsat - kept.levelMsat,
    fellMsat: isBack ? Math.max(0, kept.baselineMsat - levelMsat) : kept.fellMsat,
    beforeFallMsat: isBack ? null : kept.beforeFallMsat,
  };
  await run.database.transaction((tx) => tx.run(writeFact, REMAINDER, JSON.stringify(next)));
  if (isBack) await clearFalls(run.alerts);
  return next;
}

/** Accepts what the node has of its own now, with a record of it. Never below zero: missing customers' money cannot be accepted away. */
export async function acceptBaseline(run: ReconciliationRun, kept: Remainder | undefined, look: Measurement): Promise<Remainder> {
  const now = unixSeconds(run.clock);
  const baselineMsat = Math.max(0, look.remainderMsat);
  const next: Remainder = {
    baselineMsat,
    baselineAt: now,
    levelMsat: look.remainderMsat,
    levelAt: now,
    roseMsat: 0,
    fellMsat: baselineMsat - look.remainderMsat,
    beforeFallMsat: null,
  };
  const who = run.askedBy || 'the service';
  const reason = run.reason || (kept ? '' : 'first measurement');
  await run.database.transaction(async (tx) => {
    const accepted = [kept?.roseMsat ?? 0, kept?.fellMsat ?? 0];
    await tx.run(sql.insertBaseline, run.id, now, who, reason, look.nodeMsat, baselineMsat, ...accepted);
    await tx.run(writeFact, REMAINDER, JSON.stringify(next));
  });
  await clearFalls(run.alerts);
  return next;
}

async function clearFalls(alerts: Alerts): Promise<void> {
  for (const subject of await alerts.openSubjects('node_balance_fell')) await alerts.clear('node_balance_fell', subject);
}
