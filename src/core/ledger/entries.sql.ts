import { statement } from '../db/statement.ts';

/** One side of a ledger transfer, as its wallet sees it. */
export type EntryRow = {
  /** The position of the transfer. */
  position: number;
  transfer_id: string;
  side: 'from' | 'to';
  entry: number;
  amount_msat: number;
  balance_msat: number;
  created_at_ms: number;
  type: string;
  lntx: string | null;
  memo: string | null;
  pass_thru: string | null;
  /** The ledger account on the other side. */
  other_account: number;
};

export const ENTRY_OF_FROM = `SELECT position, id AS transfer_id, 'from' AS side, from_entry AS entry, amount_msat,
    from_balance_msat AS balance_msat, created_at_ms, from_type AS type, from_lntx AS lntx, memo, pass_thru, to_account AS other_account
  FROM ledger_transfer WHERE`;

export const ENTRY_OF_TO = `SELECT position, id AS transfer_id, 'to' AS side, to_entry AS entry, amount_msat,
    to_balance_msat AS balance_msat, created_at_ms, to_type AS type, to_lntx AS lntx, memo, pass_thru, from_account AS other_account
  FROM ledger_transfer WHERE`;

/** One entry, if it is the account's. */
export const entryFrom = statement<EntryRow>('history_entry_from', `${ENTRY_OF_FROM} id = $1 AND from_account = $2`);

export const entryTo = statement<EntryRow>('history_entry_to', `${ENTRY_OF_TO} id = $1 AND to_account = $2`);
