import type { Database } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import type { ReconciliationReport, ReconciliationScope } from './report.ts';
import * as sql from './requests.sql.ts';

/** A reconciliation as whoever asked for it sees it. `progress` says why, when it failed. */
export interface ReconciliationRequest {
  readonly state: 'asked' | 'running' | 'done' | 'failed';
  readonly progress: string;
  /** Changes every second while the service reconciles, for this request or before it. */
  readonly sign: string;
  readonly report: ReconciliationReport | undefined;
}

/** How many reports are kept. */
const KEPT = 10;

/** Who asks for a reconciliation, and why. */
export interface Requester {
  readonly askedBy: string;
  readonly reason: string;
}

/** The service itself. */
const NO_REQUESTER: Requester = { askedBy: '', reason: '' };

/** Asks the running service for a reconciliation. @returns the request's id. */
export async function requestReconciliation(database: Database, scope: ReconciliationScope, now: number, requester: Requester = NO_REQUESTER): Promise<string> {
  const id = `rec_${newId()}`;
  await database.transaction((tx) => tx.run(sql.insertRequest, id, 'asked', scope, now, requester.askedBy, requester.reason));
  return id;
}

export async function findRequest(database: Database, id: string): Promise<ReconciliationRequest | undefined> {
  const row = await database.first(sql.findRequest, id);
  if (!row) return undefined;
  const running = await database.first(sql.runningNow);
  const report = row.report === null ? undefined : parse(row.report);
  return { state: row.state, progress: row.progress, sign: `${row.state} ${running?.progress}`, report };
}

/** Takes a request back that nobody has taken up. @returns false when somebody has meanwhile. */
export async function withdrawRequest(database: Database, id: string): Promise<boolean> {
  return (await database.transaction((tx) => tx.run(sql.withdraw, id))) === 1;
}

export async function lastReport(database: Database): Promise<ReconciliationReport | undefined> {
  const row = await database.first(sql.lastReport);
  return row && parse(row.report);
}

/** A reconciliation that this instance does. */
export interface RunningRequest extends Requester {
  readonly id: string;
  readonly scope: ReconciliationScope;
}

/** Takes the oldest request that nobody has taken. */
export async function takeRequest(database: Database): Promise<RunningRequest | undefined> {
  const next = await database.first(sql.nextRequest);
  if (!next) return undefined;
  const taken = await database.transaction((tx) => tx.run(sql.take, next.id));
  return taken === 1 ? { id: next.id, scope: next.scope, askedBy: next.asked_by, reason: next.reason } : undefined;
}

/** Begins one that nobody asked for: its time has come. */
export async function beginPeriodic(database: Database, now: number): Promise<RunningRequest> {
  const id = `rec_${newId()}`;
  await database.transaction((tx) => tx.run(sql.insertRequest, id, 'running', 'periodic', now, '', ''));
  return { id, scope: 'periodic', ...NO_REQUESTER };
}

/** What an earlier holder left unfinished is asked for again. */
export async function takeUpUnfinished(database: Database): Promise<void> {
  await database.transaction((tx) => tx.run(sql.takeUp));
}

export async function storeReport(database: Database, report: ReconciliationReport): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(sql.finish, report.id, JSON.stringify(report));
    await tx.run(sql.forgetOld, KEPT);
  });
}

export async function storeFailure(database: Database, id: string, reason: string): Promise<void> {
  await database.transaction((tx) => tx.run(sql.giveUp, id, reason));
}

export async function storeProgress(database: Database, id: string, progress: string): Promise<void> {
  await database.transaction((tx) => tx.run(sql.showProgress, id, progress));
}

function parse(text: string): ReconciliationReport {
  return JSON.parse(text) as ReconciliationReport;
}
