import { Type } from 'typebox';
import { type FiatAmount, isCurrency, minorDigits, PRICE_PATTERN, type Price, parseDecimal } from '../core/kernel/fiat.ts';
import { type AmountUnit, type Msat, msat, satToMsat } from '../core/kernel/money.ts';
import { Refusal } from '../core/kernel/refusal.ts';
import type { Converter } from '../core/rates/rates.ts';
import { described, NumSatoshis, PositiveMsat } from './fields.ts';

/** The fields of an amount: every request that moves money accepts one of them. */
export const AMOUNT = {
  num_satoshis: Type.Optional(described(NumSatoshis, 'The amount in whole satoshis. Send it or `num_msat`')),
  num_msat: Type.Optional(described(PositiveMsat, 'The amount in millisatoshis, instead of `num_satoshis`')),
};

/** A decimal number above 0 as text. */
export const DecimalAmount = Type.String({
  pattern: PRICE_PATTERN,
  rule: 'a text with a decimal number above 0 such as 12.50',
  description: 'A decimal number above 0 as text',
});

const CURRENCY_RULE = 'an ISO 4217 code in capital letters, such as EUR';

/** A currency. {@link currencyCode} checks that it exists. */
export const Currency = Type.String({ pattern: '^[A-Z]{3}$', rule: CURRENCY_RULE, description: 'An ISO 4217 code in capital letters' });

/** The fields of an amount in a currency, for requests that also accept {@link AMOUNT}. */
export const FIAT_AMOUNT = {
  amount: Type.Optional(
    described(
      DecimalAmount,
      'The amount in `currency`, instead of `num_satoshis`: a decimal number as text, such as `"12.50"`, with at most the minor digits of the ' +
        'currency. It is converted at the rate of this moment (`GET /v1/rates`), rounded up to the next satoshi',
    ),
  ),
  currency: Type.Optional(described(Currency, 'The currency of `amount`: an ISO 4217 code, one of those of `GET /v1/rates`')),
};

/** The fields of an amount in a currency in responses. They are present only if the request stated the amount in a currency. */
export const FIAT_RESULT = {
  amount: Type.Optional(Type.String({ description: 'The amount in `currency`, as text. Only if it was requested in a currency' })),
  currency: Type.Optional(Type.String({ description: 'The ISO 4217 code of the currency of `amount`' })),
  rate: Type.Optional(Type.String({ description: 'The price of one bitcoin that converted `amount`, as decimal text' })),
  rate_at: Type.Optional(Type.Integer({ description: 'When the rate was read, in Unix seconds' })),
  rate_source: Type.Optional(Type.String({ description: 'The hosts of the providers that agreed on the rate, separated by spaces' })),
};

/** Returns the fields of {@link FIAT_RESULT} from their JSON text; none without it. */
export function fiatFields(fiat: string | null | undefined): Partial<FiatAmount> {
  return fiat == null ? {} : (JSON.parse(fiat) as FiatAmount);
}

/** The columns of {@link FIAT_RESULT} in CSV. */
export const FIAT_COLUMNS = ['amount', 'currency', 'rate', 'rate_at', 'rate_source'] as const;

/** Returns the cells of {@link FIAT_COLUMNS}, which are empty unless the amount was requested in a currency. */
export function fiatCells(fiat: string | null | undefined): (string | number)[] {
  const fields = fiatFields(fiat);
  return FIAT_COLUMNS.map((name) => fields[name] ?? '');
}

/** An amount of a request, with the field that contained it. */
export interface RequestedAmount {
  readonly amountMsat: Msat;
  readonly amountField: 'num_satoshis' | 'num_msat' | 'amt_msat' | 'amount';
  /** The unit of the field, in which errors name amounts. */
  readonly unit: AmountUnit;
  /** The amount in a currency that was converted. */
  readonly fiat?: FiatAmount | undefined;
}

type LightningField = Exclude<RequestedAmount['amountField'], 'amount'>;
type AmountFields = Partial<Record<LightningField, number>>;
type AnyAmountFields = AmountFields & Partial<Price>;

const MISSING = '`num_satoshis` is missing: it must be a whole number of satoshis, 1 or more. Or send `num_msat`.';

/** @throws Refusal for a request without an amount */
export function missingAmount(): never {
  throw new Refusal('validation_failed', MISSING);
}

/** Returns the amount of a request. @throws Refusal if it is given twice or, unless it is optional, not at all */
export function readAmount(fields: AmountFields): RequestedAmount {
  return optionalAmount(fields) ?? missingAmount();
}

/** The same for a request that needs no amount. */
export function optionalAmount(fields: AmountFields): RequestedAmount | undefined {
  const [given, second] = FIELDS.filter((field) => fields[field] !== undefined);
  if (given === undefined) return undefined;
  if (second !== undefined) throw sentTwice(given, second);
  const value = fields[given] ?? 0;
  const isSat = given === 'num_satoshis';
  return { amountField: given, amountMsat: isSat ? satToMsat(value) : msat(value), unit: isSat ? 'sat' : 'msat' };
}

const FIELDS = ['num_satoshis', 'num_msat', 'amt_msat'] as const;

function sentTwice(given: string, second: string): Refusal {
  return new Refusal('validation_failed', `Send either \`${given}\` or \`${second}\`, not both.`);
}

/**
 * Checks the amount of a request that may be in a currency, and returns a function that converts it. Call that inside the idempotent work: a
 * repeated request returns what the first one made, also if the rate has changed or there is none.
 * @throws Refusal
 */
export function readAnyAmount(rates: Converter, fields: AnyAmountFields): () => Promise<RequestedAmount> {
  return optionalAnyAmount(rates, fields) ?? missingAmount();
}

/** The same for a request that needs no amount. */
export function optionalAnyAmount(rates: Converter, fields: AnyAmountFields): (() => Promise<RequestedAmount>) | undefined {
  const { amount, currency } = fields;
  const lightning = optionalAmount(fields);
  if (amount === undefined && currency === undefined) return lightning && (async () => lightning);
  if (lightning) throw sentTwice(lightning.amountField, amount === undefined ? 'currency' : 'amount');
  if (amount === undefined || currency === undefined)
    throw new Refusal('validation_failed', '`amount` and `currency` must be sent together.');
  const price = { amount, currency };
  requirePrice(rates, price);
  return async () => ({ ...(await rates.convert(price)), amountField: 'amount', unit: 'sat' });
}

/** @throws Refusal for an unknown currency, or for more decimals than it has. `field`: the name of the amount in errors */
export function requirePrice(rates: Pick<Converter, 'requireConfigured'>, { amount, currency }: Price, field = 'amount'): void {
  rates.requireConfigured(currencyCode(currency));
  const digits = minorDigits(currency);
  if (parseDecimal(amount, digits) !== undefined) return;
  const rule = digits === 0 ? 'no decimals' : `at most ${digits} decimals`;
  throw new Refusal('validation_failed', `\`${field}\` must have ${rule}: ${currency} has ${digits} minor digits.`);
}

/** Returns the code of a currency that exists. @throws Refusal */
export function currencyCode(currency: string): string {
  if (isCurrency(currency)) return currency;
  throw new Refusal('validation_failed', `\`currency\` must be ${CURRENCY_RULE}.`);
}
