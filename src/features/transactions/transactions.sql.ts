import { statement } from '../../core/db/statement.ts';

/** What the senders of transfers stored with them. */
export const transferTexts = statement<{ id: string; pass_thru: string | null }>('transactions_transfer_texts', {
  sqlite: 'SELECT id, pass_thru FROM ledger_transfer WHERE id IN (SELECT value FROM json_each($1))',
  postgres: 'SELECT id, pass_thru FROM ledger_transfer WHERE id = ANY($1::text[])',
});
