import type { Database, SqlReader } from '../../core/db/database.ts';
import type { NodeReport } from './report.ts';
import * as sql from './samples.sql.ts';
import { readTotals } from './totals.ts';

const HOUR = 3600;

/** What the nodes had and the ledger owed at one time. Amounts are msat. */
export interface BalanceSample {
  /** Unix seconds. */
  readonly at: number;
  /** The sum over the nodes; undefined before a node was measured for the first time. */
  readonly assetsMsat: number | undefined;
  readonly customersMsat: number;
  readonly suspenseMsat: number;
  /** Whether every node answered in that hour. Otherwise the last known balance of the others counts. */
  readonly isComplete: boolean;
}

/** The last measured balance of a node. */
export interface MeasuredNode {
  readonly nodeMsat: number;
  /** Unix seconds. */
  readonly at: number;
}

/** Stores the figures of a reconciliation, one sample per hour. */
export async function storeSamples(database: Database, nodes: readonly NodeReport[], now: number): Promise<void> {
  const totals = await database.snapshot(readTotals);
  const hour = Math.floor(now / HOUR);
  await database.transaction(async (tx) => {
    await tx.run(sql.storeLedger, hour, now, totals.customersMsat, totals.suspenseMsat);
    for (const { nodeId, endedAt, balance } of nodes) {
      if (balance.state !== 'measured') continue;
      const heldMsat = balance.expectedMsat - balance.baselineMsat;
      await tx.run(sql.storeNode, hour, nodeId, endedAt, balance.nodeMsat, heldMsat);
    }
  });
}

/** Returns the last balance of a node that was measured, of any age. */
export async function lastMeasured(database: SqlReader, nodeId: string): Promise<MeasuredNode | undefined> {
  const row = await database.first(sql.nodeSampleBefore, nodeId, Number.MAX_SAFE_INTEGER);
  return row && { nodeMsat: row.node_msat, at: row.sampled_at };
}

/** Returns the samples from a time on, the last one of each `stepHours`, oldest first. */
export async function listSamples(
  database: SqlReader,
  nodeIds: readonly string[],
  from: number,
  stepHours: number,
): Promise<BalanceSample[]> {
  const first = Math.floor(from / HOUR);
  const nodes = await Promise.all(nodeIds.map((id) => samplesOfNode(database, id, first)));
  const rows = await database.all(sql.ledgerSamples, first);
  const ofStep = (hour: number) => Math.floor(hour / stepHours);
  const lastOfEach = rows.filter(({ hour }, index) => ofStep(hour) !== ofStep(rows[index + 1]?.hour ?? Number.POSITIVE_INFINITY));
  return lastOfEach.map(({ hour, sampled_at, customers_msat, suspense_msat }) => {
    const known = nodes.map((samples) => samples.findLast((one) => one.hour <= hour));
    const measured = known.filter((one) => one !== undefined);
    return {
      at: sampled_at,
      assetsMsat: measured.length === 0 ? undefined : measured.reduce((sum, { node_msat }) => sum + node_msat, 0),
      customersMsat: customers_msat,
      suspenseMsat: suspense_msat,
      isComplete: known.every((one) => one?.hour === hour),
    };
  });
}

/** With the last sample before the hour, which counts until the next one. */
async function samplesOfNode(database: SqlReader, nodeId: string, hour: number): Promise<sql.NodeSampleRow[]> {
  const before = await database.first(sql.nodeSampleBefore, nodeId, hour);
  const samples = await database.all(sql.nodeSamples, nodeId, hour);
  return before ? [before, ...samples] : samples;
}
