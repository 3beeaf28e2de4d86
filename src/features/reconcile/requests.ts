import type { Database, SqlReader, Tx } from '../../core/db/database.ts';
import { newId } from '../../core/kernel/ids.ts';
import type { NodeEvidence } from './pending.ts';
import { type NodeComparison, type Reconciliation, renderReconciliation } from './reconciliation-object.ts';
import * as sql from './requests.sql.ts';

/** The number of periodic reconciliations that are stored, and of those that operators requested. */
const MAX_PERIODIC = 10;
const MAX_REQUESTED = 100;

/** The result of a reconciliation. Stored as JSON. */
export interface ReconciliationReport {
  readonly nodes: readonly NodeComparison[];
  /** What the nodes reported about stuck payments, by the id of the payment. */
  readonly evidence: Readonly<Record<string, NodeEvidence>>;
}

/** The operator who requests a reconciliation, and the reason. */
export interface Requester {
  readonly requestedBy: string;
  readonly reason: string;
}

/** Requests a reconciliation by the running service. @returns the id of the request. */
export async function requestReconciliation(
  tx: Tx,
  scope: sql.ReconciliationScope,
  now: number,
  { requestedBy, reason }: Requester,
): Promise<string> {
  const id = `rec_${newId()}`;
  await tx.run(sql.insertRequest, id, 'requested', scope, now, requestedBy, reason);
  return id;
}

/** Returns a page of the stored reconciliations, newest first, and their number. */
export async function listReconciliations(database: SqlReader, limit: number, offset: number) {
  const rows = await database.all(sql.listRequests, limit, offset);
  const count = await database.first(sql.countRequests);
  return { reconciliations: rows.map(renderReconciliation), total: count?.n ?? 0 };
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

/** Starts the oldest open request. */
export async function takeRequest(database: Database): Promise<sql.RunningRequest | undefined> {
  const next = await database.first(sql.nextRequest);
  const taken = next && (await database.transaction((tx) => tx.run(sql.start, next.id)));
  return taken === 1 ? next : undefined;
}

/** Starts a periodic reconciliation. */
export async function beginPeriodic(database: Database, now: number): Promise<sql.RunningRequest> {
  const request = { id: `rec_${newId()}`, scope: 'periodic', requested_by: '', reason: '' } as const;
  await database.transaction((tx) => tx.run(sql.insertRequest, request.id, 'running', request.scope, now, '', ''));
  return request;
}

/** Opens the unfinished requests of an earlier lease holder again. */
export async function requeueUnfinished(database: Database): Promise<void> {
  await database.transaction((tx) => tx.run(sql.requeue));
}

export async function storeReport(database: Database, id: string, report: ReconciliationReport): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(sql.finish, id, JSON.stringify(report));
    await tx.run(sql.deleteOldPeriodic, MAX_PERIODIC);
    await tx.run(sql.deleteOldRequested, MAX_REQUESTED);
  });
}

export async function storeFailure(database: Database, id: string, reason: string): Promise<void> {
  await database.transaction((tx) => tx.run(sql.fail, id, reason));
}

export async function storeProgress(database: Database, id: string, progress: string): Promise<void> {
  await database.transaction((tx) => tx.run(sql.updateProgress, id, progress));
}
