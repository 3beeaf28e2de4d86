import { Type } from 'typebox';
import { KEY_KINDS, type KeyKind } from '../accounts/keys.ts';
import type { ListedKey } from '../accounts/listed-key.ts';
import { BUDGET_PERIODS } from '../budgets/limits.ts';
import { MAX_MSAT } from '../kernel/money.ts';
import { nullable, oneOf } from './objects.ts';

export const PositiveMsat = Type.Integer({ minimum: 1, maximum: MAX_MSAT, unit: 'millisatoshis', description: 'Millisatoshis' });

/** A key without its secret. */
export const KeyObject = Type.Object({
  id: Type.String({ description: 'key_…' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  kind: oneOf(Object.keys(KEY_KINDS) as KeyKind[], 'What the key is for, which its prefix says as well'),
  wallet_id: nullable(Type.String()),
  label: Type.String(),
  hint: Type.String({ description: 'The prefix and the last four characters; a public identifier in full' }),
  status: oneOf(['active', 'expired', 'revoked']),
  expires_at: nullable(Type.Integer()),
  revoked_at: nullable(Type.Integer()),
  replaced_by: nullable(Type.String({ description: 'The key that a rotation put in its place' })),
  budget_msat: nullable(Type.Integer()),
  budget_period: nullable(oneOf(BUDGET_PERIODS, 'Calendar periods in UTC; a week begins on Monday')),
  budget_spent_msat: nullable(Type.Integer({ description: 'In the present period, with fees' })),
  budget_pending_msat: nullable(Type.Integer({ description: 'For payments in flight, with the most that their routing may cost' })),
  max_payment_msat: nullable(Type.Integer({ description: 'The most that one payment may cost' })),
});

export const NewKeyObject = Type.Object({
  ...KeyObject.properties,
  key: Type.String({ description: 'The key itself; shown this once' }),
});

export function keyObject(key: ListedKey) {
  const { budget, maxPaymentMsat } = key.limits ?? {};
  return {
    id: key.id,
    created_at: key.createdAt,
    kind: key.kind,
    wallet_id: key.walletId ?? null,
    label: key.label,
    hint: key.hint,
    status: key.status,
    expires_at: key.expiresAt ?? null,
    revoked_at: key.revokedAt ?? null,
    replaced_by: key.replacedBy ?? null,
    budget_msat: budget?.amountMsat ?? null,
    budget_period: budget?.period ?? null,
    budget_spent_msat: budget ? key.spentMsat : null,
    budget_pending_msat: budget ? key.pendingMsat : null,
    max_payment_msat: maxPaymentMsat ?? null,
  };
}
