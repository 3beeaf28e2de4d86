import { setTimeout as delay } from 'node:timers/promises';
import type { Alert, Reconciliation, SatchelClient } from '../../client/satchel.js';
import { exitWithUsage, readArguments } from './command.ts';
import { reportText } from './reconcile-text.ts';
import { EXIT, readReason, runOnService } from './service.ts';

const USAGE = `npm run reconcile -- [--json] [--seen <subject of an alert>] [--new-baseline] [--reason "…"]

Makes the running service compare the ledger with the node, and prints the report and the open alerts.
  --json          prints both as JSON
  --seen          first closes the alerts about a payment, an invoice or a decrease; an alert whose cause persists opens again
  --new-baseline  accepts the node's own money as it is now
  --reason        why, for the record of --seen or --new-baseline; required for --new-baseline
Exit code 0: no differences and no open alerts. 1: differences or open alerts. 2: not done.`;

const POLL_MS = 200;
/** How long the state may stay the same. A request waits for the end of the reconciliation before it. */
const STALLED_MS = 300_000;

const CLEAN = 0;
const DIFFERENCES = 1;

/** `npm run reconcile`: requests a reconciliation from the running service, which is connected to the node, and prints the report. */
async function main(): Promise<void> {
  const values = readArguments(USAGE, {
    json: { type: 'boolean' },
    'new-baseline': { type: 'boolean' },
    reason: { type: 'string' },
    seen: { type: 'string' },
  });
  const { seen, 'new-baseline': isBaseline = false } = values;
  if (values.reason !== undefined && !isBaseline && seen === undefined) exitWithUsage(USAGE);
  const reason = isBaseline || values.reason !== undefined ? readReason(values.reason) : undefined;
  await runOnService(async (service) => {
    if (seen !== undefined) await closeAlerts(service, seen, reason ?? 'seen, by npm run reconcile');
    const scope = isBaseline ? 'new_baseline' : 'full';
    const report = await waitForEnd(
      service,
      await service.operator.requestReconciliation({ scope, ...(reason !== undefined && { reason }) }),
    );
    if (report.status !== 'done') {
      process.stderr.write(report.status === 'failed' ? `The reconciliation failed: ${report.progress}\n` : STALLED);
      return EXIT.notDone;
    }
    const alerts = await openAlerts(service);
    const stuck = await service.operator.listPendingPayments({ status: 'stuck', 'per-page': 100 });
    process.stdout.write(`${values.json ? JSON.stringify({ report, alerts, stuck }, null, 2) : reportText(report, alerts, stuck)}\n`);
    return exitCode(report, alerts);
  });
}

async function openAlerts(service: SatchelClient): Promise<Alert[]> {
  const alerts: Alert[] = [];
  for await (const alert of service.operator.listAlerts({ status: 'open', 'per-page': 100 })) alerts.push(alert);
  return alerts;
}

async function closeAlerts(service: SatchelClient, subject: string, reason: string): Promise<void> {
  const found = (await openAlerts(service)).filter((alert) => alert.subject === subject);
  if (found.length === 0)
    throw new Error('no open alert is about what --seen names. Run the command without --seen to list the open alerts.');
  for (const { id } of found) await service.operator.closeAlert(id, { reason });
}

/** Waits until a reconciliation has ended, or shows no progress. */
async function waitForEnd(service: SatchelClient, requested: Reconciliation): Promise<Reconciliation> {
  let [now, changedMs] = [requested, performance.now()];
  while (now.status === 'queued' || now.status === 'running') {
    if (performance.now() - changedMs > STALLED_MS) break;
    showProgress(now.progress);
    await delay(POLL_MS);
    const next = await service.operator.getReconciliation(requested.id);
    if (next.status !== now.status || next.progress !== now.progress) changedMs = performance.now();
    now = next;
  }
  showProgress('');
  return now;
}

const STALLED = `The reconciliation has shown no progress for ${STALLED_MS / 60_000} minutes. See the log of the service.\n`;

function exitCode({ nodes }: Reconciliation, alerts: readonly Alert[]): number {
  if (nodes.some((one) => one.incomplete_reason !== null || one.balance_status !== 'measured')) return EXIT.notDone;
  const agrees = nodes.every((one) => one.contradictions.length === 0 && one.missed_settlements.length === 0);
  return agrees && alerts.length === 0 ? CLEAN : DIFFERENCES;
}

/** Writes to standard error, so that the output of `--json` can be piped. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

await main();
