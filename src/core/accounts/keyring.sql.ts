import type { BudgetPeriod } from '../budgets/limits.ts';
import { firstOwnParameter, listStatements } from '../db/list.ts';
import { statement } from '../db/statement.ts';
import type { KeyKind } from './keys.ts';

export type ListedRow = {
  id: string;
  lineage_id: string;
  kind: KeyKind;
  public_text: string | null;
  last_four: string | null;
  account_id: string;
  wallet_id: string | null;
  label: string;
  budget_msat: number | null;
  budget_period: BudgetPeriod | null;
  max_payment_msat: number | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  replaced_by: string | null;
  last_used_at: number | null;
  spent_msat: number | null;
  pending_msat: number | null;
};

/** Keys with their spending in the present budget period. Three parameters, from `first`, are the starts of the day, the week and the month. */
const listed = (
  first: number,
) => `SELECT k.id, k.lineage_id, k.kind, k.public_text, k.last_four, k.account_id, k.wallet_id, k.label, k.budget_msat,
    k.budget_period, k.max_payment_msat, k.created_at, k.expires_at, k.revoked_at, k.replaced_by, u.last_used_at, s.spent_msat, s.pending_msat
  FROM access_key k LEFT JOIN key_use u ON u.key_id = k.id LEFT JOIN key_spending s ON s.lineage_id = k.lineage_id AND s.period_start =
    CASE k.budget_period WHEN 'day' THEN CAST($${first} AS BIGINT) WHEN 'week' THEN CAST($${first + 1} AS BIGINT)
      WHEN 'month' THEN CAST($${first + 2} AS BIGINT) ELSE 0 END`;

const LIST = { select: listed(firstOwnParameter(1)), table: 'access_key k', filters: 1, id: 'k.id' };

export const listOfAccount = listStatements<ListedRow>('keyring_list_of_account', {
  ...LIST,
  where: `k.account_id = $1 AND k.kind IN ('secret_api', 'public_api')`,
});

export const listOfWallet = listStatements<ListedRow>('keyring_list_of_wallet', { ...LIST, where: 'k.wallet_id = $1' });

export const findListed = statement<ListedRow>('keyring_find', `${listed(2)} WHERE k.id = $1`);

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
     AND budget_msat IS NULL AND max_payment_msat IS NULL AND (expires_at IS NULL OR (expires_at >= $3 AND expires_at > $4)) LIMIT 1`,
);
