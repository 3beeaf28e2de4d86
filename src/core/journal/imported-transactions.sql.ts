import { statement } from '../db/statement.ts';

export type ImportedTransactionRow = {
  id: string;
  /** Signed. */
  amount_msat: number;
  /** What the wallet paid on top, 0 or more. */
  fee_msat: number;
  memo: string;
  created_at: number;
  payment_hash: string | null;
  preimage: string | null;
  payment_request: string | null;
};

/** The settled rows of the history of an imported wallet in one direction, newest first. */
const listOf = (direction: 'in' | 'out', condition: string) =>
  statement<ImportedTransactionRow>(
    `imported_transaction_list_${direction}`,
    `SELECT id, amount_msat, fee_msat, memo, created_at, payment_hash, preimage, payment_request FROM imported_transaction
     WHERE wallet_id = $1 AND state = 'settled' AND ${condition} ORDER BY id DESC LIMIT $2`,
  );

export const listImported = { in: listOf('in', 'amount_msat > 0'), out: listOf('out', 'amount_msat <= 0') };
