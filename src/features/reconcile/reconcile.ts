import type { NodeConnection } from '../../core/connection/connection.ts';
import { pause, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { compareBalance } from './balance.ts';
import { compareInvoices } from './invoices.ts';
import { NodeProbe, STOPPING } from './node-probe.ts';
import { comparePayments } from './payments.ts';
import { comparePending } from './pending.ts';
import type { NodeComparison } from './reconciliation-object.ts';
import type { RunningRequest } from './requests.sql.ts';
import {
  beginPeriodic,
  type ReconciliationReport,
  requeueUnfinished,
  storeFailure,
  storeProgress,
  storeReport,
  takeRequest,
} from './requests.ts';
import type { ReconcileModules, ReconciliationRun } from './run.ts';
import { storeSamples } from './samples.ts';
import { readPositions } from './totals.ts';

const POLL_MS = 1000;
/** The interval after a run in which the node stopped answering. */
const INCOMPLETE_SECONDS = 30;
const PROGRESS_MS = 1000;
const LOG_EVERY = 10;

/** Compares the ledger with all nodes at the same time, so that a node that does not answer delays no other. */
async function reconcileAll(modules: ReconcileModules, request: RunningRequest, signal: AbortSignal): Promise<ReconciliationReport> {
  const { all } = modules.connections;
  const runs = all.map((connection, index) => {
    // Baselines and alerts about decreases have the id of the comparison.
    const own = index === 0 ? request : { ...request, id: `rec_${newId()}` };
    return reconcile(modules, connection, own, signal, request.id);
  });
  // A comparison that fails must not leave the others running.
  const reports = (await Promise.allSettled(runs)).map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  const positions = await readPositions(modules.database, all);
  return {
    nodes: reports.flatMap(({ nodes }) => nodes.map((one) => ({ ...one, ...positions.get(one.ln_node_id) }))),
    evidence: Object.assign({}, ...reports.map(({ evidence }) => evidence)),
  };
}

/**
 * Compares the ledger with a node: pending payments, ended payments, invoices and the balance. Returns a report and raises alerts. It books
 * only missed settlements, and outcomes that the payments can correct. `requestId` is the request whose progress is published.
 */
export async function reconcile(
  modules: ReconcileModules,
  connection: NodeConnection,
  request: RunningRequest,
  signal: AbortSignal,
  requestId = request.id,
): Promise<ReconciliationReport> {
  const run: ReconciliationRun = {
    ...modules,
    ...request,
    connection,
    nodeId: connection.nodeId,
    startedAt: unixSeconds(modules.clock),
    signal,
    probe: new NodeProbe(connection, signal, modules.timing),
    findings: { compared_payments: 0, compared_invoices: 0, contradictions: [], missed_settlements: [] },
    evidence: {},
    unbookedMsat: new Map(),
    progress: '',
  };
  const done = new AbortController();
  const publishing = publishProgress(run, requestId, done.signal);
  try {
    return { nodes: [await compare(run)], evidence: run.evidence };
  } finally {
    done.abort();
    await publishing;
  }
}

async function compare(run: ReconciliationRun): Promise<NodeComparison> {
  const { nodeId, startedAt, signal, probe, alerts, findings } = run;
  const pending = await comparePending(run);
  await comparePayments(run);
  await compareInvoices(run);
  // The balance comes last, after missed settlements are booked.
  const balance = await compareBalance(run);
  if (signal.aborted) throw new Error(STOPPING);
  const incomplete_reason = probe.stopReason ?? (balance.balance_status === 'unanswered' ? balance.balance_reason : null);
  if (incomplete_reason === null) await alerts.clear('node_silent', nodeId);
  else await alerts.raise({ kind: 'node_silent', subject: nodeId, message: incomplete_reason });
  // Announces alerts that a crashed process stored and did not announce.
  await alerts.announce();
  const node = { ln_node_id: nodeId, started_at: startedAt, ended_at: unixSeconds(run.clock), incomplete_reason };
  return { ...node, ...balance, held_msat: null, position_msat: null, ...pending, ...findings };
}

/**
 * Reconciles at the start, every `seconds`, and within two seconds of a request in the database, until the signal aborts. Only the holder of
 * the lease may call it.
 */
export async function reconcilePeriodically(modules: ReconcileModules, seconds: number, signal: AbortSignal): Promise<void> {
  await requeueUnfinished(modules.database);
  for (let due = 0; !signal.aborted; await pause(modules.pollMs ?? POLL_MS, signal)) {
    const isDue = performance.now() >= due;
    const request =
      (await takeRequest(modules.database)) ?? (isDue ? await beginPeriodic(modules.database, unixSeconds(modules.clock)) : undefined);
    if (!request) continue;
    const hasAnswered = await runRequest(modules, request, signal);
    due = performance.now() + 1000 * (hasAnswered ? seconds : Math.min(seconds, INCOMPLETE_SECONDS));
  }
}

/** @returns whether the run was finished and every node answered. */
async function runRequest(modules: ReconcileModules, request: RunningRequest, signal: AbortSignal): Promise<boolean> {
  const { database, log } = modules;
  try {
    const report = await reconcileAll(modules, request, signal);
    await storeSamples(database, report.nodes, unixSeconds(modules.clock));
    await storeReport(database, request.id, report);
    for (const node of report.nodes) logComparison(modules, request, node);
    return report.nodes.every(({ incomplete_reason }) => incomplete_reason === null);
  } catch (error) {
    // The service stops. The next holder of the lease repeats the request.
    if (signal.aborted) return false;
    log.error({ reason: errorMessage(error) }, 'reconciliation failed; the next run continues');
    await storeFailure(database, request.id, errorMessage(error));
    return false;
  }
}

function logComparison({ log }: ReconcileModules, { scope }: RunningRequest, node: NodeComparison): void {
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
async function publishProgress(run: ReconciliationRun, requestId: string, signal: AbortSignal): Promise<void> {
  const { database, log } = run;
  for (let seconds = 1; !(await pause(PROGRESS_MS, signal)); seconds++) {
    await storeProgress(database, requestId, `${run.progress} (${seconds} s)`).catch(() => undefined);
    if (seconds % LOG_EVERY === 0) log.info({ progress: run.progress }, 'reconciliation is running');
  }
}
