import { listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';
import { type AccountStatus, allowsInSql } from './account-states.ts';

/** The first account is the operator's. */
export const insertAccount = statement(
  'account_insert',
  `INSERT INTO account (id, created_at, role)
   VALUES ($1, $2, CASE WHEN EXISTS (SELECT 1 FROM account) THEN 'member' ELSE 'operator' END)`,
);

export const countAccounts = statement<{ n: number }>('account_count', 'SELECT count(*) AS n FROM account');

/** Locks an account against other changes of its keys and logins. */
export const lockAccount = statement<{ id: string }>('account_lock', 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE');

/**
 * Returns the accounts among these whose state allows changes of what they have, and locks them against a change of the state until the transaction
 * ends.
 */
export const managingAccounts = statement<{ id: string }>(
  'account_managing',
  `SELECT id FROM account WHERE id = ANY($1::text[]) AND ${allowsInSql('status', 'manage')} FOR KEY SHARE`,
);

/** The columns have the names of the API. */
export type DirectoryRow = {
  id: string;
  created_at: number;
  public_key: string;
  role: 'operator' | 'member';
  status: AccountStatus;
  email: string | null;
  currency: string | null;
  has_password: number;
  has_totp: number;
  max_wallets: number;
  num_wallets: number;
  /** The nearest first, separated by spaces. */
  ancestors: string;
  share_millionths: number;
  revenue_wallet_id: string | null;
  setup_expires_at: number | null;
};

/** The public key is the oldest one, because an account keeps it forever. */
const ACCOUNT = `SELECT a.id, a.created_at, a.role, a.status, a.email, a.currency, a.max_wallets, a.ancestors,
    a.share_millionths, a.revenue_wallet_id,
    CASE WHEN a.password_hash IS NULL THEN 0 ELSE 1 END AS has_password,
    (SELECT count(*) FROM totp t WHERE t.account_id = a.id AND t.confirmed_at IS NOT NULL) AS has_totp,
    (SELECT k.public_text FROM access_key k WHERE k.account_id = a.id AND k.kind = 'public_api' ORDER BY k.id LIMIT 1) AS public_key,
    (SELECT count(*) FROM wallet w WHERE w.account_id = a.id) AS num_wallets,
    (SELECT s.expires_at FROM setup_link s WHERE s.account_id = a.id) AS setup_expires_at
  FROM account a`;

export const findAccount = statement<DirectoryRow>('directory_find', `${ACCOUNT} WHERE a.id = $1`);

export const listAccounts = listStatements<DirectoryRow>('directory_list', { select: ACCOUNT, table: 'account a', id: 'a.id' });

/** The accounts directly below an account. */
export const listSubAccounts = listStatements<DirectoryRow>('directory_list_sub_accounts', {
  select: ACCOUNT,
  table: 'account a',
  id: 'a.id',
  where: "a.ancestors = $1 OR a.ancestors LIKE $1 || ' %'",
  filters: 1,
});

/** Places a new account below another one. Its ancestors never change. */
export const placeBelow = statement(
  'directory_place_below',
  `UPDATE account SET ancestors = (SELECT trim(p.id || ' ' || p.ancestors) FROM account p WHERE p.id = $2) WHERE id = $1 AND ancestors = ''`,
);

/** Sets the revenue share. NULL leaves a column unchanged. */
export const setRevenueShare = statement(
  'directory_set_revenue_share',
  `UPDATE account SET revenue_wallet_id = coalesce(CAST($3 AS TEXT), revenue_wallet_id),
     share_millionths = coalesce(CAST($2 AS BIGINT), share_millionths) WHERE id = $1`,
);

/** The account of a wallet. */
export const findAccountOfWallet = statement<{ account_id: string }>(
  'directory_account_of_wallet',
  'SELECT account_id FROM wallet WHERE id = $1',
);

export const findOperator = statement<{ id: string }>(
  'directory_find_operator',
  `SELECT id FROM account WHERE id = $1 AND role = 'operator' AND status = 'active'`,
);

/** Returns the active operators and locks them, so that changes of roles are made one at a time. */
export const lockOperators = statement<{ id: string }>(
  'directory_lock_operators',
  `SELECT id FROM account WHERE role = 'operator' AND status = 'active' ORDER BY id FOR NO KEY UPDATE`,
);

/** Returns an active operator who can act: with a password, or with a secret API key. One who was only invited has neither. */
export const findWorkingOperator = statement<{ id: string }>(
  'directory_find_working_operator',
  `SELECT id FROM account WHERE role = 'operator' AND status = 'active' AND (password_hash IS NOT NULL OR EXISTS (
     SELECT 1 FROM access_key k WHERE k.account_id = account.id AND k.kind = 'secret_api' AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > extract(epoch FROM now())))) LIMIT 1`,
);

/** Active operators among these accounts. Until the transaction ends, they remain operators. */
export const validOperators = statement<{ id: string }>(
  'directory_valid_operators',
  `SELECT id FROM account WHERE id = ANY($1::text[]) AND role = 'operator' AND status = 'active' FOR SHARE`,
);

/** NULL leaves a column unchanged. Before a change of the status, {@link lockForStatus} waits for the postings that read it. */
export const updateAccount = statement(
  'directory_update',
  `UPDATE account SET role = coalesce(CAST($2 AS TEXT), role), status = coalesce(CAST($3 AS TEXT), status),
     email = coalesce(CAST($4 AS TEXT), email), max_wallets = coalesce(CAST($5 AS BIGINT), max_wallets)
   WHERE id = $1`,
);

export const updateCurrency = statement('directory_update_currency', 'UPDATE account SET currency = $2 WHERE id = $1');

/** Waits until no posting holds the account, and prevents that one reads its status until the transaction ends. */
export const lockForStatus = statement<{ id: string }>('directory_lock_for_status', 'SELECT id FROM account WHERE id = $1 FOR UPDATE');

export const findStatus = statement<{ status: AccountStatus }>('directory_find_status', 'SELECT status FROM account WHERE id = $1');

/** The ledger accounts of the wallets of an account after one, in pages. */
export const listLedgerAccounts = statement<{ ledger_account: number }>(
  'directory_list_ledger_accounts',
  'SELECT ledger_account FROM wallet WHERE account_id = $1 AND ledger_account > $2 ORDER BY ledger_account LIMIT $3',
);

export const readWalletLimit = statement<{ max_wallets: number }>(
  'directory_read_wallet_limit',
  'SELECT max_wallets FROM account WHERE id = $1',
);

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
     AND NOT EXISTS (SELECT 1 FROM account o WHERE o.role = 'operator'
       AND (o.password_hash IS NOT NULL OR EXISTS (SELECT 1 FROM passkey p WHERE p.account_id = o.id)))
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

export const findByEmail = statement<{ id: string }>('account_find_by_email', 'SELECT id FROM account WHERE email = $1');

export const setImportedPassword = statement('account_set_imported_password', 'UPDATE account SET password_hash = $2 WHERE id = $1');
