import { satText } from '../../core/kernel/money.ts';
import type { ClosingChannel, NodeBalance } from '../../core/lightning/node-channel.ts';
import * as sql from './reconcile.sql.ts';
import type { ReconciliationRun } from './run.ts';
import { type LedgerTotals, readTotals } from './totals.ts';

/** The node's balance and the ledger at one point in time. Amounts are msat. */
export interface Measurement {
  /** Of open channels and of those that are being closed. */
  readonly nodeMsat: number;
  readonly balance: NodeBalance;
  readonly totals: LedgerTotals;
  /** The money that the node holds for the ledger, according to the ledger. */
  readonly heldByNodeMsat: number;
  /** `nodeMsat` − `heldByNodeMsat`: the node's own money. */
  readonly remainderMsat: number;
  /** The part of the customers' money that may have left the node and is not booked yet, or that is credited and may not have arrived yet. */
  readonly inFlightMsat: number;
  /** The amount that the ledger booked to and from the node during the measurement: the uncertainty of the node's own money. */
  readonly movedMsat: number;
}

/** The node's balance could not be measured. */
export class NotMeasured extends Error {
  override readonly name = 'NotMeasured';
  readonly status: 'unanswered' | 'unsteady';

  constructor(status: NotMeasured['status'], reason: string) {
    super(reason);
    this.status = status;
  }
}

/** @throws NotMeasured when the node does not answer. */
export async function measure(run: ReconciliationRun): Promise<Measurement> {
  const { ledgerAccount } = run.connection;
  const before = await readLedger(run);
  const answer = await run.probe.call((node) => node.balance());
  if (!answer.answered) throw new NotMeasured('unanswered', answer.reason);
  const balance = answer.value;
  const nodeMsat = balance.localMsat + sumClosing(balance.closing ?? []);
  const { totals, heldByNodeMsat, entries, inFlightMsat } = await readLedger(run);
  // Both reads return committed rows, so the ledger at the time of the node's response is between them.
  const moved =
    before.entries === entries ? undefined : await run.database.first(sql.movedAtNode, before.position, before.entries, ledgerAccount);
  return {
    nodeMsat,
    balance,
    totals,
    heldByNodeMsat,
    remainderMsat: nodeMsat - heldByNodeMsat,
    inFlightMsat: Math.max(before.inFlightMsat, inFlightMsat),
    movedMsat: moved?.moved_msat ?? 0,
  };
}

async function readLedger({ database, nodeId, connection }: ReconciliationRun) {
  return database.snapshot(async (tx) => {
    const totals = await readTotals(tx);
    return {
      totals,
      heldByNodeMsat: totals.heldByNode.get(connection.ledgerAccount) ?? 0,
      entries: totals.entriesOfNode.get(connection.ledgerAccount) ?? 0,
      inFlightMsat: (await tx.first(sql.sumInFlight, nodeId))?.in_flight_msat ?? 0,
      position: (await tx.first(sql.lastPosition))?.position ?? 0,
    };
  });
}

/** Returns the sum of what is in channels that are being closed. */
export function sumClosing(closing: readonly ClosingChannel[]): number {
  return closing.reduce((sum, { limboMsat }) => sum + limboMsat, 0);
}

/** Describes the channels that are being closed, for an alert; empty if there are none. */
export function describeClosing({ closing = [] }: NodeBalance): string {
  if (closing.length === 0) return '';
  const named = closing.slice(0, 3).map(({ id, peerPubkey, limboMsat }) => `${satText(limboMsat)} in ${id} with ${peerPubkey}`);
  const more = closing.length > named.length ? `, and ${closing.length - named.length} more` : '';
  return ` Channels that are being closed are counted: ${named.join(', ')}${more}.`;
}
