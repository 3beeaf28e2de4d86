import { readFact, writeFact } from '../db/facts.sql.ts';
import { pause, unixSeconds } from '../kernel/clock.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/accounts.ts';
import { systemAccounts } from '../ledger/read-tail.ts';
import * as sql from './reconcile.sql.ts';
import { type BalanceReport, holdsLess, type MeasuredBalance } from './report.ts';
import type { Run } from './run.ts';
import type { Answer } from './witness.ts';

const BASELINE = 'node_baseline';
/** How often is measured again when the ledger moved meanwhile, or when the node seems to have too little. */
const TRIES = 5;

/** Compares the node's balance with what the ledger says it holds, and says what the difference consists of. */
export async function compareBalance(run: Run): Promise<BalanceReport> {
  run.progress('balance');
  const kept = await keptBaseline(run);
  let measured = await measure(run, kept);
  // What has arrived at the node and is not booked yet looks like its own: what is kept for good has been seen twice.
  let isSteady = kept !== undefined;
  for (let tries = 1; tries < TRIES && measured.answered && (isUnclear(measured.value) || !isSteady); tries++) {
    const before = measured.value.baselineMsat;
    await pause(run.witness.timing.againMs, run.signal);
    measured = await measure(run, kept);
    if (!kept) isSteady = measured.answered && measured.value.movedMsat === 0 && measured.value.baselineMsat === before;
  }
  if (!measured.answered) return { state: 'unanswered', reason: measured.reason };
  const balance = measured.value;
  if (!kept && isSteady) await keepBaseline(run, { msat: balance.baselineMsat, at: balance.baselineAt });
  if (holdsLess(balance)) {
    const { restMsat, inFlightMsat } = balance;
    const message = `${-restMsat} msat less than the ledger explains, of which ${inFlightMsat} msat can be in flight`;
    await run.alarms.raise({ kind: 'node_holds_less', subject: 'node', message });
  } else {
    await run.alarms.clear('node_holds_less', 'node');
  }
  return balance;
}

/** A payment that ends between two reads looks like missing money, and so does one whose claim the node's peer has not confirmed yet. */
function isUnclear(balance: MeasuredBalance): boolean {
  return balance.movedMsat > 0 || holdsLess(balance);
}

async function measure(run: Run, kept: Baseline | undefined): Promise<Answer<MeasuredBalance>> {
  const before = await readLedger(run);
  const answer = await run.witness.ask(() => run.node.balance());
  if (!answer.answered) return answer;
  const nodeMsat = answer.value.localMsat;
  const after = await readLedger(run);
  // Both reads are of what is committed, so the truth at the moment of the answer lies between them.
  const movedMsat = before.entries === after.entries ? 0 : Math.abs(after.heldByNodeMsat - before.heldByNodeMsat) || 1;
  const { heldByNodeMsat, entries: _, ...parts } = after;
  // Never below zero: what a node lacks of the customers' money cannot be accepted away.
  const baseline = kept ?? { msat: Math.max(0, nodeMsat - heldByNodeMsat), at: unixSeconds(run.clock) };
  const expectedMsat = baseline.msat + heldByNodeMsat;
  const value = {
    ...parts,
    state: 'measured',
    nodeMsat,
    baselineMsat: baseline.msat,
    baselineAt: baseline.at,
    expectedMsat,
    inFlightMsat: Math.max(before.inFlightMsat, after.inFlightMsat),
    restMsat: nodeMsat - expectedMsat,
    movedMsat,
  } as const;
  return { answered: true, value };
}

async function readLedger({ database }: Run) {
  return database.snapshot(async (tx) => {
    const accounts = await systemAccounts(tx);
    const account = (wanted: number) => accounts.find(({ id }) => id === wanted);
    const balance = (wanted: number): number => account(wanted)?.balanceMsat ?? 0;
    const inFlightMsat = (await tx.first(sql.heldInFlight))?.held_msat ?? 0;
    return {
      // The node's account is an asset: its balance is minus what the node holds for the ledger. Zero must not become −0.
      heldByNodeMsat: 0 - balance(SYSTEM_ACCOUNTS.node),
      // All accounts together are zero, so the wallets have what the system's own leave.
      customersMsat: 0 - accounts.reduce((sum, { balanceMsat }) => sum + balanceMsat, 0),
      serviceFeesMsat: balance(SYSTEM_ACCOUNTS.serviceFees),
      suspenseMsat: balance(SYSTEM_ACCOUNTS.suspense),
      operatorMsat: balance(SYSTEM_ACCOUNTS.routingFees),
      inFlightMsat,
      entries: account(SYSTEM_ACCOUNTS.node)?.entries ?? 0,
    };
  });
}

/** What the node had of its own, kept from the first quiet moment on. */
interface Baseline {
  readonly msat: number;
  readonly at: number;
}

async function keptBaseline({ database, scope }: Run): Promise<Baseline | undefined> {
  const kept = scope === 'new_baseline' ? undefined : await database.first(readFact, BASELINE);
  return kept && (JSON.parse(kept.value) as Baseline);
}

async function keepBaseline({ database }: Run, baseline: Baseline): Promise<void> {
  await database.transaction((tx) => tx.run(writeFact, BASELINE, JSON.stringify(baseline)));
}
