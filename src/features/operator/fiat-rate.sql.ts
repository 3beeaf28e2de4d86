import { statement } from '../../core/db/statement.ts';

export type FiatRateRow = {
  currency: string | null;
  per_btc: string | null;
  set_at: number;
};

const RATE = 'SELECT currency, per_btc, set_at FROM fiat_rate';

export const findRate = statement<FiatRateRow>('fiat_rate_find', `${RATE} ORDER BY number DESC LIMIT 1`);

export const findChange = statement<FiatRateRow>('fiat_rate_find_change', `${RATE} WHERE id = $1`);

export const insertChange = statement(
  'fiat_rate_insert',
  'INSERT INTO fiat_rate (id, currency, per_btc, set_at, set_by) VALUES ($1, $2, $3, $4, $5)',
);
