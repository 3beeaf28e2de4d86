import type { SqlValue } from '../db/database.ts';
import { asFields, type RowOf } from '../db/fields.ts';
import { statement } from '../db/statement.ts';
import { type AccountState, type HoldState, NO_ENTRY } from './arithmetic.ts';
import type { TransferRow } from './posting.ts';

export type AccountRow = Omit<AccountState, 'head'> & { readonly head: Uint8Array | null };

export const ACCOUNT = `SELECT ${asFields('id, balance_msat, held_msat, entries, head')} FROM ledger_account`;

export const readAccount = statement<AccountRow>('ledger_read_account', `${ACCOUNT} WHERE id = $1`);

export const readAccounts = statement<AccountRow>('ledger_read_accounts', `${ACCOUNT} WHERE id = ANY($1::bigint[])`);

export const pageOfAccounts = statement<AccountRow>('ledger_page_of_accounts', `${ACCOUNT} WHERE id > $1 ORDER BY id LIMIT $2`);

export function rowToAccount(row: AccountRow): AccountState {
  return { ...row, head: row.head ?? NO_ENTRY };
}

const HOLD = `SELECT ${asFields('id, account, amount_msat, state')} FROM ledger_hold`;

/** Takes no lock: a hold changes only while its account is locked. */
export const readHolds = statement<RowOf<HoldState>>('ledger_read_holds', `${HOLD} WHERE id = ANY($1::text[])`);

export const readHold = statement<RowOf<HoldState>>('ledger_read_hold', `${HOLD} WHERE id = $1`);

/** The columns of a transfer that both databases have, in the order of {@link transferValues}. */
export const TRANSFER_COLUMNS = `id, amount_msat, created_at_ms,
  from_account, from_entry, from_balance_msat, from_hash, from_type, from_lntx,
  to_account, to_entry, to_balance_msat, to_hash, to_type, to_lntx, memo, pass_thru, key_lineage_id`;

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
    t.keyLineageId ?? null,
  ];
}
