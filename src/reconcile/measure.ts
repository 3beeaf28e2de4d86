import type { Database } from '../db/database.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/accounts.ts';
import { systemAccounts } from '../ledger/stores.ts';
import * as sql from './reconcile.sql.ts';
import type { ReconciliationRun } from './run.ts';
import type { NodeAnswer } from './node-probe.ts';

/** The node's balance and the ledger at one moment. Amounts are msat. */
export interface Measurement {
  readonly nodeMsat: number;
  /** What the ledger says that the node holds for it. */
  readonly heldByNodeMsat: number;
  /** `nodeMsat` − `heldByNodeMsat`: what the node has of its own. */
  readonly remainderMsat: number;
  readonly customersMsat: number;
  readonly serviceFeesMsat: number;
  readonly suspenseMsat: number;
  readonly operatorMsat: number;
  /** Of the customers' money, what may have left the node without being booked yet. */
  readonly inFlightMsat: number;
  /** What the ledger booked in and out of the node while the node was asked. The remainder is only so exact. */
  readonly movedMsat: number;
}

export async function measure(run: ReconciliationRun): Promise<NodeAnswer<Measurement>> {
  const before = await readLedger(run.database);
  const answer = await run.probe.ask(() => run.node.balance());
  if (!answer.answered) return answer;
  const nodeMsat = answer.value.localMsat;
  const after = await readLedger(run.database);
  // Both reads are of what is committed, so the truth at the moment of the answer lies between them.
  const isSame = before.entries === after.entries;
  const movedMsat = isSame ? 0 : ((await run.database.first(sql.movedAtNode, before.position, before.entries))?.moved_msat ?? 0);
  const { entries: _entries, position: _position, ...parts } = after;
  const inFlightMsat = Math.max(before.inFlightMsat, after.inFlightMsat);
  return { answered: true, value: { ...parts, nodeMsat, remainderMsat: nodeMsat - after.heldByNodeMsat, inFlightMsat, movedMsat } };
}

async function readLedger(database: Database) {
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
      position: (await tx.first(sql.lastPosition))?.position ?? 0,
    };
  });
}
