import type { Alerts } from '../../core/alerts/alerts.ts';
import type { NodeConnections } from '../../core/connection/connections.ts';
import type { Database, SqlReader } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { tableLock } from '../../core/db/statement.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import type { Log } from '../../core/kernel/log.ts';
import { type Ledger, requireGuards } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import type { RequestOptions } from '../reconcile/requests.ts';
import * as sql from './operator.sql.ts';

export interface OperatorDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly connections: NodeConnections;
  readonly invoices: Pick<Invoices, 'find'>;
  readonly wallets: Pick<Wallets, 'find' | 'create'>;
  readonly payments: Pick<Payments, 'find' | 'readInvoice' | 'payInvoice' | 'reportOutcome' | 'attempt'>;
  readonly clock: Clock;
  readonly log: Log;
  /** How often actions and suspense are polled. */
  readonly pollMs?: number | undefined;
}

/** The action is rejected and has moved no money. The message gives the operator the reason and the remedy. */
export class ActionRefused extends Error {
  override readonly name = 'ActionRefused';
}

/**
 * An action that an operator requests. It is a row that the running service executes, because only the service may write to the ledger: on
 * SQLite it caches balances. The row also records who decided what, when and why.
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
  /** The operator, as `user@host` for a command, or the key or session and its account. */
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
  /** Whether a service has started it. */
  readonly isStarted: boolean;
}

/** An action, or a change of the fiat rate, as lists for operators show it. */
export type ActionRecord = Omit<Action, 'kind'> & { readonly kind: sql.RecordRow['kind'] };

/** Two identical requests at the same time would both find no earlier one. */
const lockActions = tableLock('operator_lock', 'operator_action');

/**
 * Requests an action. Returns an identical earlier action instead, unless it was refused: a command that is repeated, or was killed while it
 * waited, has one effect.
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

export async function actionsOf(database: SqlReader, subject: string): Promise<Action[]> {
  return (await database.all(sql.listOfSubject, subject)).map(toAction);
}

/** Deletes an action that no service has started. @returns false if a service has started it. */
export async function withdrawAction(database: Database, id: string): Promise<boolean> {
  return (await database.transaction((tx) => tx.run(sql.withdrawAction, id))) === 1;
}

/** A settlement without a wallet. */
export interface UnmatchedSettlement {
  readonly paymentHash: string;
  readonly amountMsat: number;
  /** The amount that is still in suspense, in msat. */
  readonly leftMsat: number;
  /** Unix seconds. */
  readonly settledAt: number;
  /** The node at which it arrived. */
  readonly nodeId: string;
  readonly isKeysend: boolean;
}

const PAGE = 500;

export async function* listUnmatchedSettlements(database: SqlReader): AsyncGenerator<UnmatchedSettlement> {
  for (let after = '', isLast = false; !isLast; ) {
    const page: sql.UnmatchedSettlementRow[] = await database.all(sql.listUnmatchedSettlements, after, PAGE);
    for (const row of page) yield toUnmatchedSettlement(row);
    after = page.at(-1)?.payment_hash ?? after;
    isLast = page.length < PAGE;
  }
}

export async function findUnmatchedSettlement(database: SqlReader, paymentHash: string): Promise<UnmatchedSettlement | undefined> {
  const row = await database.first(sql.findUnmatchedSettlement, paymentHash);
  return row && toUnmatchedSettlement(row);
}

/** Returns pending payments, oldest first. */
export async function listPending(database: SqlReader, limit: number) {
  const rows = await database.all(sql.listPending, limit);
  return rows.map((row) => ({ id: row.id, walletId: row.wallet_id, amountMsat: row.amount_msat, createdAt: row.created_at }));
}

/** Returns the nodes of the ledger with the number of their wallets, in the order in which they were added. */
export function listNodes(database: SqlReader): Promise<sql.NodeRow[]> {
  return database.all(sql.listNodes);
}

export function toUnmatchedSettlement(row: sql.UnmatchedSettlementRow): UnmatchedSettlement {
  return {
    paymentHash: row.payment_hash,
    amountMsat: row.amount_msat,
    leftMsat: row.left_msat,
    settledAt: row.settled_at,
    nodeId: row.node_id,
    isKeysend: row.is_keysend === 1,
  };
}

export function toAction<K extends string>(row: Omit<sql.ActionRow, 'kind'> & { kind: K }): Omit<Action, 'kind'> & { readonly kind: K } {
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
    isStarted: row.is_started === 1,
  };
}
