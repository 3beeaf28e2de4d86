import { type FiatAmount, minorDigits, PRICE_PATTERN, parseDecimal, priceToMsat } from '../../core/kernel/fiat.ts';
import { MAX_MSAT } from '../../core/kernel/money.ts';
import type { CurrencyState } from '../../core/rates/rates.ts';
import type { PayPage } from '../lnurl/pay/pay-requests.ts';
import { satsText } from './format.ts';

/** A currency that can be converted now. */
export type ValidRate = CurrencyState & { readonly rate: NonNullable<CurrencyState['rate']> };

/** What the payer sent, with the errors of the fields. */
export interface FilledForm {
  readonly values: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, string>>;
}

/** The amount of a form; undefined if it has an error. */
export interface ReadAmount {
  readonly amountMsat: number;
  readonly fiat?: FiatAmount | undefined;
}

/** The limits of a page in whole satoshis, which payers enter. */
export function limitsOf({ limits: [{ minMsat, maxMsat }] }: PayPage) {
  return { minMsat: Math.ceil(minMsat / 1000) * 1000, maxMsat: Math.floor(maxMsat / 1000) * 1000 };
}

/** Returns the price of a link that leaves no choice; undefined for any other link. */
export function fixedAmount(page: PayPage): number | undefined {
  const [{ minMsat, maxMsat }] = page.limits;
  return minMsat === maxMsat ? minMsat : undefined;
}

/** Reads the amount that a payer entered, in satoshis or in a currency. @returns a text if it is invalid */
export function readAmount(
  page: PayPage,
  rates: readonly ValidRate[],
  { amount = '', currency = 'sats' }: FilledForm['values'],
): ReadAmount | string {
  const fixed = fixedAmount(page);
  if (fixed !== undefined) return { amountMsat: fixed };
  if (amount.trim() === '') return 'Enter an amount.';
  const read = currency === 'sats' ? readSats(amount) : readPrice(rates, amount, currency);
  if (typeof read === 'string') return read;
  const { minMsat, maxMsat } = limitsOf(page);
  if (read.amountMsat >= minMsat && read.amountMsat <= maxMsat) return read;
  return `The amount must be from ${satsText(minMsat)} to ${satsText(maxMsat)}.`;
}

/** With or without groups of three digits. */
const SATS = /^(\d{1,16}|\d{1,3}([ ,.'’\u00a0\u2009\u202f]\d{3}){1,5})$/;

function readSats(text: string): ReadAmount | string {
  const sats = SATS.test(text.trim()) ? Number(text.replaceAll(/\D/g, '')) : Number.NaN;
  return sats * 1000 <= MAX_MSAT ? { amountMsat: sats * 1000 } : 'The amount must be a whole number of sats.';
}

function readPrice(rates: readonly ValidRate[], text: string, currency: string): ReadAmount | string {
  const rate = rates.find((one) => one.currency === currency)?.rate;
  if (!rate) return 'There is no rate of this currency now. Enter the amount in sats.';
  const amount = decimalOf(text, minorDigits(currency));
  if (amount === undefined) return `The amount must be a number such as ${minorDigits(currency) === 0 ? '500' : '4.50'}, above 0.`;
  const amountMsat = priceToMsat({ amount, currency }, rate.rate);
  return amountMsat === undefined ? 'The amount is too large.' : { amountMsat, fiat: { amount, ...rate } };
}

/** Returns decimal text with a point and the minor digits of the currency at most; undefined if the text is something else. */
function decimalOf(text: string, digits: number): string | undefined {
  const plain = text
    .trim()
    .replaceAll(/(?<=\d)[ '’\u00a0\u2009\u202f](?=\d{3})/g, '')
    .replace(',', '.')
    .replace(/^0+(?=\d)/, '');
  return new RegExp(PRICE_PATTERN).test(plain) && parseDecimal(plain, digits) !== undefined ? plain : undefined;
}
