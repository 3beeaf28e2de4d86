import { statement } from '../../core/db/statement.ts';
import type { EntryRow } from '../../core/ledger/ledger.ts';

/** An entry with its wallet. */
export type OwnedEntryRow = EntryRow & { wallet_id: string; account_id: string; ledger_account: number };

/** Returns a SELECT of the entries on one side of the transfers `t`, with their wallets `w`. */
export function selectEntries(name: 'from' | 'to', where: string): string {
  const other = name === 'from' ? 'to' : 'from';
  return `SELECT t.position, t.id AS transfer_id, '${name}' AS side, t.${name}_entry AS entry, t.amount_msat,
    t.${name}_balance_msat AS balance_msat, t.created_at_ms, t.${name}_type AS type, t.${name}_lntx AS lntx, t.memo, t.pass_thru,
    t.${other}_account AS other_account, t.${name}_account AS ledger_account, w.id AS wallet_id, w.account_id
  FROM ledger_transfer t JOIN wallet w ON w.ledger_account = t.${name}_account WHERE ${where}`;
}

const IN_RANGE = 't.position BETWEEN $2 AND $3 AND w.account_id = $1';

/** The entries of an account's wallets in a range of positions. */
export const entriesOfAccount = statement<OwnedEntryRow>(
  'history_entries_of_account',
  `SELECT * FROM (${selectEntries('from', IN_RANGE)} UNION ALL ${selectEntries('to', IN_RANGE)}) AS entries ORDER BY position DESC, side`,
);

/** An entry, if it belongs to a wallet of the account. */
export const ownedFrom = statement<OwnedEntryRow>('history_owned_from', selectEntries('from', 't.id = $1 AND w.account_id = $2'));

export const ownedTo = statement<OwnedEntryRow>('history_owned_to', selectEntries('to', 't.id = $1 AND w.account_id = $2'));

/** The credit of an invoice, if it belongs to the account. */
export const creditOfInvoice = statement<OwnedEntryRow>(
  'history_credit_of_invoice',
  selectEntries('to', 't.to_lntx = $1 AND w.account_id = $2'),
);

/** The entries of succeeded payments. */
export const paidEntries = statement<OwnedEntryRow>('history_paid_entries', {
  sqlite: selectEntries('from', 't.id IN (SELECT value FROM json_each($1))'),
  postgres: selectEntries('from', 't.id = ANY($1::text[])'),
});

/** The newest transfer up to a position. */
export const transferUpTo = statement<{ position: number; created_at_ms: number }>(
  'history_transfer_up_to',
  'SELECT position, created_at_ms FROM ledger_transfer WHERE position <= $1 ORDER BY position DESC LIMIT 1',
);
