import { statement } from '../../../core/db/statement.ts';
import type { AuthAction } from './challenges.ts';

export type ChallengeRow = {
  id: string;
  account_id: string;
  action: AuthAction | null;
  linking_key: string | null;
  created_at: number;
  expires_at: number;
  authenticated_at: number | null;
};

const CHALLENGE = 'SELECT id, account_id, action, linking_key, created_at, expires_at, authenticated_at FROM auth_challenge';

/** Inserts a challenge unless the account has the maximum number ($7) of them. */
export const insertChallenge = statement(
  'auth_challenge_insert',
  `INSERT INTO auth_challenge (id, account_id, k1_hash, action, created_at, expires_at)
   SELECT $1, CAST($2 AS TEXT), $3, $4, $5, $6
   WHERE (SELECT count(*) FROM (SELECT 1 FROM auth_challenge WHERE account_id = $2 LIMIT $7) AS existing) < $7`,
);

/** Deletes the oldest challenges that were created before a time, up to $2 of them. */
export const deleteBefore = statement(
  'auth_challenge_delete_before',
  'DELETE FROM auth_challenge WHERE id IN (SELECT id FROM auth_challenge WHERE created_at < $1 ORDER BY created_at LIMIT $2)',
);

export const findInAccount = statement<ChallengeRow>('auth_challenge_find', `${CHALLENGE} WHERE id = $1 AND account_id = $2`);

export const findByK1 = statement<ChallengeRow>('auth_challenge_find_by_k1', `${CHALLENGE} WHERE k1_hash = $1`);

/** Stores the key that signed an open challenge. Changes nothing that matters if the same key has signed it before. */
export const authenticate = statement(
  'auth_challenge_authenticate',
  `UPDATE auth_challenge SET linking_key = $2, authenticated_at = coalesce(authenticated_at, $3)
   WHERE k1_hash = $1 AND (linking_key = $2 OR (linking_key IS NULL AND expires_at > $3))`,
);
