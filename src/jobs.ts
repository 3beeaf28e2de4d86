import { fileURLToPath } from 'node:url';
import type { Config } from './config.ts';
import type { KeyUseTiming } from './core/accounts/key-uses.ts';
import type { NodeConnection } from './core/connection/connection.ts';
import { type EventReaderIntervals, readNodeEvents } from './core/connection/events.ts';
import { PERIOD_MS } from './core/db/retention.ts';
import type { HoldTiming } from './core/hold-invoices/watch.ts';
import type { ArrivingTiming } from './core/invoices/arriving.ts';
import type { SettlementDetails } from './core/invoices/report.ts';
import { pause } from './core/kernel/clock.ts';
import { errorMessage } from './core/kernel/log.ts';
import { moduleUrl } from './core/kernel/module-url.ts';
import type { PaymentOutcome } from './core/lightning/node.ts';
import { backupProcess, runSchedule } from './features/backup/schedule.ts';
import { CHANNEL_NAMES } from './features/notifications/channel.ts';
import type { NotificationModuleTiming } from './features/notifications/notification-module.ts';
import type { NwcTiming } from './features/nwc/nwc.ts';
import { computeFlowHours } from './features/operator/flows.ts';
import type { HealthLimits } from './features/operator/health/judge.ts';
import { watchHealth } from './features/operator/health/watch.ts';
import { type PayoutTiming, runPayouts } from './features/payouts/run-payouts.ts';
import { takeEpochs } from './features/proof/take-epoch.ts';
import type { PushTiming } from './features/push/push-queue.ts';
import type { ProbeTiming } from './features/reconcile/node-probe.ts';
import { reconcilePeriodically } from './features/reconcile/reconcile.ts';
import { readBack } from './features/restore/read-back.ts';
import type { WebhookTiming } from './features/webhooks/deliverer.ts';
import type { Modules } from './modules.ts';

/** A background job. */
export interface Job {
  readonly name: string;
  /**
   * The instance that holds this lease runs the job. On SQLite there is one instance, and no lease is needed. Undefined: every instance runs it, because
   * its tasks are claimed.
   */
  readonly lease:
    | undefined
    | 'node-listener'
    | 'backup'
    | 'reconcile'
    | 'proof-epochs'
    | 'withdraw-notices'
    | 'zap-receipts'
    | 'nwc'
    | 'push'
    | 'fiat-rates'
    | 'alert-channels'
    | `events ${string}`;
  /** `continuous`: `run` has a loop and returns when the signal aborts. A number: the milliseconds between two calls of `run`. */
  readonly interval: 'continuous' | number;
  /** Whether `run` is first called after an interval instead of at the start. */
  readonly startsLater?: boolean;
  run(signal: AbortSignal): Promise<void>;
}

/** The command line program. */
const PROGRAM = fileURLToPath(moduleUrl('cli/satchel', import.meta.url));

/** How often pending payments are resumed. */
const RESUME_MS = 30_000;

/** How often the read-back of a node's records after a restore is continued. */
const READ_BACK_MS = 2000;

/** How often the health of a node is judged. */
const HEALTH_MS = 15_000;

/** How often the withdrawable amounts of links are compared for their claimers' notices. */
const NOTICES_MS = 10_000;

/** How often the receipts of zaps are published that are due. */
const RECEIPTS_MS = 1000;

/** The interval of searches for alerts to send. */
const NOTIFICATIONS_MS = 2000;

/** How often ended subscriptions of browsers are deleted. */
const SUBSCRIPTIONS_MS = 3600 * 1000;

/** How often the figures of hours that are over are computed. */
const FLOWS_MS = 60_000;

/** How often invoices that have expired are reported. */
const EXPIRY_MS = 2000;

/** The waits of the jobs. Tests shorten them. */
export interface JobTiming {
  readonly events?: EventReaderIntervals;
  readonly probe?: Partial<ProbeTiming>;
  /** Between two reads of the nodes' figures, and between two judgements of their health. */
  readonly pollNodesMs?: number;
  readonly health?: HealthLimits;
  /** Between two polls for the requests of operators. */
  readonly pollMs?: number;
  /** Between two rounds of the notices of withdraw links. */
  readonly noticesMs?: number;
  /** Between two rounds that publish receipts of zaps. */
  readonly receiptsMs?: number;
  readonly webhooks?: Partial<WebhookTiming>;
  readonly keyUses?: Partial<KeyUseTiming>;
  /** Between two rounds that report expired invoices. */
  readonly expiryMs?: number;
  /** Between two attempts of pending payments. */
  readonly resumeMs?: number;
  readonly arriving?: ArrivingTiming;
  readonly holds?: HoldTiming;
  readonly nwc?: NwcTiming;
  readonly payouts?: Partial<PayoutTiming>;
  readonly push?: Partial<PushTiming>;
  /** Between two tries to read the records of a node back after a restore. */
  readonly readBackMs?: number;
  /** Between two refreshes of the fiat rates, and the time for the response of a provider. */
  readonly ratesMs?: number;
  readonly rateTimeoutMs?: number;
  /** The interval of searches for alerts to send, and the delays of their messages. */
  readonly notificationsMs?: number;
  readonly notifications?: NotificationModuleTiming;
  /** Writes a scheduled backup. */
  readonly runBackup?: (signal: AbortSignal) => Promise<void>;
}

