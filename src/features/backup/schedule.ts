import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Alerts } from '../../core/alerts/alerts.ts';
import type { Database } from '../../core/db/database.ts';
import { type Clock, pause, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import type { Quarantine } from '../../core/quarantine/quarantine.ts';
import { readAppliedSchema } from './check-database.ts';
import { OLD_INTERVALS, readLastBackup, storeFailedBackup } from './last-backup.ts';

export interface ScheduleContext {
  readonly database: Database;
  readonly alerts: Alerts;
  readonly quarantine: Quarantine;
  readonly clock: Clock;
  readonly log: Log;
  /** Writes a backup. Rejects with the reason. */
  readonly runBackup: (signal: AbortSignal) => Promise<void>;
}

/** How often is checked whether a backup is due, and whether a quarantine has ended. */
const CHECK_MS = 5000;
/** After a failure the next attempt waits, up to the interval. */
const RETRY_SECONDS = 300;
const SUBJECT = 'database';

/**
 * Writes backups, an interval after the last one and after a migration, until the signal aborts. Keeps the alerts about backups and about an unaccepted restore current.
 * @param intervalSeconds 0: no backups
 */
export async function runSchedule(context: ScheduleContext, intervalSeconds: number, signal: AbortSignal): Promise<void> {
  let notBefore = 0;
  do {
    try {
      notBefore = await runIfDue(context, intervalSeconds, notBefore, signal);
    } catch (error) {
      // An outage of the database, which is reported elsewhere.
      context.log.warn({ reason: errorMessage(error) }, 'whether a backup is due could not be checked; it is checked again');
    }
  } while (!(await pause(CHECK_MS, signal)));
}

/**
 * Writes a backup if one is due, and updates the alerts.
 * @param notBefore the earliest time of the next attempt, in Unix seconds
 * @returns the earliest time of the attempt after this call
 */
export async function runIfDue(context: ScheduleContext, intervalSeconds: number, notBefore: number, signal: AbortSignal): Promise<number> {
  const open = new Set((await context.alerts.countOpen()).map(({ kind }) => kind));
  await reportQuarantine(context, open);
  if (intervalSeconds === 0) {
    await clearAlerts(context, open);
    return notBefore;
  }
  const now = unixSeconds(context.clock);
  const backup = await readLastBackup(context.database);
  const last = backup?.createdAt ?? 0;
  // A clock that was set back must not stop the backups.
  const age = now < last ? intervalSeconds : now - last;
  // Until then, each restore would have to repeat the migrations.
  const lacksMigration = backup !== undefined && backup.migrations !== (await readAppliedSchema(context.database)).length;
  if ((age < intervalSeconds && !lacksMigration) || now < notBefore) return notBefore;
  return (await attempt(context, open, age, intervalSeconds, signal)) ? 0 : now + retryAfter(intervalSeconds);
}

function retryAfter(intervalSeconds: number): number {
  return Math.min(RETRY_SECONDS, intervalSeconds);
}

/** @returns whether a backup was written */
async function attempt(
  context: ScheduleContext,
  open: ReadonlySet<string>,
  age: number,
  intervalSeconds: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { database, alerts, clock, log, runBackup } = context;
  const startedAt = unixSeconds(clock);
  try {
    await runBackup(signal);
    await clearAlerts(context, open);
    log.info({}, 'a backup was written and checked');
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const reason = errorMessage(error);
    await alerts.raise({ kind: 'backup_failed', subject: SUBJECT, message: reason, details: { reason } });
    await storeFailedBackup(database, startedAt, unixSeconds(clock), reason);
    if (age > OLD_INTERVALS * intervalSeconds) {
      // Without any backup the age is that of the epoch.
      const since = age < 1e9 ? unixSeconds(context.clock) - age : undefined;
      await alerts.raise({ kind: 'backup_old', subject: SUBJECT, message: ageText(age), details: { since } });
    }
    return false;
  }
}

function ageText(age: number): string {
  return age < 1e9 ? `the last backup is ${Math.floor(age / 60)} minutes old` : 'there is no backup';
}

async function clearAlerts({ alerts }: ScheduleContext, open: ReadonlySet<string>): Promise<void> {
  for (const kind of ['backup_failed', 'backup_old'] as const) if (open.has(kind)) await alerts.clear(kind, SUBJECT);
}

async function reportQuarantine({ quarantine, alerts }: ScheduleContext, open: ReadonlySet<string>): Promise<void> {
  const restored = await quarantine.read();
  if (restored && !open.has('restored')) {
    const until = new Date(restored.backupCreatedAt * 1000).toISOString();
    await alerts.raise({
      kind: 'restored',
      subject: SUBJECT,
      message: `restored from a backup of ${until}; no money is sent`,
      details: { since: restored.backupCreatedAt },
    });
  }
  if (!restored && open.has('restored')) await alerts.clear('restored', SUBJECT);
}

const execute = promisify(execFile);

/** When a file server does not answer, a process that writes to it never ends by itself. */
const MAX_MS = 12 * 3_600_000;

/** On a machine that is always busy, a backup in the background may never end. */
const BACKGROUND_MAX_MS = 3_600_000;

/**
 * Returns a function that runs the command `satchel backup` as a process of its own, so that checking the copy does not delay requests: in the
 * background, and again in the foreground if it has not ended after `backgroundMaxMs`.
 * @param program the path of the command line program
 * @param env the settings; by default those of this process
 */
export function backupProcess(program: string, env = process.env, backgroundMaxMs = BACKGROUND_MAX_MS) {
  const run = (args: readonly string[], timeout: number, signal: AbortSignal) =>
    execute(process.execPath, [program, 'backup', '--json', ...args], { env, signal, timeout, maxBuffer: 1_000_000 });
  return async (signal: AbortSignal): Promise<void> => {
    try {
      await run(['--background'], backgroundMaxMs, signal).catch((error: { killed?: boolean }) => {
        if (!error.killed || signal.aborted) throw error;
        return run([], MAX_MS, signal);
      });
    } catch (error) {
      const { stderr, message } = error as Error & { stderr?: string };
      throw new Error(stderr?.trim().split('\n').at(-1) || message);
    }
  };
}
