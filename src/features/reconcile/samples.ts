import type { Database, SqlReader } from '../../core/db/database.ts';
import type { NodeComparison } from './reconciliation-object.ts';
import * as sql from './samples.sql.ts';
import { readTotals } from './totals.ts';

const HOUR = 3600;

/** Stores the figures of a reconciliation, one sample per hour. */
export async function storeSamples(database: Database, nodes: readonly NodeComparison[], now: number): Promise<void> {
  const totals = await database.snapshot(readTotals);
  const hour = Math.floor(now / HOUR);
  await database.transaction(async (tx) => {
    await tx.run(sql.storeLedger, hour, now, totals.customersMsat, totals.suspenseMsat);
    for (const { ln_node_id, ended_at, assets_msat } of nodes) {
      if (assets_msat !== null) await tx.run(sql.storeNode, hour, ln_node_id, ended_at, assets_msat);
    }
  });
}

/** Returns the last measured balance of a node, of any age, and when it was measured. */
export function lastMeasured(database: SqlReader, nodeId: string): Promise<sql.LastSample | undefined> {
  return database.first(sql.lastSample, nodeId);
}

/** Returns the samples from a time on, the last one of each `stepHours`, oldest first. */
export async function listSamples(database: SqlReader, from: number, stepHours: number) {
  const rows = await database.all(sql.listSamples, Math.floor(from / HOUR), stepHours);
  return rows.map((row) => ({ ...row, is_complete: row.is_complete === 1 }));
}