/** Returns the background jobs of the service. */
export function backgroundJobs(modules: Modules, config: Config, timing: JobTiming): readonly Job[] {
  const { ledger, idempotency, invoices, payments, eventLog, webhooks, links, nwc, zaps, operator } = modules;
  const { probe, pollMs, noticesMs = NOTICES_MS, expiryMs = EXPIRY_MS, resumeMs = RESUME_MS, receiptsMs = RECEIPTS_MS } = timing;
  const { reconcileSeconds, stuckPaymentSeconds, proofIntervalSeconds } = config;
  const comparison = { ...modules, stuckPaymentSeconds, timing: probe, pollMs };
  const retained = { ledger, idempotency, event: eventLog, webhook: webhooks, 'app request': nwc };
  const jobs: Job[] = [
    ...modules.connections.all.flatMap((connection) => nodeJobs(modules, connection, timing)),
    { name: 'pending payments', lease: 'node-listener', interval: resumeMs, run: () => payments.resumePending() },
    { name: 'expired invoices', lease: 'node-listener', interval: expiryMs, run: (signal) => invoices.reportExpired(signal) },
    {
      name: 'hourly figures',
      lease: 'node-listener',
      interval: FLOWS_MS,
      run: async (signal) => void (await computeFlowHours(modules, signal)),
    },
    { name: 'operator actions', lease: 'node-listener', interval: 'continuous', run: (signal) => operator.run(signal, pollMs) },
    ...Object.entries(retained).map(
      ([name, module]): Job => ({
        name: `${name} retention`,
        lease: 'node-listener',
        interval: PERIOD_MS,
        startsLater: true,
        run: () => module.endRetentionPeriod(),
      }),
    ),
    { name: 'receipts of zaps', lease: 'zap-receipts', interval: receiptsMs, run: (signal) => zaps.publishReceipts(signal) },
    { name: 'notices of withdraw links', lease: 'withdraw-notices', interval: noticesMs, run: (signal) => links.sendNotices(signal) },
    ...CHANNEL_NAMES.map(
      (name): Job => ({
        name: `alerts by ${name}`,
        lease: 'alert-channels',
        interval: timing.notificationsMs ?? NOTIFICATIONS_MS,
        run: (signal) => modules.notifications.run(name, signal),
      }),
    ),
    { name: 'payouts', lease: undefined, interval: 'continuous', run: (signal) => runPayouts(modules, signal, timing.payouts) },
    { name: 'push notifications', lease: 'push', interval: 'continuous', run: (signal) => modules.push.run(signal) },
    { name: 'ended push subscriptions', lease: 'push', interval: SUBSCRIPTIONS_MS, run: () => modules.push.subscriptions.removeOld() },
    { name: 'connected apps', lease: 'nwc', interval: 'continuous', run: (signal) => nwc.run(signal) },
    {
      name: 'reconciliation',
      lease: 'reconcile',
      interval: 'continuous',
      run: (signal) => reconcilePeriodically(comparison, reconcileSeconds, signal),
    },
    {
      name: 'backups',
      lease: 'backup',
      interval: 'continuous',
      run: (signal) =>
        runSchedule({ ...modules, runBackup: timing.runBackup ?? backupProcess(PROGRAM) }, config.backup.intervalSeconds, signal),
    },
  ];
  if (config.fiat.providers.length > 0) {
    const interval = timing.ratesMs ?? 1000 * config.fiat.refreshSeconds;
    jobs.push({ name: 'fiat rates', lease: 'fiat-rates', interval, run: (signal) => modules.rates.refresh(signal) });
  }
  if (proofIntervalSeconds === 0) return jobs;
  const run = (signal: AbortSignal) => takeEpochs(modules, proofIntervalSeconds, signal);
  return [...jobs, { name: 'proofs of liabilities', lease: 'proof-epochs', interval: 'continuous', run }];
}

/** Returns the jobs of one node. Each node has its own lease, so that instances share the work. */
function nodeJobs(modules: Modules, connection: NodeConnection, timing: JobTiming): readonly Job[] {
  const { nodeId } = connection;
  const lease = `events ${nodeId}` as const;
  return [
    eventsJob(modules, connection, timing.events),
    {
      name: `arriving payments of ${nodeId}`,
      lease,
      interval: 'continuous',
      run: (signal) => modules.invoices.checkArriving(nodeId, signal, timing.arriving),
    },
    {
      name: `hold invoices of ${nodeId}`,
      lease,
      interval: 'continuous',
      run: (signal) => modules.holdInvoices.watch(nodeId, signal, timing.holds),
    },
    {
      name: `health of ${nodeId}`,
      lease,
      interval: timing.pollNodesMs ?? HEALTH_MS,
      run: () => watchHealth(modules, connection, timing.health),
    },
    {
      name: `read-back of ${nodeId}`,
      lease,
      interval: timing.readBackMs ?? READ_BACK_MS,
      run: (signal) => readBack(modules, connection, signal),
    },
  ];
}

