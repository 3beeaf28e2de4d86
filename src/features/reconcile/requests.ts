import type { Database, SqlReader } from '../../core/db/database.ts';
import { type RowWrite, writeRows } from '../../core/db/row-write.ts';
import { newId } from '../../core/kernel/ids.ts';
import { type Guard, requireGuards } from '../../core/ledger/ledger.ts';
import type { NodePosition, ReconciliationReport, ReconciliationScope } from './report.ts';
import * as sql from './requests.sql.ts';

/** The number of periodic reconciliations that are stored, and of those that operators requested. */
const MAX_PERIODIC = 10;
const MAX_REQUESTED = 100;

/** The operator who requests a reconciliation, and the reason. */
export interface Requester {
  readonly requestedBy: string;
  readonly reason: string;
}

/** For requests of the service itself. */
const NO_REQUESTER: Requester = { requestedBy: '', reason: '' };

export interface RequestOptions {
  /** Conditions that must hold when the request is stored. */
  readonly guards?: readonly Guard[];
  /** Returns the rows to write in the transaction that stores the request. */
  readonly extraRows?: (id: string) => readonly RowWrite[];
}

/** Requests a reconciliation by the running service. @returns the id of the request. */
export async function requestReconciliation(
  database: Database,
  scope: ReconciliationScope,
  now: number,
  requester: Requester = NO_REQUESTER,
  { guards = [], extraRows = () => [] }: RequestOptions = {},
): Promise<string> {
  const id = `rec_${newId()}`;
  await database.transaction(async (tx) => {
    await requireGuards(tx, guards);
    await tx.run(sql.insertRequest, id, 'requested', scope, now, requester.requestedBy, requester.reason);
    await writeRows(tx, extraRows(id));
  });
  return id;
}

/** A requested or periodic reconciliation, with its report once it is done. */
export interface StoredReconciliation extends Requester {
  readonly id: string;
  readonly state: sql.RequestRow['state'];
  readonly scope: ReconciliationScope;
  /** Unix seconds. */
  readonly requestedAt: number;
  /** The present step, or the reason of a failure. */
  readonly progress: string;
  readonly report: ReconciliationReport | undefined;
}

/** Returns a page of the stored reconciliations, newest first, and their number. */
export async function listReconciliations(database: SqlReader, limit: number, offset: number) {
  const rows = await database.all(sql.listRequests, limit, offset);
  const count = await database.first(sql.countRequests);
  return { reconciliations: rows.map(toStored), total: count?.n ?? 0 };
}

export async function findReconciliation(database: SqlReader, id: string): Promise<StoredReconciliation | undefined> {
  const row = await database.first(sql.findRequest, id);
  return row && toStored(row);
}

function toStored({ id, state, scope, requested_at, requested_by, reason, progress, report }: sql.RequestRow): StoredReconciliation {
  const parsed = report === null ? undefined : parse(report);
  return { id, state, scope, requestedAt: requested_at, requestedBy: requested_by, reason, progress, report: parsed };
}

export async function lastReport(database: Database): Promise<ReconciliationReport | undefined> {
  const row = await database.first(sql.lastReport);
  return row && parse(row.report);
}

/** Returns the positions of the nodes at the last reconciliation. Computing them reads all wallets. */
export async function lastPositions(database: Database): Promise<readonly NodePosition[]> {
  return (await lastReport(database))?.positions ?? [];
}

/** A request that this instance runs. */
export interface RunningRequest extends Requester {
  readonly id: string;
  readonly scope: ReconciliationScope;
}

/** Starts the oldest open request. */
export async function takeRequest(database: Database): Promise<RunningRequest | undefined> {
  const next = await database.first(sql.nextRequest);
  if (!next) return undefined;
  const taken = await database.transaction((tx) => tx.run(sql.start, next.id));
  return taken === 1 ? { id: next.id, scope: next.scope, requestedBy: next.requested_by, reason: next.reason } : undefined;
}

/** Starts a periodic reconciliation. */
export async function beginPeriodic(database: Database, now: number): Promise<RunningRequest> {
  const id = `rec_${newId()}`;
  await database.transaction((tx) => tx.run(sql.insertRequest, id, 'running', 'periodic', now, '', ''));
  return { id, scope: 'periodic', ...NO_REQUESTER };
}

/** Opens the unfinished requests of an earlier lease holder again. */
export async function requeueUnfinished(database: Database): Promise<void> {
  await database.transaction((tx) => tx.run(sql.requeue));
}

export async function storeReport(database: Database, report: ReconciliationReport): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(sql.finish, report.id, JSON.stringify(report));
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

function parse(text: string): ReconciliationReport {
  return JSON.parse(text) as ReconciliationReport;
}
