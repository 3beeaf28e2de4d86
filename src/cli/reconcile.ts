import { setTimeout as delay } from 'node:timers/promises';
import { ALERT_KINDS, type AlertKind } from '../core/alerts/alert-kinds.ts';
import { type Alert, type Alerts, createAlerts, remedyFor } from '../core/alerts/alerts.ts';
import type { Database } from '../core/db/database.ts';
import { systemClock, unixSeconds } from '../core/kernel/clock.ts';
import { errorMessage } from '../core/kernel/log.ts';
import type { ReconciliationReport, ReconciliationScope } from '../features/reconcile/report.ts';
import {
  findReconciliation,
  lastReport,
  type Requester,
  requestReconciliation,
  runningProgress,
  withdrawRequest,
} from '../features/reconcile/requests.ts';
import { exitWithUsage, operatorName, readArguments, stderrLog, withDatabase } from './command.ts';
import { POLL_MS, START_TIMEOUT_MS } from './operator-command.ts';
import { reportText } from './reconcile-text.ts';

const USAGE = `npm run reconcile -- [--json] [--seen <subject of an alert>] [--new-baseline [--reason "…"]]

Makes the running service compare the ledger with the node, and prints the report and the open alerts.
  --json          prints both as JSON
  --seen          first closes the alerts about a payment, an invoice or a decrease; an alert whose cause persists opens again
  --new-baseline  accepts the node's own money as it is now, and records who did so and why
Exit code 0: no differences and no open alerts. 1: differences or open alerts. 2: not done.`;

/** How long to wait for progress, which a running service stores every second. */
const STALLED_MS = 15_000;

const MAX_ALERTS = 1000;

const CLEAN = 0;
const DIFFERENCES = 1;
const NOT_DONE = 2;

/** `npm run reconcile`: requests a reconciliation from the running service, which is connected to the node, and prints the report. */
async function main(): Promise<void> {
  const values = readArguments(USAGE, {
    json: { type: 'boolean' },
    'new-baseline': { type: 'boolean' },
    reason: { type: 'string' },
    seen: { type: 'string' },
  });
  if (values.reason !== undefined && !values['new-baseline']) exitWithUsage(USAGE);
  await withDatabase({ withoutLock: true }, async (database) => {
    const alertsOf = createAlerts(database, systemClock, stderrLog);
    if (values.seen !== undefined) await closeAlerts(alertsOf, values.seen);
    const requester = { requestedBy: operatorName(), reason: values.reason ?? '' };
    const failure = await requestAndWait(database, values['new-baseline'] ? 'new_baseline' : 'full', requester);
    if (failure !== undefined) process.stderr.write(`${failure}\n`);
    const [report, alerts] = [await lastReport(database), await alertsOf.listOpen('', MAX_ALERTS)];
    show(report, alerts, values.json === true);
    const isDone =
      failure === undefined &&
      report?.nodes.every(({ incompleteReason, balance }) => incompleteReason === null && balance.state === 'measured') === true;
    process.exitCode = !isDone ? NOT_DONE : isClean(report, alerts) ? CLEAN : DIFFERENCES;
  });
}

async function closeAlerts(alerts: Alerts, subject: string): Promise<void> {
  let closed = false;
  for (const kind of Object.keys(ALERT_KINDS) as AlertKind[]) closed = (await alerts.clear(kind, subject)) || closed;
  if (!closed) throw new Error('no open alert is about what --seen names. Run the command without --seen to list the open alerts.');
}

function isClean({ nodes }: ReconciliationReport, alerts: readonly Alert[]): boolean {
  const agrees = nodes.every(({ contradictions, missedSettlements }) => contradictions.length === 0 && missedSettlements.length === 0);
  return agrees && alerts.length === 0;
}

/** Requests a reconciliation and waits for it. @returns the reason of a failure; undefined when there is a new report. */
async function requestAndWait(database: Database, scope: ReconciliationScope, requester: Requester): Promise<string | undefined> {
  const id = await requestReconciliation(database, scope, unixSeconds(systemClock), requester);
  let seen = { heartbeat: '', sinceMs: performance.now() };
  for (;;) {
    const request = await findReconciliation(database, id);
    if (!request) return 'The request was lost.';
    const { state, progress } = request;
    // It also changes while an earlier request is running.
    const heartbeat = `${state} ${await runningProgress(database)}`;
    if (state === 'done') return undefined;
    if (state === 'failed') return `The reconciliation failed: ${progress}`;
    if (heartbeat !== seen.heartbeat) seen = { heartbeat, sinceMs: performance.now() };
    const unchangedMs = performance.now() - seen.sinceMs;
    if (state === 'requested' && unchangedMs > START_TIMEOUT_MS[database.dialect] && (await withdrawRequest(database, id))) {
      return 'No service runs on this database, so nothing could be compared with the node. This is the last stored report.';
    }
    if (unchangedMs > STALLED_MS) return 'The service has started the request and shows no progress. This is the last stored report.';
    showProgress(progress);
    await delay(POLL_MS);
  }
}

function show(report: ReconciliationReport | undefined, alerts: readonly Alert[], isJson: boolean): void {
  showProgress('');
  if (isJson) {
    const advised = alerts.map((alert) => ({ ...alert, remedy: remedyFor(alert.kind) }));
    process.stdout.write(`${JSON.stringify({ report: report ?? null, alerts: advised }, null, 2)}\n`);
  } else if (report) {
    process.stdout.write(`${reportText(report, alerts, unixSeconds(systemClock))}\n`);
  } else {
    process.stdout.write('There is no report yet.\n');
  }
}

/** Writes to standard error, so that the output of `--json` can be piped. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

main().catch((error) => {
  process.stderr.write(`Nothing was reconciled: ${errorMessage(error)}\n`);
  process.exitCode = NOT_DONE;
});
