import { type BitcoinRate, type FiatAmount, msatToPrice, parseDecimal, priceToMsat } from '../../../core/kernel/fiat.ts';
import { MAX_MSAT, type Msat } from '../../../core/kernel/money.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Rates } from '../../../core/rates/rates.ts';
import { requirePrice } from '../../../http/amounts.ts';
import type { LinkSettings } from './pay-links.sql.ts';

/** The limits of a link in a currency, as a request states them. An empty currency removes them. */
interface RequestedPrices {
  readonly currency?: string;
  /** The price: the smallest and the largest payment. */
  readonly amount?: string;
  readonly min_amount?: string;
  readonly max_amount?: string;
}

type StoredPrices = Pick<LinkSettings, 'currency' | 'min_amount' | 'max_amount'>;

const NO_PRICES: StoredPrices = { currency: null, min_amount: null, max_amount: null };

/** More than the minor digits of any currency. */
const COMPARED_DECIMALS = 4;

/** Returns the limits in a currency that a request sets; undefined if it names none. @throws Refusal naming the field */
export function readLinkPrices(
  rates: Pick<Rates, 'requireConfigured'>,
  { currency, amount, min_amount, max_amount }: RequestedPrices,
): StoredPrices | undefined {
  const given = [amount, min_amount, max_amount].filter((one) => one !== undefined);
  if (currency === undefined && given.length === 0) return undefined;
  if (currency === '' && given.length === 0) return NO_PRICES;
  const [min, max] = amount === undefined ? [min_amount, max_amount] : [amount, amount];
  const isWhole = amount === undefined ? given.length === 2 : given.length === 1;
  if (!currency || min === undefined || max === undefined || !isWhole)
    throw new Refusal('validation_failed', '`currency` must be sent with `amount`, or with `min_amount` and `max_amount`.');
  requirePrice(rates, { amount: min, currency }, amount === undefined ? 'min_amount' : 'amount');
  requirePrice(rates, { amount: max, currency }, 'max_amount');
  if ((parseDecimal(min, COMPARED_DECIMALS) ?? 0n) > (parseDecimal(max, COMPARED_DECIMALS) ?? 0n))
    throw new Refusal('validation_failed', '`min_amount` must not exceed `max_amount`.');
  return { currency, min_amount: min, max_amount: max };
}

type LimitedLink = Pick<LinkSettings, 'min_msat' | 'max_msat'> & StoredPrices;

/** The smallest and the largest payment, and the rate that converted them if they are in a currency. */
export interface PayLimits {
  readonly minMsat: number;
  readonly maxMsat: number;
  readonly rate?: BitcoinRate;
}

/**
 * Returns the limits of a link: those at the present rate, then those at the rate before it, which a payer may have seen. Limits in a currency
 * round up like amounts. @throws Refusal `rate_unavailable`
 */
export async function payLimits(rates: Rates, link: LimitedLink): Promise<[PayLimits, ...PayLimits[]]> {
  const { currency, min_amount, max_amount, min_msat, max_msat } = link;
  if (currency === null || min_amount === null || max_amount === null) return [{ minMsat: min_msat, maxMsat: max_msat }];
  const limitsAt = (rate: BitcoinRate): PayLimits => ({
    minMsat: priceToMsat({ amount: min_amount, currency }, rate.rate) ?? MAX_MSAT,
    maxMsat: priceToMsat({ amount: max_amount, currency }, rate.rate) ?? MAX_MSAT,
    rate,
  });
  const [present, ...earlier] = await rates.validRates(currency);
  return [limitsAt(present), ...earlier.map(limitsAt)];
}

/** Checks the amount of a payer. @returns its price if the limits are in a currency @throws Refusal */
export function requireWithinLimits([present, ...earlier]: readonly [PayLimits, ...PayLimits[]], amountMsat: Msat): FiatAmount | undefined {
  const limits = [present, ...earlier].find(({ minMsat, maxMsat }) => amountMsat >= minMsat && amountMsat <= maxMsat);
  if (!limits) throw new Refusal('validation_failed', `\`amount\` must be from ${present.minMsat} to ${present.maxMsat} millisatoshis.`);
  const { rate } = limits;
  return rate && { amount: msatToPrice(amountMsat, rate.currency, rate.rate), ...rate };
}
