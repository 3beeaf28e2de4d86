import { setTimeout as delay } from 'node:timers/promises';
import { ALERT_KINDS, type AlertKind } from '../alerts/alert-kinds.ts';
import { type Alert, type Alerts, adviceFor, createAlerts } from '../alerts/alerts.ts';
import { readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { openDatabase } from '../db/open.ts';
import { systemClock, unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import type { ReconciliationReport, ReconciliationScope } from '../reconcile/report.ts';
import { type Requester, findRequest, lastReport, requestReconciliation, withdrawRequest } from '../reconcile/requests.ts';
import { readArguments, refuse } from './arguments.ts';
import { operatorName } from './operator-name.ts';
import { reportText } from './reconcile-text.ts';
import { stderrLog } from './stderr-log.ts';

// SQLite makes files beside the database: they are for their owner alone, as it is.
process.umask(0o077);

const USAGE = `npm run reconcile -- [--json] [--seen <subject of an alert>] [--new-baseline [--reason "…"]]

Asks the running service to compare the ledger with the node, and shows the report.
  --json          prints the report and the open alerts for programs
  --seen          closes the alerts about a payment, an invoice or a decrease
  --new-baseline  accepts what the node has of its own now, and records who did so and why`;

const POLL_MS = 200;
/** Another instance takes over from a dead one within ten seconds. */
const TAKEN_UP_MS = { sqlite: 5000, postgres: 15_000 } as const;
/** A service that works shows it every second. */
const SILENT_MS = 15_000;

const MAX_ALERTS = 1000;

const CLEAN = 0;
const DIFFERENCES = 1;
const NOT_DONE = 2;

/**
 * `npm run reconcile`: asks the running service, which has the node, to compare it with the ledger, and shows the report. `--json` for
 * programs; `--seen <id>` closes the alerts about something; `--new-baseline` accepts what the node has of its own now.
 */
async function main(): Promise<void> {
  const values = readArguments(USAGE, {
    json: { type: 'boolean' },
    'new-baseline': { type: 'boolean' },
    reason: { type: 'string' },
    seen: { type: 'string' },
  });
  if (values.reason !== undefined && !values['new-baseline']) refuse(USAGE);
  const { databaseUrl } = readConfig(process.env);
  const database = await openDatabase(databaseUrl, { log: stderrLog, beside: true });
  const alertsOf = createAlerts(database, systemClock, stderrLog);
  try {
    // What is still so opens again.
    if (values.seen !== undefined) await closeAlerts(alertsOf, values.seen);
    const requester = { askedBy: operatorName(), reason: values.reason ?? '' };
    const trouble = await ask(database, values['new-baseline'] ? 'new_baseline' : 'full', requester);
    if (trouble !== undefined) process.stderr.write(`${trouble}\n`);
    const [report, alerts] = [await lastReport(database), await alertsOf.listOpen('', MAX_ALERTS)];
    show(report, alerts, values.json === true);
    const isDone = trouble === undefined && report !== undefined && report.silence === null && report.balance.state === 'measured';
    process.exitCode = !isDone ? NOT_DONE : isClean(report, alerts) ? CLEAN : DIFFERENCES;
  } finally {
    await database.close();
  }
}

async function closeAlerts(alerts: Alerts, subject: string): Promise<void> {
  let closed = false;
  for (const kind of Object.keys(ALERT_KINDS) as AlertKind[]) closed = (await alerts.clear(kind, subject)) || closed;
  if (!closed) throw new Error('no open alert is about what --seen names. Without --seen the command lists them.');
}

function isClean({ contradictions, missedSettlements }: ReconciliationReport, alerts: readonly Alert[]): boolean {
  return contradictions.length === 0 && missedSettlements.length === 0 && alerts.length === 0;
}

/** @returns why it could not be done; undefined when there is a new report. */
async function ask(database: Database, scope: ReconciliationScope, requester: Requester): Promise<string | undefined> {
  const id = await requestReconciliation(database, scope, unixSeconds(systemClock), requester);
  let seen = { sign: '', sinceMs: performance.now() };
  for (;;) {
    const request = await findRequest(database, id);
    if (!request) return 'The request was lost.';
    const { state, progress, sign } = request;
    if (state === 'done') return undefined;
    if (state === 'failed') return `The reconciliation was not finished: ${progress}`;
    if (sign !== seen.sign) seen = { sign, sinceMs: performance.now() };
    const silentMs = performance.now() - seen.sinceMs;
    if (state === 'asked' && silentMs > TAKEN_UP_MS[database.dialect] && (await withdrawRequest(database, id))) {
      return 'No service runs on this database, so nothing could be compared with the node. This is the last stored report.';
    }
    if (silentMs > SILENT_MS) return 'The service has taken the request up and shows no progress. This is the last stored report.';
    showProgress(progress);
    await delay(POLL_MS);
  }
}

function show(report: ReconciliationReport | undefined, alerts: readonly Alert[], isJson: boolean): void {
  showProgress('');
  if (isJson) {
    const advised = alerts.map((alert) => ({ ...alert, todo: adviceFor(alert.kind) }));
    process.stdout.write(`${JSON.stringify({ report: report ?? null, alerts: advised }, null, 2)}\n`);
  } else if (report) {
    process.stdout.write(`${reportText(report, alerts, unixSeconds(systemClock))}\n`);
  } else {
    process.stdout.write('There is no report yet.\n');
  }
}

/** To standard error, so that `--json` can be piped. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

main().catch((error) => {
  process.stderr.write(`Nothing was reconciled: ${errorMessage(error)}\n`);
  process.exitCode = NOT_DONE;
});
