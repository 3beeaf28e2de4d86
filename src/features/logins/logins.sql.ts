import { statement } from '../../core/db/statement.ts';

export const findLogin = statement<{ id: string; password_hash: string | null }>(
  'login_find',
  'SELECT id, password_hash FROM account WHERE email = $1',
);

export const findLoginOfAccount = statement<{ email: string | null; password_hash: string | null; role: 'operator' | 'member' }>(
  'login_find_of_account',
  'SELECT email, password_hash, role FROM account WHERE id = $1',
);

/** Returns an account that can log in. */
export const findAnyLogin = statement<{ id: string }>(
  'login_find_any',
  `SELECT id FROM (SELECT id FROM account WHERE password_hash IS NOT NULL LIMIT 1) AS with_password
   UNION ALL SELECT account_id FROM (SELECT account_id FROM passkey LIMIT 1) AS with_passkey LIMIT 1`,
);

/** NULL keeps the e-mail. */
export const setLogin = statement(
  'login_set',
  'UPDATE account SET email = coalesce(CAST($2 AS TEXT), email), password_hash = $3 WHERE id = $1',
);

/** Returns the account unless its password has changed, and locks it. */
export const lockLogin = statement<{ id: string }>(
  'login_lock',
  'SELECT id FROM account WHERE id = $1 AND password_hash = $2 FOR NO KEY UPDATE',
);

export type TotpRow = { sealed: Uint8Array; confirmed_at: number | null; last_step: number; paused_until: number };

/** A seed that was not confirmed is replaced. */
export const insertTotp = statement(
  'totp_insert',
  `INSERT INTO totp (account_id, sealed, created_at) VALUES ($1, $2, $3)
   ON CONFLICT (account_id) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at, last_step = 0
     WHERE totp.confirmed_at IS NULL`,
);

export const findTotp = statement<TotpRow>(
  'totp_find',
  'SELECT sealed, confirmed_at, last_step, paused_until FROM totp WHERE account_id = $1',
);

/** Accepts the code of a step, once. */
export const useStep = statement(
  'totp_use_step',
  'UPDATE totp SET last_step = $2, wrong_codes = 0 WHERE account_id = $1 AND last_step < $2',
);

/** Counts a wrong code at the time `$2`. The one with the number `$3` pauses the codes until `$4`; then `wrong_codes` is 0. */
export const countWrongCode = statement<{ wrong_codes: number }>(
  'totp_count_wrong_code',
  `UPDATE totp SET wrong_codes = CASE WHEN wrong_codes + 1 < $3 THEN wrong_codes + 1 ELSE 0 END,
     paused_until = CASE WHEN wrong_codes + 1 < $3 THEN paused_until ELSE $4 END
   WHERE account_id = $1 AND confirmed_at IS NOT NULL AND paused_until <= $2 RETURNING wrong_codes`,
);

export const resumeCodes = statement('totp_resume', 'UPDATE totp SET wrong_codes = 0, paused_until = 0 WHERE account_id = $1');

export const confirmTotp = statement('totp_confirm', 'UPDATE totp SET confirmed_at = $2 WHERE account_id = $1 AND confirmed_at IS NULL');

export const deleteTotp = statement('totp_delete', 'DELETE FROM totp WHERE account_id = $1');

export const insertRecoveryCode = statement('recovery_code_insert', 'INSERT INTO recovery_code (account_id, code_hash) VALUES ($1, $2)');

export const useRecoveryCode = statement('recovery_code_use', 'DELETE FROM recovery_code WHERE account_id = $1 AND code_hash = $2');

/** Returns the number of unused codes, and that of confirmed authenticator apps. */
export const countRecoveryCodes = statement<{ n: number; apps: number }>(
  'recovery_code_count',
  `SELECT (SELECT count(*) FROM recovery_code WHERE account_id = $1) AS n,
     (SELECT count(*) FROM totp WHERE account_id = $1 AND confirmed_at IS NOT NULL) AS apps`,
);

export const deleteRecoveryCodes = statement('recovery_code_delete', 'DELETE FROM recovery_code WHERE account_id = $1');
