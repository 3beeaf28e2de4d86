import type { SqlValue } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { TransferRow } from './posting.ts';

export type HoldRow = { id: string; account: number; amount_msat: number; state: 'open' | 'posted' | 'voided' };

/** Takes no lock: a hold changes only while its account is locked. */
export const readHolds = statement<HoldRow>(
  'ledger_read_holds',
  'SELECT id, account, amount_msat, state FROM ledger_hold WHERE id = ANY($1::text[])',
);

export const readHold = statement<HoldRow>('ledger_read_hold', 'SELECT id, account, amount_msat, state FROM ledger_hold WHERE id = $1');

/** The columns of a transfer that both databases have, in the order of {@link transferValues}. */
export const TRANSFER_COLUMNS = `id, amount_msat, created_at_ms,
  from_account, from_entry, from_balance_msat, from_hash, from_type, from_lntx,
  to_account, to_entry, to_balance_msat, to_hash, to_type, to_lntx, memo, pass_thru`;

export function transferValues(t: TransferRow): SqlValue[] {
  return [
    t.id,
    t.amountMsat,
    t.createdAtMs,
    t.from,
    t.fromEntry,
    t.fromBalanceMsat,
    t.fromHash,
    t.fromType ?? null,
    t.fromLntx ?? null,
    t.to,
    t.toEntry,
    t.toBalanceMsat,
    t.toHash,
    t.toType ?? null,
    t.toLntx ?? null,
    t.memo ?? null,
    t.passThru ?? null,
  ];
}
