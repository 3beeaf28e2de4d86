import { statement } from '../db/statement.ts';
import type { KeyKind } from './keys.ts';

export const insertAccount = statement('account_insert', 'INSERT INTO account (id, created_at) VALUES ($1, $2)');

export const countAccounts = statement<{ n: number }>('account_count', 'SELECT count(*) AS n FROM account');

export const insertKey = statement(
  'access_key_insert',
  `INSERT INTO access_key (id, kind, secret_hash, public_text, account_id, wallet_id, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7)`,
);

export type KeyRow = { id: string; kind: KeyKind; account_id: string; wallet_id: string | null };

export const findKey = statement<KeyRow>(
  'access_key_find',
  'SELECT id, kind, account_id, wallet_id FROM access_key WHERE kind = $1 AND secret_hash = $2 AND revoked_at IS NULL',
);

export const findPublicKeyOfWallet = statement<{ public_text: string }>(
  'access_key_public_of_wallet',
  `SELECT public_text FROM access_key WHERE wallet_id = $1 AND kind = $2 AND public_text IS NOT NULL ORDER BY id LIMIT 1`,
);

/** Which of these keys are valid; none of them can be revoked before the transaction ends. */
export const validKeys = statement<{ id: string }>('access_key_valid', {
  sqlite: 'SELECT id FROM access_key WHERE id IN (SELECT value FROM json_each($1)) AND revoked_at IS NULL',
  postgres: 'SELECT id FROM access_key WHERE id = ANY($1::text[]) AND revoked_at IS NULL FOR SHARE',
});
