import { type KeyLimits, rowToLimits } from '../budgets/limits.ts';
import { type Msat, msat, ZERO_MSAT } from '../kernel/money.ts';
import type { ListedRow } from './keyring.sql.ts';
import { KEY_KINDS, type KeyKind } from './keys.ts';

/** A key in a list, without its secret. Times are Unix seconds. */
export interface ListedKey {
  readonly id: string;
  readonly lineageId: string;
  readonly kind: KeyKind;
  readonly walletId: string | undefined;
  readonly label: string;
  /** An abbreviation such as `waka_…wxyz`; the whole text of a public key. */
  readonly hint: string;
  readonly status: 'active' | 'expired' | 'revoked';
  readonly limits: KeyLimits | undefined;
  /** The spending of the whole lineage in the present budget period. */
  readonly spentMsat: Msat;
  readonly pendingMsat: Msat;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  readonly revokedAt: number | undefined;
  /** The key that replaced this one in a rotation. */
  readonly replacedBy: string | undefined;
  /** The time of the last request that was authenticated with it, in Unix seconds; up to a minute late. */
  readonly lastUsedAt: number | undefined;
}

export function rowToListed(row: ListedRow, nowSeconds: number): ListedKey {
  const isExpired = row.expires_at !== null && row.expires_at <= nowSeconds;
  return {
    id: row.id,
    lineageId: row.line_id,
    kind: row.kind,
    walletId: row.wallet_id ?? undefined,
    label: row.label,
    hint: row.public_text ?? `${KEY_KINDS[row.kind].prefixes[0]}_…${row.last_four ?? ''}`,
    status: row.revoked_at !== null ? 'revoked' : isExpired ? 'expired' : 'active',
    limits: rowToLimits(row),
    spentMsat: row.spent_msat === null ? ZERO_MSAT : msat(row.spent_msat),
    pendingMsat: row.pending_msat === null ? ZERO_MSAT : msat(row.pending_msat),
    createdAt: row.created_at,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    replacedBy: row.replaced_by ?? undefined,
    lastUsedAt: row.last_used_at ?? undefined,
  };
}
