import { statement } from '../../core/db/statement.ts';

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
