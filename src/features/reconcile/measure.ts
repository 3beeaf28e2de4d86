import type { NodeAnswer } from './node-probe.ts';
import * as sql from './reconcile.sql.ts';
import type { BalanceParts } from './report.ts';
import type { ReconciliationRun } from './run.ts';
import { readTotals } from './totals.ts';

/** One measurement of the node's balance. Amounts are msat. */
export interface Measurement extends BalanceParts {
  /** The money that the node holds for the ledger, according to the ledger. */
  readonly heldByNodeMsat: number;
  /** `nodeMsat` − `heldByNodeMsat`: the node's own money. */
  readonly remainderMsat: number;
}

export async function measure(run: ReconciliationRun): Promise<NodeAnswer<Measurement>> {
  const { ledgerAccount } = run.connection;
  const before = await readLedger(run);
  const answer = await run.probe.call((node) => node.balance());
  if (!answer.answered) return answer;
  const nodeMsat = answer.value.localMsat;
  const after = await readLedger(run);
  // Both reads return committed rows, so the ledger at the time of the node's response is between them.
  const isUnchanged = before.entries === after.entries;
  const movedMsat = isUnchanged
    ? 0
    : ((await run.database.first(sql.movedAtNode, before.position, before.entries, ledgerAccount))?.moved_msat ?? 0);
  const { entries: _entries, position: _position, ...parts } = after;
  const inFlightMsat = Math.max(before.inFlightMsat, after.inFlightMsat);
  return { answered: true, value: { ...parts, nodeMsat, remainderMsat: nodeMsat - after.heldByNodeMsat, inFlightMsat, movedMsat } };
}

async function readLedger({ database, nodeId, connection }: ReconciliationRun) {
  const { ledgerAccount } = connection;
  return database.snapshot(async (tx) => {
    const { heldByNode, entriesOfNode, ...parts } = await readTotals(tx);
    const inFlightMsat = (await tx.first(sql.heldInFlight, nodeId))?.held_msat ?? 0;
    const heldByNodeMsat = heldByNode.get(ledgerAccount) ?? 0;
    const heldMsat = [...heldByNode.values()].reduce((sum, amountMsat) => sum + amountMsat, 0);
    return {
      ...parts,
      heldByNodeMsat,
      atOtherNodesMsat: heldByNodeMsat - heldMsat,
      inFlightMsat,
      entries: entriesOfNode.get(ledgerAccount) ?? 0,
      position: (await tx.first(sql.lastPosition))?.position ?? 0,
    };
  });
}
