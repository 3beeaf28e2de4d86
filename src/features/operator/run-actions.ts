import { pause, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { satText } from '../../core/kernel/money.ts';
import { SYSTEM_ACCOUNTS } from '../../core/ledger/ledger.ts';
import { type Action, ActionRefused, findAction, openActions } from './actions.ts';
import { changeNode, moveWallet } from './nodes.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';
import { resolvePayment } from './resolve.ts';
import { continueReturn, creditWallet } from './suspense.ts';

const POLL_MS = 1000;
const ALERT = { kind: 'suspense_not_empty', subject: 'suspense' } as const;

/**
 * Executes the actions that operators request, until the signal aborts. An action's row changes in the posting that executes it, so a second
 * instance does not repeat it.
 */
export async function runOperatorActions(deps: OperatorModules, signal: AbortSignal, pollMs = POLL_MS): Promise<void> {
  for (let alertedMsat: number | undefined; !signal.aborted; await pause(pollMs, signal)) {
    try {
      for await (const action of openActions(deps.database)) await runAction(deps, action);
      alertedMsat = await checkSuspense(deps, alertedMsat);
    } catch (error) {
      deps.log.warn({ reason: errorMessage(error) }, 'operator actions were interrupted; retrying');
    }
  }
}

/** Executes an action as far as possible now. After an unexpected error it is retried. */
export async function runAction(deps: OperatorModules, action: Action): Promise<void> {
  const { database, clock, log } = deps;
  const { id, kind, subject, requestedBy } = action;
  try {
    if (kind === 'credit') await creditWallet(deps, action);
    else if (kind === 'return') await continueReturn(deps, action);
    else if (kind === 'resolve') await resolvePayment(deps, action);
    else if (kind === 'move') await moveWallet(deps, action);
    else await changeNode(deps, action);
  } catch (error) {
    if (error instanceof ActionRefused) {
      await database.transaction((tx) => tx.run(sql.markRefused, id, error.message, unixSeconds(clock)));
    } else {
      log.warn({ action: id, reason: errorMessage(error) }, 'an operator action was interrupted; retrying');
    }
  }
  const now = await findAction(database, id);
  if (now && now.state !== action.state)
    log.info({ action: id, kind, subject, requestedBy, state: now.state, answer: now.answer }, 'operator action');
}

/** Raises an alert if suspense is not empty and its balance has changed. @returns the balance in msat. */
async function checkSuspense({ ledger, alerts }: OperatorModules, alertedMsat: number | undefined): Promise<number> {
  const { balanceMsat } = await ledger.balance(SYSTEM_ACCOUNTS.suspense);
  if (balanceMsat === alertedMsat) return balanceMsat;
  if (balanceMsat > 0) await alerts.raise({ ...ALERT, message: `${satText(balanceMsat)} arrived for no wallet` });
  else if ((await alerts.openSubjects(ALERT.kind)).length > 0) await alerts.clear(ALERT.kind, ALERT.subject);
  return balanceMsat;
}
