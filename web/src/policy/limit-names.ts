/** The limits of the API, in the order in which they are shown. */
export const LIMIT_NAMES = [
  'max_payment_msat',
  'max_out_day_msat',
  'max_out_month_msat',
  'max_payments_per_minute',
  'max_pending',
  'max_receive_msat',
  'max_balance_msat',
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];
