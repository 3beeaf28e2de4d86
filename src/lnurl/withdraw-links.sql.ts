import { statement } from '../db/statement.ts';

export type LinkRow = {
  id: string;
  wallet_id: string;
  balance_token_hash: Uint8Array;
  ledger_account: number;
  max_msat: number;
  uses: number;
  uses_left: number;
  memo: string;
  pass_thru: string | null;
  expires_at: number | null;
  created_at: number;
  made_by: string | null;
};

export const insertLink = statement(
  'withdraw_link_insert',
  `INSERT INTO withdraw_link (id, wallet_id, ledger_account, token_hash, balance_token_hash, max_msat, uses, uses_left, memo, pass_thru,
     expires_at, created_at, made_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10, $11, $12)`,
);

/** By either of its two tokens. */
export const findByToken = statement<LinkRow>(
  'withdraw_link_find',
  `SELECT id, wallet_id, balance_token_hash, ledger_account, max_msat, uses, uses_left, memo, pass_thru, expires_at, created_at, made_by
   FROM withdraw_link WHERE token_hash = $1 OR balance_token_hash = $1`,
);

/** Takes one use: the lock and the check are this statement. */
export const claim = statement(
  'withdraw_link_claim',
  `UPDATE withdraw_link SET uses_left = uses_left - 1
   WHERE id = $1 AND uses_left > 0 AND (expires_at IS NULL OR expires_at > $2)`,
);

/** The payout failed for good: the use can be claimed again. */
export const release = statement('withdraw_link_release', 'UPDATE withdraw_link SET uses_left = uses_left + 1 WHERE id = $1');

/** The payout that had failed went through after all; its use may have been claimed again meanwhile. */
export const take = statement(
  'withdraw_link_take',
  'UPDATE withdraw_link SET uses_left = CASE WHEN uses_left > 0 THEN uses_left - 1 ELSE 0 END WHERE id = $1',
);
