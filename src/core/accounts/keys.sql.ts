import type { LimitColumns } from '../budgets/limits.ts';
import { firstOwnParameter, type ListStatements, listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';
import type { Counters } from '../limits/limits.ts';
import { KEY_STATES, type KeyState } from './key-states.ts';
import type { KeyKind } from './keys.ts';

export const insertKey = statement(
  'access_key_insert',
  `INSERT INTO access_key (id, lineage_id, kind, secret_hash, public_text, last_four, account_id, wallet_id, user_label, budget_msat, budget_period,
     max_payment_msat, created_at, expires_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
);

export type KeyRow = LimitColumns & {
  id: string;
  kind: KeyKind;
  account_id: string;
  wallet_id: string | null;
  expires_at: number | null;
};

const KEY = `SELECT id, lineage_id, kind, account_id, wallet_id, expires_at, budget_msat, budget_period, max_payment_msat,
  (SELECT 1 FROM spending_limit l WHERE l.owner_id = lineage_id) AS has_counters FROM access_key`;

/** Expiry is compared with the clock of the database, which all instances share. */
const VALID = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > extract(epoch FROM now()))';

export const findKey = statement<KeyRow>('access_key_find', `${KEY} WHERE kind = $1 AND secret_hash = $2 AND ${VALID}`);

/** Also finds revoked and expired keys. */
export const findKeyById = statement<KeyRow>('access_key_find_by_id', `${KEY} WHERE id = $1`);

export const findValidKeyById = statement<KeyRow>('access_key_find_valid_by_id', `${KEY} WHERE id = $1 AND ${VALID}`);

/** Finds a key, valid or not. */
export const knowsKey = statement<{ id: string }>('access_key_knows', 'SELECT id FROM access_key WHERE kind = $1 AND secret_hash = $2');

/** Returns the valid keys among these, and locks them against revocation until the transaction ends. */
export const validKeys = statement<{ id: string }>(
  'access_key_valid',
  `SELECT id FROM access_key WHERE id = ANY($1::text[]) AND ${VALID} FOR SHARE`,
);

export const findValidOfLineage = statement<{ id: string }>(
  'access_key_find_valid_of_line',
  `SELECT id FROM access_key WHERE lineage_id = $1 AND ${VALID} LIMIT 1`,
);

/** Returns the lineages among these that have a valid key. A lineage may be returned more than once. */
export const validLineages = statement<{ id: string }>(
  'access_key_valid_lines',
  `SELECT lineage_id AS id FROM access_key WHERE lineage_id = ANY($1::text[]) AND ${VALID} FOR SHARE`,
);

/** The limits of a lineage that postings count; null without such limits. */
const COUNTED = ['max_out_day_msat', 'max_out_month_msat', 'max_payments_per_minute', 'max_pending'] as const;

/** What counts against them. */
const COUNTERS = [
  'pending_msat',
  'pending_count',
  'day_start',
  'day_msat',
  'month_start',
  'month_msat',
  'minute_start',
  'minute_count',
] as const satisfies readonly (keyof Counters)[];

/** The columns have the names of the API. */
export type ListedRow = KeyRow & {
  public_text: string | null;
  last_four: string | null;
  user_label: string;
  budget_spent_msat: number | null;
  budget_pending_msat: number | null;
  created_at: number;
  revoked_at: number | null;
  replaced_by: string | null;
  last_used_at: number | null;
} & Record<(typeof COUNTED)[number], number | null> &
  Counters;

/**
 * Keys with the spending of their lineages in the present budget period. Three parameters, from `first`, are the starts of the day, the week and
 * the month.
 */
const listed = (
  first: number,
) => `SELECT k.id, k.lineage_id, k.kind, k.public_text, k.last_four, k.account_id, k.wallet_id, k.user_label, k.budget_msat,
    k.budget_period, k.max_payment_msat, k.created_at, k.expires_at, k.revoked_at, k.replaced_by, u.last_used_at,
    CASE WHEN l.owner_id IS NOT NULL THEN 1 END AS has_counters, ${COUNTED.map((name) => `l.${name}`)},
    ${COUNTERS.map((name) => `coalesce(l.${name}, 0) AS ${name}`)},
    CASE WHEN k.budget_msat IS NOT NULL THEN coalesce(s.spent_msat, 0) END AS budget_spent_msat,
    CASE WHEN k.budget_msat IS NOT NULL THEN coalesce(s.pending_msat, 0) END AS budget_pending_msat
  FROM access_key k LEFT JOIN key_use u ON u.key_id = k.id LEFT JOIN spending_limit l ON l.owner_id = k.lineage_id
    LEFT JOIN key_spending s ON s.lineage_id = k.lineage_id AND s.period_start =
    CASE k.budget_period WHEN 'day' THEN CAST($${first} AS BIGINT) WHEN 'week' THEN CAST($${first + 1} AS BIGINT)
      WHEN 'month' THEN CAST($${first + 2} AS BIGINT) ELSE 0 END`;

/** The key kinds of people and apps; those of links are listed with the links. */
const OF_PEOPLE = "k.kind IN ('wallet_admin', 'wallet_invoice', 'wallet_read')";

const OWNERS = {
  account: `k.account_id = $1 AND k.kind IN ('secret_api', 'public_api')`,
  wallet: 'k.wallet_id = $1',
  // Each wallet has keys without a label, which nothing may use.
  wallets: `k.account_id = $1 AND ${OF_PEOPLE} AND k.user_label <> '' AND (CAST($2 AS TEXT) IS NULL OR k.wallet_id = $2)`,
};

function listsOf(owner: keyof typeof OWNERS, filters = 1): Readonly<Record<KeyState, ListStatements<ListedRow>>> {
  const select = listed(firstOwnParameter(filters));
  const list = (state: KeyState) =>
    listStatements<ListedRow>(`keyring_list_of_${owner}_${state}`, {
      ...{ select, table: 'access_key k', filters, id: 'k.id' },
      where: `${OWNERS[owner]} AND ${KEY_STATES[state]}`,
    });
  return { all: list('all'), active: list('active'), expired: list('expired'), revoked: list('revoked'), ended: list('ended') };
}

/** The keys of an account, of a wallet, and the labelled ones of all wallets of an account, or of one of them ($2). */
export const lists = { account: listsOf('account'), wallet: listsOf('wallet'), wallets: listsOf('wallets', 2) };

export const findListed = statement<ListedRow>('keyring_find', `${listed(2)} WHERE k.id = $1`);

export const findManyListed = statement<ListedRow>('keyring_find_many', `${listed(2)} WHERE k.id = ANY($1::text[])`);

/** Counts the active keys with a secret of an account, without those of its wallets, or of a wallet: up to `$2`. */
const countActive = (owner: string) =>
  `SELECT count(*) AS n FROM (SELECT 1 FROM access_key WHERE ${owner} AND ${VALID} LIMIT CAST($2 AS BIGINT)) AS active`;

export const countActiveOfAccount = statement<{ n: number }>(
  'keyring_count_active_of_account',
  countActive(`account_id = $1 AND kind = 'secret_api'`),
);

export const countActiveOfWallet = statement<{ n: number }>(
  'keyring_count_active_of_wallet',
  countActive(`wallet_id = $1 AND kind IN ('wallet_admin', 'wallet_invoice', 'wallet_read', 'wallet_connection')`),
);

export const revokeKey = statement('keyring_revoke', 'UPDATE access_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL');

export const replaceKey = statement(
  'keyring_replace',
  'UPDATE access_key SET replaced_by = $2, expires_at = $3, revoked_at = $4 WHERE id = $1',
);

/** Finds another secret API key of the account that expires no earlier than `$3`, the expiry of this one. */
export const findSuccessor = statement<{ id: string }>(
  'keyring_find_successor',
  `SELECT id FROM access_key
   WHERE account_id = $1 AND kind = 'secret_api' AND id <> $2 AND revoked_at IS NULL
     AND budget_msat IS NULL AND max_payment_msat IS NULL
     AND NOT EXISTS (SELECT 1 FROM spending_limit l WHERE l.owner_id = lineage_id) AND (expires_at IS NULL OR (expires_at >= $3 AND expires_at > $4)) LIMIT 1`,
);

const STORE = (rows: string) =>
  `INSERT INTO key_use (key_id, last_used_at) ${rows}
   ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at WHERE key_use.last_used_at < excluded.last_used_at`;

/** Stores the times of a JSON array, `$1`. Another instance may have stored a later one, which stays. */
export const storeKeyUses = statement('key_use_store', {
  sqlite: STORE(`SELECT json_extract(value, '$.key_id'), json_extract(value, '$.last_used_at') FROM json_each($1) WHERE true`),
  postgres: STORE(`SELECT key_id, last_used_at FROM json_to_recordset($1::json) AS given(key_id text, last_used_at bigint)`),
});
