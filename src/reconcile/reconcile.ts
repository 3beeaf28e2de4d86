import { pause, unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { compareBalance } from './balance.ts';
import { compareEnded } from './ended.ts';
import { compareInvoices } from './invoices.ts';
import { comparePending } from './pending.ts';
import type { ReconciliationReport } from './report.ts';
import { beginPeriodic, storeFailure, storeProgress, storeReport, type RunningRequest, takeRequest, takeUpUnfinished } from './requests.ts';
import type { ReconcileDependencies, ReconciliationRun } from './run.ts';
import { ENDING, NodeProbe } from './node-probe.ts';

export type { ReconcileDependencies } from './run.ts';

/** How often is looked whether somebody asks. */
const ASKED_MS = 1000;
/** After a silence the next look comes sooner. */
const SILENT_SECONDS = 30;
const PROGRESS_MS = 1000;
const LOG_EVERY = 10;

/**
 * Compares the ledger with the node: what is pending, what has ended, the invoices and the balance. What it finds becomes a report and
 * alerts; the only thing it books is a settlement that was missed, by the way every settlement takes.
 */
export async function reconcile(deps: ReconcileDependencies, taken: RunningRequest, signal: AbortSignal): Promise<ReconciliationReport> {
  const told = { text: '' };
  const over = new AbortController();
  const telling = tellProgress(deps, taken.id, told, over.signal);
  try {
    const progress = (text: string) => {
      told.text = text;
    };
    return await compare(deps, taken, progress, signal);
  } finally {
    over.abort();
    await telling;
  }
}

async function compare(deps: ReconcileDependencies, taken: RunningRequest, progress: ReconciliationRun['progress'], signal: AbortSignal): Promise<ReconciliationReport> {
  const startedAt = unixSeconds(deps.clock);
  const probe = new NodeProbe(signal, deps.timing);
  const found = {
    contradictions: [],
    missedSettlements: [],
    compared: { payments: 0, invoices: 0 },
    unbookedMsat: new Map<string, number>(),
  };
  const run: ReconciliationRun = { ...deps, ...found, ...taken, startedAt, signal, probe, progress };
  const pending = await comparePending(run);
  await compareEnded(run);
  await compareInvoices(run);
  // Last, so that what was missed is booked by then.
  const balance = await compareBalance(run);
  if (signal.aborted) throw new Error(ENDING);
  const silence = probe.silence ?? (balance.state === 'unanswered' ? balance.reason : null);
  if (silence === null) await deps.alerts.clear('node_silent', 'node');
  else await deps.alerts.raise({ kind: 'node_silent', subject: 'node', message: silence });
  // Those of a process that died before it could.
  await deps.alerts.announce();
  const { contradictions, missedSettlements, compared } = run;
  const endedAt = unixSeconds(deps.clock);
  const { id, scope } = taken;
  return { id, scope, startedAt, endedAt, silence, balance, pending, compared, contradictions, missedSettlements };
}

/**
 * Reconciles now, every `seconds`, and within a second or two whenever somebody asks through the database, until the signal aborts.
 * To be done by one instance at a time.
 */
export async function reconcilePeriodically(deps: ReconcileDependencies, seconds: number, signal: AbortSignal): Promise<void> {
  await takeUpUnfinished(deps.database);
  for (let due = 0; !signal.aborted; await pause(ASKED_MS, signal)) {
    const isDue = performance.now() >= due;
    const taken = (await takeRequest(deps.database)) ?? (isDue ? await beginPeriodic(deps.database, unixSeconds(deps.clock)) : undefined);
    if (!taken) continue;
    const hasAnswered = await doOne(deps, taken, signal);
    due = performance.now() + 1000 * (hasAnswered ? seconds : Math.min(seconds, SILENT_SECONDS));
  }
}

/** @returns whether it was done and the node answered. */
async function doOne(deps: ReconcileDependencies, taken: RunningRequest, signal: AbortSignal): Promise<boolean> {
  const { database, log } = deps;
  try {
    const report = await reconcile(deps, taken, signal);
    await storeReport(database, report);
    const { compared, contradictions, missedSettlements, pending, silence } = report;
    const found = { contradictions: contradictions.length, missedSettlements: missedSettlements.length, stuck: pending.stuckPayments };
    const told = { scope: taken.scope, ...compared, ...found };
    if (silence === null) log.info(told, 'reconciled with the node');
    else log.warn({ ...told, silence }, 'the node was silent: what it did not answer could not be compared');
    return silence === null;
  } catch (error) {
    // Unfinished at the end of the service: the next one takes it up.
    if (signal.aborted) return false;
    log.error({ reason: errorMessage(error) }, 'reconciliation was not finished; the next one goes on');
    await storeFailure(database, taken.id, errorMessage(error));
    return false;
  }
}

/** Shows whoever asked, every second, that the work goes on; and the log now and then. */
async function tellProgress(
  { database, log }: ReconcileDependencies,
  id: string,
  told: { text: string },
  signal: AbortSignal,
): Promise<void> {
  for (let seconds = 1; !(await pause(PROGRESS_MS, signal)); seconds++) {
    await storeProgress(database, id, `${told.text} (${seconds} s)`).catch(() => undefined);
    if (seconds % LOG_EVERY === 0) log.info({ progress: told.text }, 'reconciliation goes on');
  }
}
