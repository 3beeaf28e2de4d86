import type { Tx } from '../db/database.ts';
import { newId } from '../kernel/ids.ts';
import type { Key } from './accounts.ts';
import * as sql from './operator-records.sql.ts';

/** What operators can request. */
export const RECORD_KINDS = [
  'create_account',
  'change_account',
  'create_setup_link',
  'add_note',
  'delete_note',
  'credit',
  'return',
  'resolve',
  'drain',
  'activate',
  'move',
  'settle_held',
  'cancel_held',
  'close_alert',
  'reconcile',
  'new_baseline',
  'set_fees',
  'remove_fees',
  'set_limits',
  'stop_withdrawals',
  'resume_withdrawals',
  'stop_hold_invoices',
  'allow_hold_invoices',
  'set_fiat_rate',
  'remove_fiat_rate',
] as const;

export type RecordKind = (typeof RECORD_KINDS)[number];

/** Who requests something as an operator, and why. */
export interface Requester {
  /** The key or session, and its account. */
  readonly requestedBy: string;
  /** The account. */
  readonly actor?: string | undefined;
  /** The IP address of the request. */
  readonly origin?: string | undefined;
  readonly reason: string;
}

/** The value of a field before and after a change; null for none. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** One entry of the audit log of operators. It must contain no secret. */
export interface OperatorRecord extends Requester {
  readonly kind: RecordKind;
  /** What was changed: an account, a payment, a node, … */
  readonly subject: string;
  readonly target?: string | undefined;
  /** The account that is concerned. */
  readonly accountId?: string | undefined;
  readonly changes?: readonly FieldChange[] | undefined;
}

/** Returns who makes the request of a key. */
export function requesterOfKey({ id, accountId }: Key, origin: string | undefined, reason: string): Requester {
  return { requestedBy: `${id} of ${accountId}`, actor: accountId, origin, reason };
}

/**
 * Writes an entry of the audit log, in the transaction of the change. Rows are never changed or deleted.
 * @returns the id of the entry, `opa_…`
 */
export async function recordIn(tx: Tx, record: OperatorRecord, nowSeconds: number): Promise<string> {
  const id = `opa_${newId()}`;
  const { kind, subject, target = '', accountId, requestedBy, actor, origin, changes = [], reason } = record;
  const author = [requestedBy, actor ?? null, origin ?? null];
  await tx.run(sql.insertRecord, id, kind, subject, target, accountId ?? null, ...author, JSON.stringify(changes), reason, nowSeconds);
  return id;
}
