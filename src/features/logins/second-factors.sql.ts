import { statement } from '../../core/db/statement.ts';

export type TotpRow = { sealed: Uint8Array; confirmed_at: number | null; last_step: number };

/** A seed that was not confirmed is replaced. */
export const insertTotp = statement(
  'totp_insert',
  `INSERT INTO totp (account_id, sealed, created_at) VALUES ($1, $2, $3)
   ON CONFLICT (account_id) DO UPDATE SET sealed = excluded.sealed, created_at = excluded.created_at, last_step = 0
     WHERE totp.confirmed_at IS NULL`,
);

export const findTotp = statement<TotpRow>('totp_find', 'SELECT sealed, confirmed_at, last_step FROM totp WHERE account_id = $1');

/** Accepts the code of a step, once. */
export const useStep = statement('totp_use_step', 'UPDATE totp SET last_step = $2 WHERE account_id = $1 AND last_step < $2');

export const confirmTotp = statement('totp_confirm', 'UPDATE totp SET confirmed_at = $2 WHERE account_id = $1 AND confirmed_at IS NULL');

export const deleteTotp = statement('totp_delete', 'DELETE FROM totp WHERE account_id = $1');

export const insertRecoveryCode = statement('recovery_code_insert', 'INSERT INTO recovery_code (account_id, code_hash) VALUES ($1, $2)');

export const useRecoveryCode = statement('recovery_code_use', 'DELETE FROM recovery_code WHERE account_id = $1 AND code_hash = $2');

/** Returns the number of unused codes; no row without a confirmed authenticator app. */
export const countRecoveryCodes = statement<{ n: number }>(
  'recovery_code_count',
  `SELECT (SELECT count(*) FROM recovery_code WHERE account_id = $1) AS n FROM totp WHERE account_id = $1 AND confirmed_at IS NOT NULL`,
);

export const deleteRecoveryCodes = statement('recovery_code_delete', 'DELETE FROM recovery_code WHERE account_id = $1');