/** Reads the events of one node. */
function eventsJob(modules: Modules, connection: NodeConnection, intervals: EventReaderIntervals | undefined): Job {
  const { invoices, payments } = modules;
  const { nodeId } = connection;
  const events = {
    ...modules,
    connection,
    handlers: {
      settle: (settlement: SettlementDetails, id: string) => invoices.settle(settlement, id),
      reportOutcome: (paymentId: string, outcome: PaymentOutcome) => payments.reportOutcome(paymentId, outcome),
    },
    onPaymentHint: (paymentHash: string) => payments.readAgain(paymentHash),
    onReconnect: () => void payments.resumePending(),
    intervals,
  };
  return {
    name: `events of ${nodeId}`,
    lease: `events ${nodeId}`,
    interval: 'continuous',
    run: (signal) => readNodeEvents(events, signal),
  };
}

/** How failed jobs are retried. Tests shorten the waits. */
export interface RetryTiming {
  /** The longest wait after a failure. */
  readonly retryMs: number;
  /** A continuous job that has run for this long without a failure has succeeded. */
  readonly healthyMs: number;
}

const RETRY_TIMING: RetryTiming = { retryMs: 60_000, healthyMs: 60_000 };
/** Before a continuous job is started again. */
const RESTART_MS = 1000;
/** After so many failures in a row an alert is raised. */
const MAX_FAILURES = 3;
const ALERT = 'job_failing';

type JobModules = Pick<Modules, 'instances' | 'alerts' | 'log'>;

/** Runs the jobs, each under its lease, until the signal aborts. */
export async function runJobs(modules: JobModules, jobs: readonly Job[], signal: AbortSignal, timing = RETRY_TIMING): Promise<void> {
  const leases = new Set(jobs.map(({ lease }) => lease));
  const runAll = async (lease: Job['lease']) => {
    const runWith = async (held: AbortSignal) =>
      void (await Promise.all(jobs.filter((job) => job.lease === lease).map((job) => runJob(modules, job, held, timing))));
    await (lease === undefined ? runWith(signal) : modules.instances.underLease(lease, signal, runWith));
  };
  await Promise.all(Array.from(leases, runAll));
}

/** Runs a job until the signal aborts. A failure of one job interrupts no other job of its lease. */
async function runJob({ alerts, log }: JobModules, job: Job, signal: AbortSignal, timing: RetryTiming): Promise<void> {
  const { name, interval, startsLater = false } = job;
  const waitMs = interval === 'continuous' ? RESTART_MS : interval;
  let failures = 0;
  let isAlerted = false;
  // An earlier process may have raised it.
  let mayBeAlerted = true;

  async function recordSuccess(): Promise<void> {
    failures = 0;
    isAlerted = false;
    if (mayBeAlerted && (await alerts.openSubjects(ALERT)).includes(name)) await alerts.clear(ALERT, name);
    mayBeAlerted = false;
  }

  async function recordFailure(reason: string): Promise<void> {
    failures += 1;
    log.warn({ job: name, reason, failures }, 'a background job failed; it is retried');
    if (failures < MAX_FAILURES || isAlerted) return;
    mayBeAlerted = true;
    await alerts.raise({
      kind: ALERT,
      subject: name,
      message: `failed ${failures} times in a row; the last time: ${reason}`,
      details: { name, count: failures, reason },
    });
    isAlerted = true;
  }

  /** The database may be what fails. The health of the service shows it, and the next failure raises the alert. */
  const logLost = (error: unknown) => log.warn({ job: name, reason: errorMessage(error) }, 'the state of a background job was not stored');

  if (startsLater) await pause(waitMs, signal);
  while (!signal.aborted) {
    try {
      if (interval === 'continuous') await runContinuous(job, signal, timing.healthyMs, () => recordSuccess().catch(logLost));
      else await job.run(signal).then(() => recordSuccess().catch(logLost));
    } catch (error) {
      await recordFailure(errorMessage(error)).catch(logLost);
    }
    await pause(failures > 0 ? Math.min(waitMs, timing.retryMs) : waitMs, signal);
  }
}

async function runContinuous(job: Job, signal: AbortSignal, healthyMs: number, onHealthy: () => Promise<void>): Promise<void> {
  const ended = new AbortController();
  const waiting = pause(healthyMs, AbortSignal.any([signal, ended.signal])).then((hasEnded) => (hasEnded ? undefined : onHealthy()));
  try {
    await job.run(signal);
  } finally {
    ended.abort();
    await waiting;
  }
}
