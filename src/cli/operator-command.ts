import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../core/db/database.ts';
import { MIGRATIONS, requireMigrated } from '../core/db/migrate.ts';
import { systemClock, unixSeconds } from '../core/kernel/clock.ts';
import { errorMessage } from '../core/kernel/log.ts';
import { type Action, findAction, type NewAction, requestAction, withdrawAction } from '../features/operator/actions.ts';
import { operatorName, withDatabase } from './command.ts';
import { moment } from './table.ts';

/** The exit codes of operator commands. */
export const EXIT = { done: 0, refused: 1, notDone: 2, pending: 3 } as const;

export const POLL_MS = 200;
/** How long to wait until a service starts what was requested. Another instance takes over from a dead one within ten seconds. */
export const START_TIMEOUT_MS = { sqlite: 5000, postgres: 15_000 } as const;
/** The longest wait for the result: more than the time limit of a call to the node. A payment may take hours, so the command does not wait for it. */
const MAX_WAIT_MS = 75_000;
const MAX_REASON = 500;

/** Runs a command on the database of the running service. `work` returns the exit code. */
export async function runCommand(work: (database: Database) => Promise<number>): Promise<void> {
  try {
    process.exitCode = await withDatabase({ withoutLock: true }, async (database) => {
      await requireMigrated(database, MIGRATIONS);
      return work(database);
    });
  } catch (error) {
    process.stderr.write(`Nothing was done: ${errorMessage(error)}\n`);
    process.exitCode = EXIT.notDone;
  }
}

/** Prints the reason why nothing was requested, and exits. */
export function exitNotDone(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(EXIT.notDone);
}

/** Returns the reason of an action, and exits if it is missing or too long. */
export function readReason(given: string | undefined): string {
  const reason = given?.trim() ?? '';
  if (reason === '' || reason.length > MAX_REASON) exitNotDone(`--reason is required and must have 1 to ${MAX_REASON} characters.`);
  return reason;
}

/** Requests an action from the running service, waits for its end, and prints the result. @returns the exit code. */
export async function requestAndWait(database: Database, wanted: Omit<NewAction, 'requestedBy'>): Promise<number> {
  const { action, isNew } = await requestAction(database, { ...wanted, requestedBy: operatorName() }, unixSeconds(systemClock));
  if (!isNew)
    process.stderr.write(
      `The same action was requested before: ${action.id}, by ${action.requestedBy} at ${moment(action.requestedAt)}.\n`,
    );
  const started = performance.now();
  for (let now: Action | undefined = action; now; now = await findAction(database, action.id)) {
    if (now.state === 'done' || now.state === 'refused') return show(now);
    const waitedMs = performance.now() - started;
    if (!now.isStarted && waitedMs > START_TIMEOUT_MS[database.dialect] && (await withdrawAction(database, now.id))) {
      throw new Error('no service took it up. Start the service on this database, or read its log if it runs.');
    }
    if (waitedMs > MAX_WAIT_MS || (now.state === 'paying' && waitedMs > START_TIMEOUT_MS.sqlite)) return showPending(now);
    await delay(POLL_MS);
  }
  throw new Error('the action was deleted');
}

function show({ id, state, answer }: Action): number {
  const isDone = state === 'done';
  (isDone ? process.stdout : process.stderr).write(`${isDone ? 'Done' : 'Refused'}: ${answer} (${id})\n`);
  return isDone ? EXIT.done : EXIT.refused;
}

function showPending({ id, paymentId }: Action): number {
  const payment = paymentId === undefined ? '' : ` Its payment ${paymentId} is pending.`;
  process.stderr.write(`Not ended yet (${id}).${payment} The service continues. Run the same command again to see the result.\n`);
  return EXIT.pending;
}
