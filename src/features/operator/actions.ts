import type { Database, SqlReader } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { tableLock } from '../../core/db/statement.ts';
import { newId } from '../../core/kernel/ids.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import type { RequestOptions } from '../reconcile/requests.ts';
import * as sql from './operator.sql.ts';

/** The action is rejected and has moved no money. The message gives the operator the reason and the remedy. */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';
}

/**
 * An action that an operator requests. It is a row that a background job executes, so that an interrupted action is continued. The row also
 * records who decided what, when and why.
 */
export interface NewAction {
  /** `credit` and `return`: for money in suspense. `resolve`: for a pending payment. `drain`, `activate`: for a node. `move`: for a wallet. */
  readonly kind: sql.ActionRow['kind'];
  /** The payment hash of money in suspense, or the id of a payment, a node or a wallet. */
  readonly subject: string;
  /** The wallet to credit, the payment request to pay, the outcome (`settled`, `failed`), or the node to move to; else empty. */
  readonly target: string;
  /** The evidence for `settled`. */
  readonly preimage?: string | undefined;
  /** The operator: the key or session, and its account. */
  readonly requestedBy: string;
  readonly reason: string;
}

export interface Action extends NewAction {
  /** `opa_…` */
  readonly id: string;
  readonly state: sql.ActionRow['state'];
  /** Unix seconds. */
  readonly requestedAt: number;
  /** Unix seconds. */
  readonly endedAt: number | undefined;
  /** The result, as a sentence. */
  readonly answer: string;
  /** The evidence that was booked. */
  readonly evidence: string | undefined;
  /** The amount that left suspense, in msat. */
  readonly amountMsat: number | undefined;
  readonly transferId: string | undefined;
  readonly ledgerAccount: number | undefined;
  readonly paymentId: string | undefined;
}

/** An action, or a change of the fiat rate, as lists for operators show it. */
export type ActionRecord = Omit<Action, 'kind'> & { readonly kind: sql.RecordRow['kind'] };

const PAGE = 100;

/** A page of a list, and the number of all its items. */
export interface OperatorPage<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Two identical requests at the same time would both find no earlier one. */
const lockActions = tableLock('operator_lock', 'operator_action');

/**
 * Requests an action. Returns an identical earlier action instead, unless it was refused: a command that is repeated has one effect.
 */
export async function requestAction(
  database: Database,
  action: NewAction,
  now: number,
  { guards = [], extraRows = () => [] }: RequestOptions = {},
): Promise<{ action: Action; isNew: boolean }> {
  const { kind, subject, target, preimage, requestedBy, reason } = action;
  return database.transaction(async (tx) => {
    await requireGuards(tx, guards);
    await tx.all(lockActions);
    const same = await tx.first(sql.findSame, subject, kind, target);
    if (same) return { action: toAction(same), isNew: false };
    const id = `opa_${newId()}`;
    await tx.run(sql.insertAction, id, kind, subject, target, preimage ?? null, requestedBy, reason, now);
    const row = await tx.first(sql.findAction, id);
    if (!row) throw new Error('the action was not stored');
    await writeRows(tx, extraRows(id));
    return { action: toAction(row), isNew: true };
  });
}

export async function findAction(database: SqlReader, id: string): Promise<Action | undefined> {
  const row = await database.first(sql.findAction, id);
  return row && toAction(row);
}

/** Returns the actions on a subject, oldest first. */
export async function listActionsOn(database: SqlReader, subject: string): Promise<Action[]> {
  return (await database.all(sql.listOfSubject, subject)).map(toAction);
}

/** Returns all actions that have not ended, oldest first. Many returns may wait for the end of their payments. */
export async function* openActions(database: SqlReader): AsyncGenerator<Action> {
  for (let after = '', isLast = false; !isLast; ) {
    const page: sql.ActionRow[] = await database.all(sql.listOpen, after, PAGE);
    for (const row of page) yield toAction(row);
    after = page.at(-1)?.id ?? after;
    isLast = page.length < PAGE;
  }
}

/** Returns an action or a change of the fiat rate. */
export async function findRecord(database: SqlReader, id: string): Promise<ActionRecord | undefined> {
  const row = await database.first(sql.findRecord, id);
  return row && toAction(row);
}

/** Returns actions and changes of the fiat rate, newest first. */
export async function listRecords(database: SqlReader, limit: number, offset: number): Promise<OperatorPage<ActionRecord>> {
  const items = (await database.all(sql.listRecords, limit, offset)).map((row) => toAction(row));
  return { items, total: (await database.first(sql.countRecords))?.n ?? 0 };
}

function toAction<K extends string>(row: Omit<sql.ActionRow, 'kind'> & { kind: K }): Omit<Action, 'kind'> & { readonly kind: K } {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    subject: row.subject,
    target: row.target,
    preimage: row.preimage ?? undefined,
    requestedBy: row.requested_by,
    reason: row.reason,
    requestedAt: row.requested_at,
    endedAt: row.ended_at ?? undefined,
    answer: row.answer,
    evidence: row.evidence ?? undefined,
    amountMsat: row.amount_msat ?? undefined,
    transferId: row.transfer_id ?? undefined,
    ledgerAccount: row.ledger_account ?? undefined,
    paymentId: row.payment_id ?? undefined,
  };
}
