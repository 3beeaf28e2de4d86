import { Type } from 'typebox';
import { SECRET_STATUSES } from '../../core/accounts/accounts.ts';
import { KEY_KINDS, type KeyKind } from '../../core/accounts/keys.ts';
import { BUDGET_PERIODS } from '../../core/budgets/limits.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';

/** A key without its secret. */
export const KeyObject = namedObject('Key', {
  id: Type.String({ description: 'The id of the key, `key_…`. It is not a secret' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  kind: oneOf(Object.keys(KEY_KINDS) as KeyKind[], {
    description: 'The kind of the key, which decides its permissions. The prefix of the key shows it too',
  }),
  wallet_id: nullable(Type.String({ description: 'The wallet of an access key, `wal_…`; null for a key of the account' })),
  user_label: Type.String({ description: 'The label that the caller gave the key' }),
  hint: Type.String({ description: 'The prefix and the last four characters; a public identifier in full' }),
  status: oneOf(SECRET_STATUSES, { description: 'Only an `active` key is accepted' }),
  expires_at: nullable(Type.Integer({ description: 'Unix seconds; null when the key does not expire' })),
  revoked_at: nullable(Type.Integer({ description: 'Unix seconds; null when the key is not revoked' })),
  replaced_by: nullable(Type.String({ description: 'The id of the key that a rotation created in its place; null otherwise' })),
  last_used_at: nullable(
    Type.Integer({
      description:
        'The time of the last request that was authenticated with the key, in Unix seconds; up to a minute late. Null if there ' +
        'was none, and always null for the public keys in links',
    }),
  ),
  budget_msat: nullable(
    Type.Integer({ description: 'The millisatoshis that payments with the key may cost in one period; null without a budget' }),
  ),
  budget_period: nullable(
    oneOf(BUDGET_PERIODS, { description: 'Calendar periods in UTC; a week begins on Monday. Null without a budget' }),
  ),
  budget_spent_msat: nullable(Type.Integer({ description: 'Millisatoshis spent in the current period, with fees; null without a budget' })),
  budget_pending_msat: nullable(
    Type.Integer({ description: 'Millisatoshis reserved for payments in flight: amounts and fee limits. Null without a budget' }),
  ),
  max_payment_msat: nullable(
    Type.Integer({ description: 'The millisatoshis that one payment may cost, with its fee; null without such a limit' }),
  ),
  max_out_day_msat: nullable(
    Type.Integer({ description: 'The millisatoshis that the key may send per day (UTC), without fees; null: no limit' }),
  ),
  max_out_month_msat: nullable(
    Type.Integer({ description: 'The millisatoshis that the key may send per month (UTC), without fees; null: no limit' }),
  ),
  max_payments_per_minute: nullable(
    Type.Integer({ description: 'The payments and transfers that may be started with the key per minute; null: no limit' }),
  ),
  max_pending: nullable(Type.Integer({ description: 'The payments with the key that may be pending; null: no limit' })),
  out_day_msat: nullable(
    Type.Integer({
      description: 'What counts against `max_out_day_msat` now, with pending payments; null without any of these four limits',
    }),
  ),
  out_month_msat: nullable(
    Type.Integer({
      description: 'What counts against `max_out_month_msat` now, with pending payments; null without any of these four limits',
    }),
  ),
  payments_this_minute: nullable(
    Type.Integer({ description: 'The payments and transfers of the present minute; null without any of these four limits' }),
  ),
  pending_payments: nullable(Type.Integer({ description: 'The pending payments; null without any of these four limits' })),
});

/** A key with what it has paid. */
export const KeyDetails = namedObject('KeyDetails', {
  ...KeyObject.properties,
  num_paid: nullable(
    Type.Integer({
      description:
        'The number of settled payments and transfers made with this key, or with a key that it replaced or that replaced it. Null above 10,000. ' +
        'Payments made before the service recorded keys are not counted',
    }),
  ),
  paid_msat: nullable(
    Type.Integer({ description: 'The sum of these payments and transfers in millisatoshis, without fees. Null if `num_paid` is null' }),
  ),
});

export const NewKeyObject = namedObject('NewKey', {
  ...KeyObject.properties,
  key: Type.String({ description: 'The key itself. Only this response contains it: the service stores its hash' }),
  lndhub_link: nullable(
    Type.String({
      description:
        'The link with which wallet apps use the key, as text or as a QR code (LNDhub). It contains the key. Null for a key of the account, and ' +
        'unless the service has LNDHUB=true',
    }),
  ),
});
