import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Alert, Reconciliation, SatchelClient } from '../../client/satchel.js';
import type { Output } from './output.ts';
import { reportText } from './reconcile-text.ts';
import { type ServiceCall, serviceAction, withKey } from './service.ts';
import { confirm, EXIT, NotDone, parseReason, verb, withConfirmation } from './verb.ts';

const POLL_MS = 200;
/** How long the state may stay the same. A request waits for the end of the reconciliation before it. */
const STALLED_MS = 300_000;

interface ReconcileOptions {
  readonly seen?: string;
  readonly newBaseline?: boolean;
  readonly reason?: string;
  readonly yes?: boolean;
}

/** `satchel reconcile`: requests a reconciliation from the running service, which is connected to the node, and prints the report. */
export function addReconcile(program: Command): void {
  const command = verb(program, {
    name: 'reconcile',
    summary: 'Compare the ledger with the nodes',
    details: 'It prints the report and the open alerts.',
    example: 'reconcile --new-baseline --reason "closed the channel to X"',
  })
    .option('--seen <subject>', 'first close the alerts about a payment, node or decrease')
    .option('--new-baseline', 'accept the node’s own money as it is now; needs --reason')
    .option('--reason <text>', 'why, for the record of --seen or --new-baseline', parseReason);
  withKey(withConfirmation(command)).action(serviceAction<ReconcileOptions>(reconcile, requireUsefulReason));
}

function requireUsefulReason({ seen, newBaseline: isBaseline = false, reason }: ReconcileOptions): void {
  if (isBaseline ? reason === undefined : reason !== undefined && seen === undefined)
    throw new NotDone('Give --reason with --new-baseline, which requires it, or with --seen. See `satchel reconcile --help`.');
}

async function reconcile({ service, output, options }: ServiceCall<ReconcileOptions>): Promise<number> {
  const { seen, newBaseline: isBaseline = false, reason } = options;
  if (isBaseline) await confirm('The own money of each node is accepted as it is now, with any decrease.', options);
  if (seen !== undefined) await closeAlerts(service, seen, reason ?? 'seen, by satchel reconcile');
  const scope = isBaseline ? 'new_baseline' : 'full';
  const requested = await service.operator.requestReconciliation({ scope, ...(reason !== undefined && { reason }) });
  const report = await waitForEnd(service, requested, output);
  if (report.status !== 'done') throw new NotDone(report.status === 'failed' ? `The reconciliation failed: ${report.progress}` : STALLED);
  const alerts = await openAlerts(service);
  const stuck = await service.operator.listPendingPayments({ status: 'stuck', 'per-page': 100 });
  await output.print({ report, alerts, stuck }, reportText(report, alerts, stuck));
  return exitCode(report, alerts);
}

async function openAlerts(service: SatchelClient): Promise<Alert[]> {
  const alerts: Alert[] = [];
  for await (const alert of service.operator.listAlerts({ status: 'open', 'per-page': 100 })) alerts.push(alert);
  return alerts;
}

async function closeAlerts(service: SatchelClient, subject: string, reason: string): Promise<void> {
  const found = (await openAlerts(service)).filter((alert) => alert.subject === subject);
  if (found.length === 0)
    throw new NotDone('Nothing was done: no open alert is about what --seen names. `satchel reconcile` lists the open alerts.');
  for (const { id } of found) await service.operator.closeAlert(id, { reason });
}

/** Waits until a reconciliation has ended, or shows no progress. */
async function waitForEnd(service: SatchelClient, requested: Reconciliation, output: Output): Promise<Reconciliation> {
  let [now, changedMs] = [requested, performance.now()];
  while (now.status === 'queued' || now.status === 'running') {
    if (performance.now() - changedMs > STALLED_MS) break;
    output.progress(now.progress);
    await delay(POLL_MS);
    const next = await service.operator.getReconciliation(requested.id);
    if (next.status !== now.status || next.progress !== now.progress) changedMs = performance.now();
    now = next;
  }
  output.progress('');
  return now;
}

const STALLED = `The reconciliation has shown no progress for ${STALLED_MS / 60_000} minutes. See the log of the service.`;

function exitCode({ nodes }: Reconciliation, alerts: readonly Alert[]): number {
  if (nodes.some((one) => one.incomplete_reason !== null || one.balance_status !== 'measured')) return EXIT.notDone;
  const agrees = nodes.every((one) => one.contradictions.length === 0 && one.missed_settlements.length === 0);
  return agrees && alerts.length === 0 ? EXIT.done : EXIT.refused;
}
