import type { SqlReader } from '../../core/db/database.ts';
import { type Action, listActionsOn, type OperatorPage } from './actions.ts';
import * as sql from './operator.sql.ts';

/** Money that arrived for no wallet: a settlement without an invoice, or the second payment of one. */
export interface UnmatchedSettlement {
  readonly paymentHash: string;
  readonly amountMsat: number;
  /** The amount that is still in suspense, in msat. */
  readonly leftMsat: number;
  /** Unix seconds. */
  readonly settledAt: number;
  /** The node at which it arrived. */
  readonly nodeId: string;
  readonly isKeysend: boolean;
  /** What operators requested for it, oldest first. */
  readonly actions: readonly Action[];
}

/** Returns unmatched settlements, newest first; unless `isAll`, only those of which something is left in suspense. */
export async function listUnmatchedSettlements(
  database: SqlReader,
  isAll: boolean,
  limit: number,
  offset: number,
): Promise<OperatorPage<UnmatchedSettlement>> {
  const onlyLeft = isAll ? 0 : 1;
  const rows = await database.all(sql.listUnmatchedSettlements, onlyLeft, limit, offset);
  const total = (await database.first(sql.countUnmatchedSettlements, onlyLeft))?.n ?? 0;
  return { items: await Promise.all(rows.map((row) => toSettlement(database, row))), total };
}

export async function findUnmatchedSettlement(database: SqlReader, paymentHash: string): Promise<UnmatchedSettlement | undefined> {
  const row = await database.first(sql.findUnmatchedSettlement, paymentHash);
  return row && toSettlement(database, row);
}

async function toSettlement(database: SqlReader, row: sql.UnmatchedSettlementRow): Promise<UnmatchedSettlement> {
  return {
    paymentHash: row.payment_hash,
    amountMsat: row.amount_msat,
    leftMsat: row.left_msat,
    settledAt: row.settled_at,
    nodeId: row.node_id,
    isKeysend: row.is_keysend === 1,
    actions: await listActionsOn(database, row.payment_hash),
  };
}
