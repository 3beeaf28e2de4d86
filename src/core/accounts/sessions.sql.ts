import { listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';
import type { SessionMethod } from './sessions.ts';

export type SessionRow = {
  id: string;
  account_id: string;
  method: SessionMethod;
  user_agent: string;
  created_at: number;
  last_used_at: number;
  expires_at: number;
  latest_expires_at: number;
  revoked_at: number | null;
};

const SESSION = `SELECT id, account_id, method, user_agent, created_at, last_used_at, expires_at, latest_expires_at, revoked_at FROM session`;

/** Expiry is compared with the clock of the database, which all instances share. */
const VALID = 'revoked_at IS NULL AND expires_at > extract(epoch FROM now())';

export const findSession = statement<SessionRow>('session_find', `${SESSION} WHERE secret_hash = $1 AND ${VALID}`);

export const findSessionById = statement<SessionRow>('session_find_by_id', `${SESSION} WHERE id = $1 AND account_id = $2`);

/** Returns the valid sessions among these, and locks them against revocation until the transaction ends. */
export const validSessions = statement<{ id: string }>(
  'session_valid',
  `SELECT id FROM session WHERE id = ANY($1::text[]) AND ${VALID} FOR SHARE`,
);

export const insertSession = statement(
  'session_insert',
  `INSERT INTO session (id, account_id, secret_hash, method, user_agent, created_at, last_used_at, expires_at, latest_expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $6, $7, $8)`,
);

export const touchSession = statement(
  'session_touch',
  'UPDATE session SET last_used_at = $2, expires_at = $3 WHERE id = $1 AND revoked_at IS NULL AND expires_at < $3',
);

export const revokeSession = statement(
  'session_revoke',
  'UPDATE session SET revoked_at = $3 WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL',
);

/** Revokes the sessions of an account except one. */
export const revokeOthers = statement(
  'session_revoke_others',
  'UPDATE session SET revoked_at = $3 WHERE account_id = $1 AND id <> $2 AND revoked_at IS NULL',
);

/**
 * Revokes the sessions of a member that began with a Lightning wallet, before the member becomes an operator: operators need an authenticator app
 * for such a login.
 */
export const revokeWalletSessionsOfMember = statement(
  'session_revoke_wallet_sessions_of_member',
  `UPDATE session SET revoked_at = $2 WHERE account_id = $1 AND method = 'lnurl_auth' AND revoked_at IS NULL
     AND EXISTS (SELECT 1 FROM account a WHERE a.id = $1 AND a.role = 'member')`,
);

/** Revokes all sessions of an account but the newest $3. */
export const revokeOldest = statement(
  'session_revoke_oldest',
  `UPDATE session SET revoked_at = $2 WHERE account_id = $1 AND revoked_at IS NULL
     AND id NOT IN (SELECT id FROM session WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id DESC LIMIT $3)`,
);

/** Deletes sessions of an account that ended long ago. */
export const deleteEnded = statement('session_delete_ended', 'DELETE FROM session WHERE account_id = $1 AND latest_expires_at < $2');

export const listSessions = listStatements<SessionRow>('session_list', {
  select: SESSION,
  table: 'session',
  where: 'account_id = $1',
  filters: 1,
});
