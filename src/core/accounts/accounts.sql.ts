import type { BudgetPeriod } from '../budgets/limits.ts';
import { statement } from '../db/statement.ts';
import type { KeyKind } from './keys.ts';

/** The first account is the operator's. */
export const insertAccount = statement(
  'account_insert',
  `INSERT INTO account (id, created_at, role)
   VALUES ($1, $2, CASE WHEN EXISTS (SELECT 1 FROM account) THEN 'member' ELSE 'operator' END)`,
);

export const countAccounts = statement<{ n: number }>('account_count', 'SELECT count(*) AS n FROM account');

/** Locks an account against other changes of its keys and logins. */
export const lockAccount = statement<{ id: string }>('account_lock', {
  sqlite: 'SELECT id FROM account WHERE id = $1',
  postgres: 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE',
});

export const insertKey = statement(
  'access_key_insert',
  `INSERT INTO access_key (id, lineage_id, kind, secret_hash, public_text, last_four, account_id, wallet_id, label, budget_msat, budget_period,
     max_payment_msat, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
);

export type KeyRow = {
  id: string;
  lineage_id: string;
  kind: KeyKind;
  account_id: string;
  wallet_id: string | null;
  expires_at: number | null;
  budget_msat: number | null;
  budget_period: BudgetPeriod | null;
  max_payment_msat: number | null;
};

const KEY = `SELECT id, lineage_id, kind, account_id, wallet_id, expires_at, budget_msat, budget_period, max_payment_msat FROM access_key`;

/** Expiry is compared with the clock of the database, which all instances share. */
const VALID = {
  sqlite: 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > unixepoch())',
  postgres: 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > extract(epoch FROM now()))',
};

export const findKey = statement<KeyRow>('access_key_find', {
  sqlite: `${KEY} WHERE kind = $1 AND secret_hash = $2 AND ${VALID.sqlite}`,
  postgres: `${KEY} WHERE kind = $1 AND secret_hash = $2 AND ${VALID.postgres}`,
});

/** Also finds revoked and expired keys. */
export const findKeyById = statement<KeyRow>('access_key_find_by_id', `${KEY} WHERE id = $1`);

/** Finds a key, valid or not. */
export const knowsKey = statement<{ id: string }>('access_key_knows', 'SELECT id FROM access_key WHERE kind = $1 AND secret_hash = $2');

export const findPublicKeyOfWallet = statement<{ public_text: string }>(
  'access_key_public_of_wallet',
  `SELECT public_text FROM access_key WHERE wallet_id = $1 AND kind = $2 AND public_text IS NOT NULL ORDER BY id LIMIT 1`,
);

/** Returns the valid keys among these, and locks them against revocation until the transaction ends. */
export const validKeys = statement<{ id: string }>('access_key_valid', {
  sqlite: `SELECT id FROM access_key WHERE id IN (SELECT value FROM json_each($1)) AND ${VALID.sqlite}`,
  postgres: `SELECT id FROM access_key WHERE id = ANY($1::text[]) AND ${VALID.postgres} FOR SHARE`,
});

export const findValidOfLineage = statement<{ id: string }>('access_key_find_valid_of_line', {
  sqlite: `SELECT id FROM access_key WHERE lineage_id = $1 AND ${VALID.sqlite} LIMIT 1`,
  postgres: `SELECT id FROM access_key WHERE lineage_id = $1 AND ${VALID.postgres} LIMIT 1`,
});

/** Returns the lineages among these that have a valid key. A lineage may be returned more than once. */
export const validLineages = statement<{ id: string }>('access_key_valid_lines', {
  sqlite: `SELECT lineage_id AS id FROM access_key WHERE lineage_id IN (SELECT value FROM json_each($1)) AND ${VALID.sqlite}`,
  postgres: `SELECT lineage_id AS id FROM access_key WHERE lineage_id = ANY($1::text[]) AND ${VALID.postgres} FOR SHARE`,
});
