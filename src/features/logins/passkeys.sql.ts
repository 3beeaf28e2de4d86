import { statement } from '../../core/db/statement.ts';

export type PasskeyRow = {
  id: string;
  account_id: string;
  credential_id: string;
  public_key: Uint8Array;
  transports: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
};

const PASSKEY = 'SELECT id, account_id, credential_id, public_key, transports, name, created_at, last_used_at FROM passkey';

export const findPasskey = statement<PasskeyRow>('passkey_find', `${PASSKEY} WHERE credential_id = $1`);

export const findPasskeyById = statement<PasskeyRow>('passkey_find_by_id', `${PASSKEY} WHERE id = $1 AND account_id = $2`);

export const listPasskeys = statement<PasskeyRow>('passkey_list', `${PASSKEY} WHERE account_id = $1 ORDER BY id DESC`);

/** Inserts a passkey unless the account has the maximum number ($9) of them. */
export const insertPasskey = statement(
  'passkey_insert',
  `INSERT INTO passkey (id, account_id, credential_id, public_key, counter, transports, name, created_at)
   SELECT $1, CAST($2 AS TEXT), $3, $4, $5, $6, $7, $8 WHERE (SELECT count(*) FROM passkey WHERE account_id = $2) < $9`,
);

/** Stores a use. Changes nothing if the authenticator counts signatures, and the number is not above that of the last use. */
export const usePasskey = statement(
  'passkey_use',
  'UPDATE passkey SET counter = $2, last_used_at = $3 WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0))',
);

export const renamePasskey = statement('passkey_rename', 'UPDATE passkey SET name = $3 WHERE id = $1 AND account_id = $2');

export const deletePasskey = statement('passkey_delete', 'DELETE FROM passkey WHERE id = $1 AND account_id = $2');

export const deletePasskeys = statement('passkey_delete_all', 'DELETE FROM passkey WHERE account_id = $1');

/** Inserts a challenge: to add a passkey, or, with null for `$2` and `$3`, to log in, unless there is the maximum number ($6) of these. */
export const insertChallenge = statement(
  'passkey_challenge_insert',
  `INSERT INTO passkey_challenge (challenge_hash, account_id, made_by, created_at, expires_at)
   SELECT $1, CAST($2 AS TEXT), $3, $4, $5 WHERE CAST($2 AS TEXT) IS NOT NULL
     OR (SELECT count(*) FROM (SELECT 1 FROM passkey_challenge WHERE account_id IS NULL LIMIT $6) AS existing) < $6`,
);

export const deleteChallengesOf = statement('passkey_challenge_delete_of', 'DELETE FROM passkey_challenge WHERE account_id = $1');

export const deleteExpired = statement(
  'passkey_challenge_delete_expired',
  `DELETE FROM passkey_challenge
   WHERE challenge_hash IN (SELECT challenge_hash FROM passkey_challenge WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)`,
);

/** Uses up a challenge. `$2` and `$3` are empty for a login. */
export const takeChallenge = statement(
  'passkey_challenge_take',
  `DELETE FROM passkey_challenge WHERE challenge_hash = $1 AND coalesce(account_id, '') = $2 AND coalesce(made_by, '') = $3 AND expires_at > $4`,
);
