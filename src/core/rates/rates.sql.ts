import { statement } from '../db/statement.ts';

/** The state of a currency. Rates are decimal texts. */
export type MarketRateRow = {
  currency: string;
  /** The accepted rate; null before the first one. */
  rate: string | null;
  rate_at: number | null;
  rate_source: string | null;
  earlier_rate: string | null;
  earlier_at: number | null;
  earlier_source: string | null;
  candidate_rate: string | null;
  candidate_since: number | null;
  confirmations: number;
  /** When a majority or the operator last set the rate. */
  agreed_at: number | null;
  /** See majority-rates.ts. */
  majority_rates: string | null;
};

const COLUMNS = `currency, rate, rate_at, rate_source, earlier_rate, earlier_at, earlier_source, candidate_rate, candidate_since, confirmations,
  agreed_at, majority_rates`;

export const find = statement<MarketRateRow>('market_rate_find', `SELECT ${COLUMNS} FROM market_rate WHERE currency = $1`);

export const list = statement<MarketRateRow>('market_rate_list', `SELECT ${COLUMNS} FROM market_rate ORDER BY currency`);

/** Stores an accepted rate. The one before it becomes the earlier one. */
export const accept = statement(
  'market_rate_accept',
  `INSERT INTO market_rate (currency, rate, rate_at, rate_source, agreed_at, majority_rates) VALUES ($1, $2, $3, $4, $3, $5)
   ON CONFLICT (currency) DO UPDATE SET earlier_rate = market_rate.rate, earlier_at = market_rate.rate_at, earlier_source = market_rate.rate_source,
     rate = excluded.rate, rate_at = excluded.rate_at, rate_source = excluded.rate_source,
     agreed_at = excluded.agreed_at, majority_rates = excluded.majority_rates,
     candidate_rate = NULL, candidate_since = NULL, confirmations = 0`,
);

/** Keeps the rate, which a minority has confirmed. */
export const keep = statement(
  'market_rate_keep',
  'UPDATE market_rate SET rate_at = $2, candidate_rate = NULL, candidate_since = NULL, confirmations = 0 WHERE currency = $1',
);

/** Stores a rate that waits for confirmation. */
export const propose = statement(
  'market_rate_propose',
  `INSERT INTO market_rate (currency, candidate_rate, candidate_since, confirmations) VALUES ($1, $2, $3, $4)
   ON CONFLICT (currency) DO UPDATE SET candidate_rate = excluded.candidate_rate, candidate_since = excluded.candidate_since,
     confirmations = excluded.confirmations`,
);

/** Removes the candidate, because a refresh has not confirmed it. */
export const withdraw = statement(
  'market_rate_withdraw',
  'UPDATE market_rate SET candidate_rate = NULL, candidate_since = NULL, confirmations = 0 WHERE currency = $1 AND candidate_rate IS NOT NULL',
);
