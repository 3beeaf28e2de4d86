import { errorMessage } from '../../core/kernel/log.ts';
import type { Measurement } from './measure.ts';
import { levelAfterSweep, type Remainder } from './remainder.ts';
import { type ReconciliationRun, readNodeFact, writeNodeFact } from './run.ts';

/*
 * The money of a channel that is being closed is counted until it is in the node's on-chain wallet, which the service does not see. Then it leaves
 * the comparison, and that decrease is explained. It is exactly the amount that the node had reported for that channel, so a real loss at the same
 * time stays visible. The closing transaction has a fee, which is only bounded.
 */

/** The channels at the last measurement. Amounts are msat. */
interface Tracked {
  readonly open: readonly string[];
  /** What is in channels that are being closed. */
  readonly closing: Readonly<Record<string, number>>;
  /** The part of {@link CLOSE_FEE_MSAT} of each closed channel that no decrease has used. */
  readonly fees: Readonly<Record<string, number>>;
  /** The run that has seen a channel closed last. */
  readonly runId?: string;
}

const FACT = 'node_channels';
/** A closing transaction costs no more than this, nor do those that claim its outputs. */
const CLOSE_FEE_MSAT = 20_000_000;
/** A node has a few hundred channels. The ids of more are not tracked: their closes raise an alert. */
const MAX_OPEN = 1000;

const NOTHING: Tracked = { open: [], closing: {}, fees: {} };

/**
 * Lowers the level by what channels that are being closed, or were closed, have paid out since the last measurement.
 * @returns the level to compare with, and the decrease that fees of closing channels explain.
 */
export async function explainClosedChannels(run: ReconciliationRun, tracked: Remainder, look: Measurement): Promise<ExplainedLevel> {
  const before = await readTracked(run);
  const { next, sweptMsat } = await compare(run, before, look);
  const remainder = sweptMsat === 0 ? tracked : await levelAfterSweep(run, tracked, sweptMsat);
  if (JSON.stringify(next) !== JSON.stringify(before)) await writeNodeFact(run, FACT, JSON.stringify(next));
  if (sweptMsat > 0) run.log.info({ node: run.nodeId, sats: sweptMsat / 1000 }, 'closed channels have paid out to the wallet of the node');
  return { remainder, feesMsat: sum(Object.values(next.fees)) };
}

export interface ExplainedLevel {
  readonly remainder: Remainder;
  readonly feesMsat: number;
}

/** Tracks the channels from now on, after a new baseline has accepted what they have paid out. */
export async function trackChannels(run: ReconciliationRun, { balance: { openChannels = [], closing = [] } }: Measurement): Promise<void> {
  const paying = Object.fromEntries(closing.map(({ id, limboMsat }) => [id, limboMsat]));
  await writeNodeFact(run, FACT, JSON.stringify({ open: openChannels.slice(0, MAX_OPEN), closing: paying, fees: {} } satisfies Tracked));
}

/** Ends the explanation by fees once a decrease has used them. */
export async function useFees(run: ReconciliationRun): Promise<void> {
  const tracked = await readTracked(run);
  const fees = Object.fromEntries(Object.keys(tracked.fees).map((id) => [id, 0]));
  await writeNodeFact(run, FACT, JSON.stringify({ ...tracked, fees } satisfies Tracked));
}

async function readTracked(run: ReconciliationRun): Promise<Tracked> {
  const stored = await readNodeFact(run, FACT);
  return stored === undefined ? NOTHING : (JSON.parse(stored) as Tracked);
}

async function compare(run: ReconciliationRun, before: Tracked, { balance, inFlightMsat }: Measurement) {
  const { openChannels = [], closing = [] } = balance;
  const now = new Map(closing.map(({ id, limboMsat }) => [id, limboMsat]));
  const open = openChannels.slice(0, MAX_OPEN);
  const paidOut = Object.entries(before.closing).map(([id, msat]) => Math.max(0, msat - (now.get(id) ?? 0)));
  const gone = before.open.filter((id) => !now.has(id) && !openChannels.includes(id));
  const closed = gone.length === 0 ? [] : await readClosed(run, gone);
  const begun = [...now.keys()].filter((id) => !(id in before.closing));
  const fees: Record<string, number> = {};
  // The run measures several times. While payments are in flight, a decrease may not show yet.
  const isSameRun = before.runId === run.id;
  for (const [id, msat] of Object.entries(before.fees)) if (isSameRun || now.has(id) || inFlightMsat > 0) fees[id] = msat;
  for (const id of [...begun, ...closed.map((one) => one.id)]) fees[id] = CLOSE_FEE_MSAT;
  const runId = begun.length + closed.length > 0 ? run.id : before.runId;
  const next: Tracked = { open, closing: Object.fromEntries(now), fees, ...(runId !== undefined && { runId }) };
  return { next, sweptMsat: sum(paidOut) + sum(closed.map(({ settledMsat }) => settledMsat)) };
}

/** Returns those of the channels that the node lists as closed. What it does not list stays unexplained. */
async function readClosed({ probe, log, nodeId }: ReconciliationRun, ids: readonly string[]) {
  const answer = await probe.call(async (node) => (await node.closedChannels?.(ids).catch((error) => errorMessage(error))) ?? []);
  const listed = answer.answered ? answer.value : answer.reason;
  if (typeof listed !== 'string') return listed;
  log.warn({ node: nodeId, reason: listed }, 'the closed channels of the node could not be read');
  return [];
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amountMsat) => total + amountMsat, 0);
}
