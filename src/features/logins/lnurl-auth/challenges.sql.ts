import { statement } from '../../../core/db/statement.ts';
import type { AuthAction } from './challenges.ts';

export type ChallengeRow = {
  id: string;
  purpose: 'login' | 'link' | 'application';
  action: AuthAction | null;
  account_id: string | null;
  token_hash: Uint8Array | null;
  made_by: string | null;
  name: string | null;
  linking_key: string | null;
  created_at: number;
  expires_at: number;
  authenticated_at: number | null;
};

const CHALLENGE = `SELECT id, purpose, action, account_id, token_hash, made_by, name, linking_key, created_at, expires_at, authenticated_at
  FROM wallet_challenge`;

/**
 * Inserts a challenge unless there is the maximum number ($12) of this purpose and account. Those that are only waiting to be deleted do not
 * count: each insertion deletes the oldest of all purposes, and a refused one none.
 */
export const insertChallenge = statement(
  'wallet_challenge_insert',
  `INSERT INTO wallet_challenge (id, purpose, k1_hash, action, created_at, expires_at, kept_until, account_id, token_hash, made_by, name)
   SELECT $1, CAST($2 AS TEXT), $3, $4, $5, $6, $7, CAST($8 AS TEXT), $9, $10, $11
   WHERE (SELECT count(*) FROM (SELECT 1 FROM wallet_challenge
     WHERE purpose = $2 AND coalesce(account_id, '') = coalesce(CAST($8 AS TEXT), '') AND kept_until >= $5
     LIMIT $12) AS existing) < $12`,
);

/** Deletes the challenges that were to be kept longest until before a time, up to $2 of them. */
export const deleteExpired = statement(
  'wallet_challenge_delete_expired',
  'DELETE FROM wallet_challenge WHERE id IN (SELECT id FROM wallet_challenge WHERE kept_until < $1 ORDER BY kept_until LIMIT $2)',
);

export const findByK1 = statement<ChallengeRow>('wallet_challenge_find_by_k1', `${CHALLENGE} WHERE k1_hash = $1`);

/** Stores the key that signed an open challenge. Changes nothing that matters if the same key has signed it before. */
export const sign = statement(
  'wallet_challenge_sign',
  `UPDATE wallet_challenge SET linking_key = $2, authenticated_at = coalesce(authenticated_at, $3)
   WHERE k1_hash = $1 AND (linking_key = $2 OR (linking_key IS NULL AND expires_at > $3))`,
);

export const findById = statement<ChallengeRow>('wallet_challenge_find', `${CHALLENGE} WHERE id = $1 AND purpose = $2`);

export const deleteLinksOf = statement(
  'wallet_challenge_delete_links',
  "DELETE FROM wallet_challenge WHERE purpose = 'link' AND coalesce(account_id, '') = $1",
);

export const deleteChallenge = statement('wallet_challenge_delete', 'DELETE FROM wallet_challenge WHERE id = $1');
