import { statement } from '../../db/statement.ts';

export type LinkRow = {
  id: string;
  wallet_id: string;
  balance_token_hash: Uint8Array;
  ledger_account: number;
  max_msat: number;
  fee_limit_msat: number;
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
  `INSERT INTO withdraw_link (id, wallet_id, ledger_account, token_hash, balance_token_hash, k1_hash, balance_k1_hash, max_msat,
     fee_limit_msat, uses, uses_left, memo, pass_thru, expires_at, created_at, made_by)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11, $12, $13, $14, $15)`,
);

const LINK = `SELECT id, wallet_id, balance_token_hash, ledger_account, max_msat, fee_limit_msat, uses, uses_left, memo, pass_thru,
  expires_at, created_at, made_by FROM withdraw_link`;

/** Finds a link by the hash of either of its tokens. */
export const findByToken = statement<LinkRow>('withdraw_link_find', `${LINK} WHERE token_hash = $1 OR balance_token_hash = $1`);

/** Finds a link by the hash of the k1 of either of its tokens. */
export const findByK1 = statement<LinkRow>('withdraw_link_find_by_k1', `${LINK} WHERE k1_hash = $1 OR balance_k1_hash = $1`);

/** Takes one use. The statement is the lock and the check. */
export const claimUse = statement(
  'withdraw_link_claim',
  `UPDATE withdraw_link SET uses_left = uses_left - 1
   WHERE id = $1 AND uses_left > 0 AND (expires_at IS NULL OR expires_at > $2)`,
);

/** Releases the use of a failed claim, unless the link has paid more claims than it allows. */
export const releaseUse = statement(
  'withdraw_link_release',
  `UPDATE withdraw_link SET uses_left = CASE WHEN overused > 0 THEN uses_left ELSE uses_left + 1 END,
     overused = CASE WHEN overused > 0 THEN overused - 1 ELSE 0 END
   WHERE id = $1`,
);

export const readUses = statement<{ uses: number; uses_left: number; overused: number }>(
  'withdraw_link_read_uses',
  'SELECT uses, uses_left, overused FROM withdraw_link WHERE id = $1',
);

/** Takes a released use again if there is one left. */
export const takeUse = statement(
  'withdraw_link_take_use',
  'UPDATE withdraw_link SET uses_left = uses_left - 1 WHERE id = $1 AND uses_left > 0',
);

/** Counts a claim that was paid beyond the link's uses; `$2` is the count before. */
export const overuse = statement(
  'withdraw_link_overuse',
  'UPDATE withdraw_link SET overused = overused + 1 WHERE id = $1 AND uses_left = 0 AND overused = $2',
);
