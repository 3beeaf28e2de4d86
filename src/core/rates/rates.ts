import type { Alerts } from '../alerts/alerts.ts';
import type { Database } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { type BitcoinRate, type FiatAmount, type Price, priceToMsat } from '../kernel/fiat.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Outbound } from '../outbound/outbound.ts';
import type { RateProvider } from './providers.ts';
import * as sql from './rates.sql.ts';
import { createRefresh } from './refresh.ts';

export { parseCurrencies, parseRateProviders } from './providers.ts';

/** The settings of fiat amounts. */
export interface FiatSettings {
  readonly providers: readonly RateProvider[];
  readonly currencies: readonly string[];
  readonly refreshSeconds: number;
  /** The age after which a rate is stale: no amount is converted with it. */
  readonly maxAgeSeconds: number;
}

export interface RatesOptions {
  readonly database: Database;
  readonly alerts: Alerts;
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly fiat: FiatSettings;
  /** The time for the response of a provider. */
  readonly timeoutMs?: number | undefined;
}

/** The state of a configured currency. */
export interface CurrencyState {
  readonly currency: string;
  /** The last accepted rate; undefined before the first one. */
  readonly rate: BitcoinRate | undefined;
  /** `stale`: too old to convert amounts. `missing`: there was none yet. */
  readonly status: 'valid' | 'stale' | 'missing';
}

/** An amount that was converted. */
export interface ConvertedPrice {
  readonly amountMsat: Msat;
  readonly fiat: FiatAmount;
}

const TIMEOUT_MS = 10_000;

export type Rates = ReturnType<typeof createRates>;

/** Converts the amounts of a request. */
export type Converter = Pick<Rates, 'requireConfigured' | 'convert'>;

/** The rates of bitcoin in the configured currencies. One instance refreshes them; all read them from the database. */
export function createRates({ database, alerts, outbound, clock, fiat, timeoutMs = TIMEOUT_MS }: RatesOptions) {
  const { providers, currencies, maxAgeSeconds } = fiat;
  const nowSeconds = () => unixSeconds(clock);
  const refresh = createRefresh({ database, alerts, outbound, providers, currencies, maxAgeSeconds, timeoutMs, nowSeconds });

  /** The clock may have been set: a rate from the far future counts as old, too. */
  function isValid({ rate_at }: BitcoinRate): boolean {
    return Math.abs(nowSeconds() - rate_at) <= maxAgeSeconds;
  }

  function stateOf(currency: string, row: sql.MarketRateRow | undefined): CurrencyState {
    const rate = row && rateOf(currency, row.rate, row.rate_at, row.rate_source);
    return { currency, rate, status: rate === undefined ? 'missing' : isValid(rate) ? 'valid' : 'stale' };
  }

  /** Returns the valid rate of a currency, and the one before it if that is valid, too. */
  async function validRates(currency: string): Promise<[BitcoinRate, ...BitcoinRate[]]> {
    // The operator may have removed a currency that pay links have.
    if (!currencies.includes(currency)) throw unavailable(currency);
    const row = await database.first(sql.find, currency);
    const { rate, status } = stateOf(currency, row);
    if (status !== 'valid' || rate === undefined) throw unavailable(currency);
    const earlier = row && rateOf(currency, row.earlier_rate, row.earlier_at, row.earlier_source);
    return earlier && isValid(earlier) ? [rate, earlier] : [rate];
  }

  /** @throws Refusal for a currency without rates */
  function requireConfigured(currency: string): void {
    if (currencies.includes(currency)) return;
    throw new Refusal(
      'validation_failed',
      currencies.length === 0
        ? '`currency` must be left out: this service has no rates. Its operator can set FIAT_RATES.'
        : `\`currency\` must be one of ${currencies.join(', ')}.`,
    );
  }

  return {
    /** The configured currencies. */
    currencies,
    requireConfigured,
    validRates,

    /** Requests all rates once. */
    refresh,

    /** Returns the states of all configured currencies. */
    async list(): Promise<CurrencyState[]> {
      const rows = currencies.length === 0 ? [] : await database.all(sql.list);
      return currencies.map((currency) =>
        stateOf(
          currency,
          rows.find((row) => row.currency === currency),
        ),
      );
    },

    /** Converts an amount at the valid rate. @throws Refusal `rate_unavailable`, `validation_failed` */
    convert: async (price: Price): Promise<ConvertedPrice> => converted(price, await validRates(price.currency)),

    /** Returns a converter for the amounts of one request. It reads each rate once, when the first amount is converted, so all amounts have the same rate. */
    oneRate() {
      const read = new Map<string, ReturnType<typeof validRates>>();
      return {
        requireConfigured,
        async convert(price: Price): Promise<ConvertedPrice> {
          const found = read.get(price.currency) ?? validRates(price.currency);
          read.set(price.currency, found);
          return converted(price, await found);
        },
      };
    },
  };
}

/** @throws Refusal for a price that is worth more than any amount */
function converted(price: Price, [rate]: readonly [BitcoinRate, ...BitcoinRate[]]): ConvertedPrice {
  const amountMsat = priceToMsat(price, rate.rate);
  if (amountMsat === undefined) throw new Refusal('validation_failed', '`amount` must be worth at most 2^53 - 1 millisatoshis.');
  return { amountMsat, fiat: { amount: price.amount, ...rate } };
}

function rateOf(currency: string, rate: string | null, rateAt: number | null, source: string | null): BitcoinRate | undefined {
  return rate === null || rateAt === null || source === null ? undefined : { currency, rate, rate_at: rateAt, rate_source: source };
}

function unavailable(currency: string): Refusal {
  return new Refusal(
    'rate_unavailable',
    `There is no valid rate of ${currency} now. Nothing was created or paid. Try again later, or send the amount in \`num_satoshis\`.`,
  );
}
