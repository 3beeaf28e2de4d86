import { statement } from '../../core/db/statement.ts';

/** What clients stored with payments and invoices ($1), and with transfers ($2). */
export const storedTexts = statement<{ id: string; pass_thru: string | null }>(
  'transactions_stored_texts',
  `SELECT id, pass_thru FROM payment WHERE id = ANY($1::text[])
   UNION ALL SELECT id, pass_thru FROM invoice WHERE id = ANY($1::text[])
   UNION ALL SELECT id, pass_thru FROM ledger_transfer WHERE id = ANY($2::text[])`,
);

/** What clients stored with transfers between wallets. */
export const storedWithTransfers = statement<{ id: string; pass_thru: string | null; fiat: string | null }>(
  'transactions_stored_with_transfers',
  `SELECT t.id, t.pass_thru, f.fiat FROM ledger_transfer t LEFT JOIN transfer_fiat f ON f.transfer_id = t.id WHERE t.id = ANY($1::text[])`,
);
