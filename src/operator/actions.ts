import type { Database } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import * as sql from './operator.sql.ts';

/**
 * What an operator asks for. It is a row that the running service takes up, because only the service may write to the ledger: on SQLite
 * it keeps balances in memory. The row is also the record of who decided what, when and why.
 */
export interface NewAction {
  /** `credit` and `return`: money in suspense. `resolve`: a payment that does not end. */
  readonly kind: sql.ActionRow['kind'];
  /** The payment hash of money in suspense, or the id of a payment. */
  readonly subject: string;
  /** The wallet to credit, the payment request to pay, or the outcome (`settled`, `failed`). */
  readonly target: string;
  /** The evidence for `settled`. */
  readonly preimage?: string | undefined;
  /** Who asks. */
  readonly askedBy: string;
  readonly reason: string;
}

export interface Action extends NewAction {
  /** `opa_…` */
  readonly id: string;
  readonly state: sql.ActionRow['state'];
  /** Unix seconds. */
  readonly askedAt: number;
  /** What became of it, in words. */
  readonly answer: string;
  /** What the node said. */
  readonly evidence: string | undefined;
  /** What left suspense. */
  readonly amountMsat: number | undefined;
  readonly transferId: string | undefined;
  readonly ledgerAccount: number | undefined;
  readonly paymentId: string | undefined;
  /** A service has begun with it. */
  readonly isTakenUp: boolean;
}

/**
 * Asks for an action. One that asked for the same before is returned instead, unless it was refused: a command that is run twice, or was
 * killed while it waited, does nothing twice.
 */
export async function requestAction(database: Database, action: NewAction, now: number): Promise<{ action: Action; isNew: boolean }> {
  const { kind, subject, target, preimage, askedBy, reason } = action;
  return database.transaction(async (tx) => {
    const same = await tx.first(sql.findSame, subject, kind, target);
    if (same) return { action: toAction(same), isNew: false };
    const id = `opa_${newId()}`;
    await tx.run(sql.insertAction, id, kind, subject, target, preimage ?? null, askedBy, reason, now);
    const row = await tx.first(sql.findAction, id);
    if (!row) throw new Error('the action was not stored');
    return { action: toAction(row), isNew: true };
  });
}

export async function findAction(database: Pick<Database, 'first'>, id: string): Promise<Action | undefined> {
  const row = await database.first(sql.findAction, id);
  return row && toAction(row);
}

export async function actionsOf(database: Pick<Database, 'all'>, subject: string): Promise<Action[]> {
  return (await database.all(sql.listOfSubject, subject)).map(toAction);
}

/** Takes an action back that no service has taken up. @returns false when one has. */
export async function withdrawAction(database: Database, id: string): Promise<boolean> {
  return (await database.transaction((tx) => tx.run(sql.withdraw, id))) === 1;
}

/** Money that arrived for no wallet. */
export interface Stray {
  readonly paymentHash: string;
  readonly amountMsat: number;
  /** What is still in suspense. */
  readonly leftMsat: number;
  /** Unix seconds. */
  readonly settledAt: number;
}

const PAGE = 500;

export async function* listStrays(database: Pick<Database, 'all'>): AsyncGenerator<Stray> {
  for (let after = '', isLast = false; !isLast; ) {
    const page: sql.StrayRow[] = await database.all(sql.listStrays, after, PAGE);
    for (const row of page) yield toStray(row);
    after = page.at(-1)?.payment_hash ?? after;
    isLast = page.length < PAGE;
  }
}

export async function findStray(database: Pick<Database, 'first'>, paymentHash: string): Promise<Stray | undefined> {
  const row = await database.first(sql.findStray, paymentHash);
  return row && toStray(row);
}

/** Payments that have not ended, the oldest first. */
export async function listPending(database: Pick<Database, 'all'>, limit: number) {
  const rows = await database.all(sql.listPending, limit);
  return rows.map((row) => ({ id: row.id, walletId: row.wallet_id, amountMsat: row.amount_msat, createdAt: row.created_at }));
}

function toStray(row: sql.StrayRow): Stray {
  return { paymentHash: row.payment_hash, amountMsat: row.amount_msat, leftMsat: row.left_msat, settledAt: row.settled_at };
}

export function toAction(row: sql.ActionRow): Action {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    subject: row.subject,
    target: row.target,
    preimage: row.preimage ?? undefined,
    askedBy: row.asked_by,
    reason: row.reason,
    askedAt: row.asked_at,
    answer: row.answer,
    evidence: row.evidence ?? undefined,
    amountMsat: row.amount_msat ?? undefined,
    transferId: row.transfer_id ?? undefined,
    ledgerAccount: row.ledger_account ?? undefined,
    paymentId: row.payment_id ?? undefined,
    isTakenUp: row.taken_up === 1,
  };
}
