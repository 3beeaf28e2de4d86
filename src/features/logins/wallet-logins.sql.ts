import { statement } from '../../core/db/statement.ts';

export type WalletLoginRow = {
  id: string;
  account_id: string | null;
  name: string | null;
  linking_key: string | null;
  expires_at: number;
};

const WALLET_LOGIN = 'SELECT id, account_id, name, linking_key, expires_at FROM wallet_login';

/** Inserts a request: to link a key to an account, or, with null for `$4`, to log in, unless there is the maximum number ($9) of these. */
export const insertRequest = statement(
  'wallet_login_insert',
  `INSERT INTO wallet_login (id, k1_hash, token_hash, account_id, made_by, name, created_at, expires_at)
   SELECT $1, $2, $3, CAST($4 AS TEXT), $5, $6, $7, $8 WHERE CAST($4 AS TEXT) IS NOT NULL
     OR (SELECT count(*) FROM (SELECT 1 FROM wallet_login WHERE account_id IS NULL LIMIT $9) AS existing) < $9`,
);

/** Deletes logins that expired before a time, up to $2 of them. */
export const deleteExpired = statement(
  'wallet_login_delete_expired',
  'DELETE FROM wallet_login WHERE id IN (SELECT id FROM wallet_login WHERE expires_at < $1 ORDER BY expires_at LIMIT $2)',
);

export const deleteLinksOf = statement('wallet_login_delete_links', 'DELETE FROM wallet_login WHERE account_id = $1');

export const findByK1 = statement<WalletLoginRow>('wallet_login_find_by_k1', `${WALLET_LOGIN} WHERE k1_hash = $1`);

/** Stores the key that signed an open login. The same key may sign it again. */
export const sign = statement(
  'wallet_login_sign',
  'UPDATE wallet_login SET linking_key = $2 WHERE k1_hash = $1 AND (linking_key = $2 OR (linking_key IS NULL AND expires_at > $3))',
);

export const findLogin = statement<WalletLoginRow>('wallet_login_find', `${WALLET_LOGIN} WHERE id = $1 AND token_hash = $2`);

export const findLink = statement<WalletLoginRow>(
  'wallet_login_find_link',
  `${WALLET_LOGIN} WHERE id = $1 AND account_id = $2 AND made_by = $3`,
);

export const deleteLogin = statement('wallet_login_delete', 'DELETE FROM wallet_login WHERE id = $1');

export type LinkedKeyRow = {
  id: string;
  account_id: string;
  linking_key: string;
  name: string;
  created_at: number;
  last_used_at: number | null;
};

const LINKED_KEY = 'SELECT id, account_id, linking_key, name, created_at, last_used_at FROM linked_key';

export const findLinkedKey = statement<LinkedKeyRow>('linked_key_find', `${LINKED_KEY} WHERE linking_key = $1`);

export const findLinkedKeyById = statement<LinkedKeyRow>('linked_key_find_by_id', `${LINKED_KEY} WHERE id = $1 AND account_id = $2`);

export const listLinkedKeys = statement<LinkedKeyRow>('linked_key_list', `${LINKED_KEY} WHERE account_id = $1 ORDER BY id DESC`);

/** Inserts a key unless the account has the maximum number ($6) of them. */
export const insertLinkedKey = statement(
  'linked_key_insert',
  `INSERT INTO linked_key (id, account_id, linking_key, name, created_at)
   SELECT $1, CAST($2 AS TEXT), $3, $4, $5 WHERE (SELECT count(*) FROM linked_key WHERE account_id = $2) < $6`,
);

export const touchLinkedKey = statement('linked_key_touch', 'UPDATE linked_key SET last_used_at = $2 WHERE linking_key = $1');

export const deleteLinkedKey = statement('linked_key_delete', 'DELETE FROM linked_key WHERE id = $1 AND account_id = $2');

export const deleteLinkedKeys = statement('linked_key_delete_all', 'DELETE FROM linked_key WHERE account_id = $1');
