import { isNodeAccount, SYSTEM_ACCOUNTS, systemAccounts } from '../ledger/ledger.ts';
import type { NodeAnswer } from './node-probe.ts';
import * as sql from './reconcile.sql.ts';
import type { ReconciliationRun } from './run.ts';

/** The node's balance and the ledger at one point in time. Amounts are msat. */
export interface Measurement {
  readonly nodeMsat: number;
  /** The money that the node holds for the ledger, according to the ledger. */
  readonly heldByNodeMsat: number;
  /** `nodeMsat` − `heldByNodeMsat`: the node's own money. */
  readonly remainderMsat: number;
  readonly customersMsat: number;
  readonly serviceFeesMsat: number;
  readonly suspenseMsat: number;
  readonly operatorMsat: number;
  readonly atOtherNodesMsat: number;
  /** The part of the customers' money that may have left the node and is not booked yet. */
  readonly inFlightMsat: number;
  /** The amount that the ledger booked to and from the node during the measurement: the uncertainty of the remainder. */
  readonly movedMsat: number;
}

export async function measure(run: ReconciliationRun): Promise<NodeAnswer<Measurement>> {
  const { ledgerAccount } = run.connection;
  const before = await readLedger(run);
  const answer = await run.probe.call(() => run.node.balance());
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
    const accounts = await systemAccounts(tx);
    const account = (wanted: number) => accounts.find(({ id }) => id === wanted);
    const balance = (wanted: number): number => account(wanted)?.balanceMsat ?? 0;
    const inFlightMsat = (await tx.first(sql.heldInFlight, nodeId))?.held_msat ?? 0;
    return {
      // The node's account is an asset: its balance is the negative of what the node holds. `0 -` avoids −0.
      heldByNodeMsat: 0 - balance(ledgerAccount),
      atOtherNodesMsat: accounts.reduce(
        (sum, { id, balanceMsat }) => (isNodeAccount(id) && id !== ledgerAccount ? sum + balanceMsat : sum),
        0,
      ),
      // The balances of all accounts sum to zero, so the wallets have the negative sum of the system accounts.
      customersMsat: 0 - accounts.reduce((sum, { balanceMsat }) => sum + balanceMsat, 0),
      serviceFeesMsat: balance(SYSTEM_ACCOUNTS.serviceFees),
      suspenseMsat: balance(SYSTEM_ACCOUNTS.suspense),
      operatorMsat: balance(SYSTEM_ACCOUNTS.routingFees),
      inFlightMsat,
      entries: account(ledgerAccount)?.entries ?? 0,
      position: (await tx.first(sql.lastPosition))?.position ?? 0,
    };
  });
}
