import { statement } from '../db/statement.ts';

/** A new link of an account replaces the earlier one. */
export const insertSetupLink = statement(
  'setup_link_insert',
  `INSERT INTO setup_link (account_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (account_id) DO UPDATE SET token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`,
);

/** Returns the oldest operator, if no operator can log in. */
export const findOperatorWithoutLogin = statement<{ id: string }>(
  'login_find_operator_without',
  `SELECT id FROM account WHERE role = 'operator'
     AND NOT EXISTS (SELECT 1 FROM account WHERE role = 'operator' AND password_hash IS NOT NULL)
   ORDER BY id LIMIT 1`,
);

export const findSetupLinkOf = statement<{ token_hash: Uint8Array; created_at: number; expires_at: number }>(
  'setup_link_find_of',
  'SELECT token_hash, created_at, expires_at FROM setup_link WHERE account_id = $1',
);

export const findSetupLink = statement<{ account_id: string }>(
  'setup_link_find',
  'SELECT account_id FROM setup_link WHERE token_hash = $1 AND expires_at > $2',
);

export const deleteSetupLink = statement('setup_link_delete', 'DELETE FROM setup_link WHERE token_hash = $1 AND expires_at > $2');
