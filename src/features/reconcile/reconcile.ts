import type { Database } from '../../core/db/database.ts';
import { pause, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { compareBalance } from './balance.ts';
import { compareInvoices } from './invoices.ts';
import { NodeProbe, STOPPING } from './node-probe.ts';
import { comparePayments } from './payments.ts';
import { comparePending } from './pending.ts';
import { storeLedgerSample, storeNodeSample } from './reconcile.sql.ts';
import type { NodeComparison } from './reconciliation-object.ts';
import * as sql from './requests.sql.ts';
import { type ReconciliationReport, requestReconciliation } from './requests.ts';
import type { ReconcileModules, ReconciliationRun, RequestState } from './run.ts';
import { readPositions, readTotals } from './totals.ts';

const POLL_MS = 1000;
/** The interval after a run in which the node stopped answering. */
const INCOMPLETE_SECONDS = 30;
const PROGRESS_MS = 1000;
const LOG_EVERY = 10;
/** The number of periodic reconciliations that are stored, and of those that operators requested. */
const MAX_PERIODIC = 10;
const MAX_REQUESTED = 100;

/**
 * Reconciles at the start, every `seconds`, and within two seconds of a request in the database, until the signal aborts. Only the holder of
 * the lease may call it.
 */
export async function reconcilePeriodically(modules: ReconcileModules, seconds: number, signal: AbortSignal): Promise<void> {
  const { database, clock, pollMs = POLL_MS } = modules;
  await database.transaction((tx) => tx.run(sql.requeue));
  for (let due = 0; !signal.aborted; await pause(pollMs, signal)) {
    let request = await takeRequest(database);
    if (!request && performance.now() >= due) {
      const periodic = { requestedBy: '', reason: '' };
      await database.transaction((tx) => requestReconciliation(tx, 'periodic', unixSeconds(clock), periodic));
      request = await takeRequest(database);
    }
    if (!request) continue;
    const hasAnswered = await runRequest(modules, request, signal);
    due = performance.now() + 1000 * (hasAnswered ? seconds : Math.min(seconds, INCOMPLETE_SECONDS));
  }
}

/** Starts the oldest open request. */
async function takeRequest(database: Database): Promise<sql.RunningRequest | undefined> {
  const next = await database.first(sql.nextRequest);
  const taken = next && (await database.transaction((tx) => tx.run(sql.start, next.id)));
  return taken === 1 ? next : undefined;
}

/** Runs a request and stores its report. @returns whether the run was finished and every node answered. */
export async function runRequest(modules: ReconcileModules, request: sql.RunningRequest, signal: AbortSignal): Promise<boolean> {
  const { database, clock, log } = modules;
  const state: RequestState = { progress: '', evidence: {} };
  const done = new AbortController();
  const publishing = publishProgress(modules, request.id, state, done.signal);
  try {
    const nodes = await compareAll(modules, request, state, signal);
    await storeSamples(database, nodes, unixSeconds(clock));
    const report: ReconciliationReport = { nodes, evidence: state.evidence };
    await database.transaction(async (tx) => {
      await tx.run(sql.finish, request.id, JSON.stringify(report));
      await tx.run(sql.deleteOld, MAX_PERIODIC, MAX_REQUESTED);
    });
    for (const node of nodes) logComparison(modules, request, node);
    return nodes.every(({ incomplete_reason }) => incomplete_reason === null);
  } catch (error) {
    // The service stops. The next holder of the lease repeats the request.
    if (signal.aborted) return false;
    const reason = errorMessage(error);
    log.error({ reason }, 'reconciliation failed; the next run continues');
    await database.transaction((tx) => tx.run(sql.fail, request.id, reason));
    return false;
  } finally {
    done.abort();
    await publishing;
  }
}

/** Compares the ledger with all nodes at the same time, so that a node that does not answer delays no other. */
async function compareAll(
  modules: ReconcileModules,
  request: sql.RunningRequest,
  state: RequestState,
  signal: AbortSignal,
): Promise<NodeComparison[]> {
  const { all } = modules.connections;
  const runs = all.map((connection, index) => {
    // Baselines and alerts about decreases have the id of the comparison.
    const id = index === 0 ? request.id : `rec_${newId()}`;
    return compareNode({
      ...modules,
      ...request,
      id,
      state,
      connection,
      nodeId: connection.nodeId,
      startedAt: unixSeconds(modules.clock),
      signal,
      probe: new NodeProbe(connection, signal, modules.timing),
      findings: { compared_payments: 0, compared_invoices: 0, contradictions: [], missed_settlements: [] },
      unbookedMsat: new Map(),
    });
  });
  // A comparison that fails must not leave the others running.
  const nodes = (await Promise.allSettled(runs)).map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  const positions = await readPositions(modules.database, all);
  return nodes.map((node) => ({ ...node, ...positions.get(node.ln_node_id) }));
}

/**
 * Compares the ledger with a node: pending payments, ended payments, invoices and the balance. Raises alerts. It books only missed
 * settlements, and outcomes that the payments can correct.
 */
async function compareNode(run: ReconciliationRun): Promise<NodeComparison> {
  const { nodeId, startedAt, signal, probe, alerts, findings } = run;
  const pending = await comparePending(run);
  await comparePayments(run);
  await compareInvoices(run);
  // The balance comes last, after missed settlements are booked.
  const balance = await compareBalance(run);
  if (signal.aborted) throw new Error(STOPPING);
  const incomplete_reason = probe.stopReason ?? (balance.balance_status === 'unanswered' ? balance.balance_reason : null);
  if (incomplete_reason === null) await alerts.clear('node_silent', nodeId);
  else
    await alerts.raise({
      kind: 'node_silent',
      subject: nodeId,
      message: incomplete_reason,
      details: { ln_node_id: nodeId, reason: incomplete_reason },
    });
  await reportSettings(run);
  // Announces alerts that a crashed process stored and did not announce.
  await alerts.announce();
  const node = { ln_node_id: nodeId, started_at: startedAt, ended_at: unixSeconds(run.clock), incomplete_reason };
  return { ...node, ...balance, held_msat: null, position_msat: null, ...pending, ...findings };
}

/** Raises an alert while the operator should change a setting of the node. The node reports them whenever it is identified. */
async function reportSettings({ connection, nodeId, alerts }: ReconciliationRun): Promise<void> {
  const info = connection.info();
  if (!info) return;
  const { advice = [] } = info;
  if (advice.length === 0) await alerts.clear('node_setting', nodeId);
  else {
    const message = advice.map(sentence).join(' ');
    await alerts.raise({ kind: 'node_setting', subject: nodeId, message, details: { ln_node_id: nodeId, reason: message } });
  }
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}

/** Stores the figures of a reconciliation, one sample per hour. */
async function storeSamples(database: Database, nodes: readonly NodeComparison[], now: number): Promise<void> {
  const totals = await database.snapshot(readTotals);
  const hour = Math.floor(now / 3600);
  await database.transaction(async (tx) => {
    await tx.run(storeLedgerSample, hour, now, totals.customersMsat, totals.suspenseMsat);
    for (const { ln_node_id, ended_at, assets_msat } of nodes) {
      if (assets_msat !== null) await tx.run(storeNodeSample, hour, ln_node_id, ended_at, assets_msat);
    }
  });
}

function logComparison({ log }: ReconcileModules, { scope }: sql.RunningRequest, node: NodeComparison): void {
  const fields = {
    node: node.ln_node_id,
    scope,
    payments: node.compared_payments,
    invoices: node.compared_invoices,
    contradictions: node.contradictions.length,
    missedSettlements: node.missed_settlements.length,
    stuck: node.stuck_payments,
  };
  const { incomplete_reason: incompleteReason } = node;
  if (incompleteReason === null) log.info(fields, 'reconciled with the node');
  else log.warn({ ...fields, incompleteReason }, 'the node stopped answering; the rest was not compared');
}

/** Stores the progress every second, and logs it every ten seconds. */
async function publishProgress({ database, log }: ReconcileModules, id: string, state: RequestState, signal: AbortSignal): Promise<void> {
  for (let seconds = 1; !(await pause(PROGRESS_MS, signal)); seconds++) {
    const progress = `${state.progress} (${seconds} s)`;
    await database.transaction((tx) => tx.run(sql.updateProgress, id, progress)).catch(() => undefined);
    if (seconds % LOG_EVERY === 0) log.info({ progress: state.progress }, 'reconciliation is running');
  }
}
