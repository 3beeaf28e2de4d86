import type { Requester } from '../../core/accounts/operator-records.ts';
import type { Database, SqlReader, Tx } from '../../core/db/database.ts';
import { openList } from '../../core/db/list.ts';
import { newId } from '../../core/kernel/ids.ts';
import { type List, mapList } from '../../core/kernel/list.ts';
import { type NodeComparison, type NodeEvidence, type Reconciliation, renderReconciliation } from './reconciliation-object.ts';
import * as sql from './requests.sql.ts';

/** The result of a reconciliation. Stored as JSON. */
export interface ReconciliationReport {
  readonly nodes: readonly NodeComparison[];
  /** What the nodes reported about stuck payments, by the id of the payment. */
  readonly evidence: Readonly<Record<string, NodeEvidence>>;
}

/** Requests a reconciliation by the running service. @returns the id of the request. */
export async function requestReconciliation(
  tx: Tx,
  scope: sql.ReconciliationScope,
  now: number,
  { requestedBy, reason }: Pick<Requester, 'requestedBy' | 'reason'>,
): Promise<string> {
  const id = `rec_${newId()}`;
  await tx.run(sql.insertRequest, id, scope, now, requestedBy, reason);
  return id;
}

/** Returns the stored reconciliations, in the order of their requests. */
export function listReconciliations(database: SqlReader): List<Reconciliation> {
  return mapList(openList(database, { statements: sql.listRequests, prefix: 'rec' }), (rows) => rows.map(renderReconciliation));
}

export async function findReconciliation(database: SqlReader, id: string): Promise<Reconciliation | undefined> {
  const row = await database.first(sql.findRequest, id);
  return row && renderReconciliation(row);
}

/** Returns the report of the last reconciliation that was finished. */
export async function lastReport(database: Database): Promise<ReconciliationReport | undefined> {
  const row = await database.first(sql.lastReport);
  return row && (JSON.parse(row.report) as ReconciliationReport);
}

/** Returns the positions of the nodes at the last reconciliation. Computing them reads all wallets. */
export async function lastPositions(database: Database) {
  const nodes = (await lastReport(database))?.nodes ?? [];
  return nodes.map(({ ln_node_id: nodeId, position_msat }) => ({ nodeId, positionMsat: position_msat ?? 0 }));
}
