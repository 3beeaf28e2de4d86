import { pause, unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { SYSTEM_ACCOUNTS } from '../ledger/accounts.ts';
import { type Action, findAction, toAction } from './actions.ts';
import { ActionRefused, type OperatorDependencies } from './dependencies.ts';
import * as sql from './operator.sql.ts';
import { resolvePayment } from './resolve.ts';
import { continueReturn, creditWallet } from './suspense.ts';

/** How often the service looks for actions, and at suspense. */
const EVERY_MS = 1000;
const PAGE = 100;
const ALERT = { kind: 'suspense_not_empty', subject: 'suspense' } as const;

/**
 * Does what operators ask for through the database, until the signal aborts. One instance does it at a time; each action's row changes
 * with the posting that does it, so a second instance does nothing twice.
 */
export async function runOperatorActions(deps: OperatorDependencies, signal: AbortSignal): Promise<void> {
  for (let alertedMsat: number | undefined; !signal.aborted; await pause(EVERY_MS, signal)) {
    try {
      for (const row of await deps.database.all(sql.listOpen, PAGE)) await act(deps, toAction(row));
      alertedMsat = await watchSuspense(deps, alertedMsat);
    } catch (error) {
      deps.log.warn({ reason: errorMessage(error) }, 'operator actions were interrupted; trying again');
    }
  }
}

/** Takes an action as far as it gets now. What fails for an unknown reason is tried again. */
export async function act(deps: OperatorDependencies, action: Action): Promise<void> {
  const { database, clock, log } = deps;
  const { id, kind, subject, askedBy } = action;
  // From here on the operator's command cannot take it back.
  if (action.state === 'asked' && (await database.transaction((tx) => tx.run(sql.takeUp, id))) !== 1) return;
  try {
    if (kind === 'credit') await creditWallet(deps, action);
    else if (kind === 'return') await continueReturn(deps, action);
    else await resolvePayment(deps, action);
  } catch (error) {
    if (error instanceof ActionRefused) {
      await database.transaction((tx) => tx.run(sql.refuse, id, error.message, unixSeconds(clock)));
    } else {
      log.warn({ action: id, reason: errorMessage(error) }, 'an operator action was interrupted; trying again');
    }
  }
  const now = await findAction(database, id);
  if (now && now.state !== action.state)
    log.info({ action: id, kind, subject, askedBy, state: now.state, answer: now.answer }, 'operator action');
}

/** Raises an alert while suspense is not empty, and again when its balance has changed. @returns the balance. */
async function watchSuspense({ ledger, alerts }: OperatorDependencies, alertedMsat: number | undefined): Promise<number> {
  const { balanceMsat } = await ledger.balance(SYSTEM_ACCOUNTS.suspense);
  if (balanceMsat === alertedMsat) return balanceMsat;
  if (balanceMsat > 0) await alerts.raise({ ...ALERT, message: `${balanceMsat} msat arrived for no wallet and have no owner` });
  else if ((await alerts.openSubjects(ALERT.kind)).length > 0) await alerts.clear(ALERT.kind, ALERT.subject);
  return balanceMsat;
}
