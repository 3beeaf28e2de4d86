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
  /** The ledger account on the other side. */
  other_account: number;
};

const FROM = `SELECT id AS transfer_id, 'from' AS side, from_entry AS entry, amount_msat, from_balance_msat AS balance_msat, created_at_ms,
    from_type AS type, from_lntx AS lntx, memo, pass_thru, to_account AS other_account
  FROM ledger_transfer WHERE`;

const TO = `SELECT id AS transfer_id, 'to' AS side, to_entry AS entry, amount_msat, to_balance_msat AS balance_msat, created_at_ms,
    to_type AS type, to_lntx AS lntx, memo, pass_thru, from_account AS other_account
  FROM ledger_transfer WHERE`;

/**
 * An account numbers its entries without a gap, so a page anywhere in its history is a range, and costs what it shows. SQLite walks
 * back from entry to entry, from the milestone above the page ($4 and $5, the account's last entry and its position, where there is none).
 */
export const pageOfEntries = statement<EntryRow>('ledger_page_of_entries', {
  sqlite: `WITH RECURSIVE start (entry, position) AS (
      SELECT * FROM (SELECT entry, position FROM ledger_milestone WHERE account = $1 AND entry >= $3 ORDER BY entry LIMIT 1)
      UNION ALL SELECT $4, $5 LIMIT 1
    ), walk (entry, position) AS (
      SELECT entry, position FROM start
      UNION ALL
      SELECT walk.entry - 1, CASE WHEN t.from_account = $1 THEN t.from_previous ELSE t.to_previous END
      FROM walk CROSS JOIN ledger_transfer t ON t.position = walk.position WHERE walk.entry > max($2, 1)
    )
    SELECT t.id AS transfer_id, CASE WHEN t.from_account = $1 THEN 'from' ELSE 'to' END AS side, walk.entry AS entry, t.amount_msat,
      CASE WHEN t.from_account = $1 THEN t.from_balance_msat ELSE t.to_balance_msat END AS balance_msat, t.created_at_ms,
      CASE WHEN t.from_account = $1 THEN t.from_type ELSE t.to_type END AS type,
      CASE WHEN t.from_account = $1 THEN t.from_lntx ELSE t.to_lntx END AS lntx, t.memo, t.pass_thru,
      CASE WHEN t.from_account = $1 THEN t.to_account ELSE t.from_account END AS other_account
    FROM walk CROSS JOIN ledger_transfer t ON t.position = walk.position
    WHERE walk.entry BETWEEN $2 AND $3 ORDER BY walk.entry DESC`,
  postgres: `SELECT * FROM (
     ${FROM} from_account = $1 AND from_entry BETWEEN $2 AND $3
     UNION ALL
     ${TO} to_account = $1 AND to_entry BETWEEN $2 AND $3
   ) AS entries ORDER BY entry DESC`,
});

/** One entry, if it is the account's. */
export const entryFrom = statement<EntryRow>('history_entry_from', `${FROM} id = $1 AND from_account = $2`);

export const entryTo = statement<EntryRow>('history_entry_to', `${TO} id = $1 AND to_account = $2`);
