import { type Requester, recordIn } from '../../core/accounts/operator-records.ts';
import type { SqlReader, Tx } from '../../core/db/database.ts';
import { readPages } from '../../core/db/pages.ts';
import { tableLock } from '../../core/db/statement.ts';
import * as sql from './operator.sql.ts';

/** The action is rejected and has moved no money. The message gives the operator the reason and the remedy. */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';
}

/** Another instance has executed this step of an action. */
export class ExecutedElsewhere extends Error {
  override readonly name = 'ExecutedElsewhere';
}

/**
 * An action that an operator requested. It is a row that a background job executes, so that an interrupted action is continued. The row also
 * records who decided what, when and why.
 */
export type Action = sql.ActionRow;

/** An action that an operator requests. */
export interface NewAction extends Requester {
  readonly kind: Action['kind'];
  readonly subject: string;
  readonly target: string;
  readonly preimage?: string | undefined;
  /** The account that is concerned. */
  readonly accountId?: string | undefined;
}

/** Two identical requests at the same time would both find no earlier one. */
const lockActions = tableLock('operator_lock', 'operator_action');

/**
 * Requests an action. Returns an identical earlier action instead, unless it was refused: a command that is repeated has one effect.
 */
export async function requestAction(tx: Tx, action: NewAction, now: number): Promise<{ id: string; isNew: boolean }> {
  const { kind, subject, target, preimage, requestedBy, reason } = action;
  await tx.all(lockActions);
  const same = await tx.first(sql.findSame, subject, kind, target);
  if (same) return { id: same.id, isNew: false };
  const id = await recordIn(tx, action, now);
  await tx.run(sql.insertAction, id, kind, subject, target, preimage ?? null, requestedBy, reason, now);
  return { id, isNew: true };
}

export function findAction(database: SqlReader, id: string): Promise<Action | undefined> {
  return database.first(sql.findAction, id);
}

/** Returns an action that was stored before. */
export async function readAction(database: SqlReader, id: string): Promise<Action> {
  const action = await findAction(database, id);
  if (!action) throw new Error(`the action ${id} is gone`);
  return action;
}

const PAGE = 100;

/** Returns all actions that have not ended, oldest first. Many returns may wait for the end of their payments. */
export async function* openActions(database: SqlReader): AsyncGenerator<Action> {
  for await (const page of readPages(database, sql.listOpen, PAGE, (last) => [last?.id ?? ''])) yield* page;
}
