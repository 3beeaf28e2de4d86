import { statement } from '../../core/db/statement.ts';

export const findAppLogin = statement<{ key_id: string; password_hash: string }>(
  'lndhub_login_find',
  'SELECT key_id, password_hash FROM lndhub_login WHERE login = $1',
);

export const findAnyAppLogin = statement<{ found: number }>('lndhub_login_any', 'SELECT 1 AS found FROM lndhub_login LIMIT 1');

/** Replaces the hash that was read before. */
export const replacePasswordHash = statement(
  'lndhub_login_replace_hash',
  'UPDATE lndhub_login SET password_hash = $3 WHERE login = $1 AND password_hash = $2',
);

export const insertAppLogin = statement(
  'lndhub_login_insert',
  'INSERT INTO lndhub_login (login, key_id, password_hash, created_at) VALUES ($1, $2, $3, $4)',
);

export const findWalletOfLogin = statement<{ wallet_id: string }>(
  'lndhub_login_wallet',
  'SELECT k.wallet_id FROM lndhub_login l JOIN access_key k ON k.id = l.key_id WHERE l.login = $1',
);
