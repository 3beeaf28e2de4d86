import { statement } from '../db/statement.ts';

/** One side of a ledger transfer, as its wallet sees it. */
export type EntryRow = {
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
};

const FROM = `SELECT id AS transfer_id, 'from' AS side, from_entry AS entry, amount_msat, from_balance_msat AS balance_msat, created_at_ms,
    from_type AS type, from_lntx AS lntx, memo, pass_thru
  FROM ledger_transfer WHERE`;

const TO = `SELECT id AS transfer_id, 'to' AS side, to_entry AS entry, amount_msat, to_balance_msat AS balance_msat, created_at_ms,
    to_type AS type, to_lntx AS lntx, memo, pass_thru
  FROM ledger_transfer WHERE`;

/** An account numbers its entries without a gap, so a page anywhere in its history is a range, and costs what it shows. */
export const pageOfEntries = statement<EntryRow>(
  'history_page',
  `SELECT * FROM (
     ${FROM} from_account = $1 AND from_entry BETWEEN $2 AND $3
     UNION ALL
     ${TO} to_account = $1 AND to_entry BETWEEN $2 AND $3
   ) AS entries ORDER BY entry DESC`,
);

/** One entry, if it is the account's. */
export const entryFrom = statement<EntryRow>('history_entry_from', `${FROM} id = $1 AND from_account = $2`);

export const entryTo = statement<EntryRow>('history_entry_to', `${TO} id = $1 AND to_account = $2`);
