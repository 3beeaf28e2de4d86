import { type Static, Type } from 'typebox';
import type { KeyOrder } from '../../core/accounts/keyring.ts';
import type { KeyKind } from '../../core/accounts/keys.ts';
import { BUDGET_PERIODS, type BudgetPeriod } from '../../core/budgets/limits.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { Msat } from '../../core/kernel/money.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { KeyLimitFields } from '../../core/limits/limits.ts';
import { choice, described, Expiry, PositiveMsat, plainText, UserLabel } from '../../http/fields.ts';

/** The fields of a request that creates a key: its label, expiry and limits. */
export const keyFields = {
  user_label: Type.Optional(UserLabel),
  expiry: Type.Optional(described(Expiry, 'How long the key is accepted, in seconds. Without it and `expires_at` the key does not expire')),
  expires_at: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      unit: 'Unix seconds',
      description: 'The time when the key expires, in Unix seconds; instead of `expiry`',
    }),
  ),
  budget_msat: Type.Optional(
    described(PositiveMsat, 'The millisatoshis that payments with the key may cost in one period, with fees. Requires `budget_period`'),
  ),
  budget_period: Type.Optional(
    choice(BUDGET_PERIODS, {
      mayBeEmpty: false,
      description: 'The period of `budget_msat`. Calendar periods in UTC; a week begins on Monday, `ever` never ends',
    }),
  ),
  max_payment_msat: Type.Optional(described(PositiveMsat, 'The millisatoshis that one payment may cost, with its fee limit')),
  max_out_day_msat: Type.Optional(described(PositiveMsat, 'The millisatoshis that the key may send per day (UTC), without fees')),
  max_out_month_msat: Type.Optional(described(PositiveMsat, 'The millisatoshis that the key may send per month (UTC), without fees')),
  max_payments_per_minute: Type.Optional(countField('The payments and transfers that may be started with the key per minute')),
  max_pending: Type.Optional(countField('The payments with the key that may be pending')),
};

/** The states of keys, and of what has keys, to which a list can be limited. */
export const StateFilter = Type.Optional(
  choice(['active', 'expired', 'revoked', 'ended'], { description: 'Only those with this status. `ended`: expired or revoked' }),
);

function countField(description: string) {
  return Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, unit: 'payments', description });
}

const BODY = Type.Object(keyFields);

type KeyBody = Static<typeof BODY> & { readonly kind?: KeyKind };

const CAN_SPEND: readonly KeyKind[] = ['secret_api', 'wallet_admin', 'wallet_connection'];

/** Returns the key that a body describes; of an account if it names no kind. @throws Refusal naming the field */
export function readKeyOrder(body: KeyBody, clock: Clock): KeyOrder {
  const kind = body.kind ?? 'secret_api';
  const budget = readBudget(body);
  const maxPaymentMsat = body.max_payment_msat as Msat | undefined;
  const counted = readCounted(body);
  const hasCounters = counted !== undefined;
  const limits = budget || maxPaymentMsat !== undefined || hasCounters ? { budget, maxPaymentMsat, hasCounters } : undefined;
  if (limits && !CAN_SPEND.includes(kind))
    throw new Refusal(
      'validation_failed',
      `\`budget_msat\`, \`max_pending\` and the other limits must be left out for a ${kind} key: it spends nothing.`,
    );
  return { kind, label: plainText('user_label', body.user_label ?? ''), expiresAt: readExpiresAt(body, clock), limits, counted };
}

/** Returns the limits that postings count; undefined if the body has none. */
function readCounted({ max_out_day_msat, max_out_month_msat, max_payments_per_minute, max_pending }: KeyBody): KeyLimitFields | undefined {
  const limits = [max_out_day_msat, max_out_month_msat, max_payments_per_minute, max_pending];
  if (limits.every((limit) => limit === undefined)) return undefined;
  return {
    max_out_day_msat: max_out_day_msat ?? null,
    max_out_month_msat: max_out_month_msat ?? null,
    max_payments_per_minute: max_payments_per_minute ?? null,
    max_pending: max_pending ?? null,
  };
}

function readExpiresAt({ expiry, expires_at }: KeyBody, clock: Clock): number | undefined {
  const now = unixSeconds(clock);
  if (expiry !== undefined && expires_at !== undefined)
    throw new Refusal('validation_failed', '`expiry` and `expires_at` exclude each other: send one of them.');
  if (expires_at !== undefined && expires_at <= now)
    throw new Refusal('validation_failed', '`expires_at` must be in the future, in Unix seconds.');
  return expiry === undefined ? expires_at : now + expiry;
}

function readBudget({ budget_msat, budget_period }: KeyBody): { amountMsat: Msat; period: BudgetPeriod } | undefined {
  if (budget_msat === undefined && budget_period === undefined) return undefined;
  if (budget_msat === undefined || budget_period === undefined)
    throw new Refusal(
      'validation_failed',
      `\`budget_msat\` and \`budget_period\` go together: send both. The period is one of ${BUDGET_PERIODS.join(', ')}.`,
    );
  return { amountMsat: budget_msat as Msat, period: budget_period };
}
