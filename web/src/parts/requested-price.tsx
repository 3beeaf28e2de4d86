import { t } from '../texts/texts.ts';
import { groupDecimal } from './decimal.ts';
import { formatExactTime } from './format-time.ts';

/** The fields of an amount that was requested in a currency. */
interface Priced {
  readonly amount?: string;
  readonly currency?: string;
  readonly rate?: string;
  readonly rate_at?: number;
  readonly rate_source?: string;
}

/**
 * Returns what an object was requested for in a currency, or undefined if it was not. The tooltip has the rate, its source and its time, once the
 * amount was converted.
 */
export function requestedPrice(priced: Priced = {}) {
  const { amount, currency } = priced;
  if (amount === undefined) return undefined;
  return (
    <span class="fiat" title={rateOf(priced)}>
      <span class="amount-text">
        {groupDecimal(amount)} {currency}
      </span>
    </span>
  );
}

/** Returns the rate of a requested price with its source and time; undefined before it was converted. */
export function rateOf({ currency, rate, rate_at, rate_source }: Priced): string | undefined {
  if (rate === undefined || rate_at === undefined) return undefined;
  return t.common.requestedAt(`${groupDecimal(rate)} ${currency}`, rate_source ?? '', formatExactTime(rate_at * 1000));
}
