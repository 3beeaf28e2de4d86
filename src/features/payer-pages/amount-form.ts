import { type FiatAmount, minorDigits, PRICE_PATTERN, parseDecimal, priceToMsat } from '../../core/kernel/fiat.ts';
import { MAX_MSAT } from '../../core/kernel/money.ts';
import type { CurrencyState } from '../../core/rates/rates.ts';
import type { PayPage } from '../lnurl/pay/pay-requests.ts';
import { decimalMark, satsText } from './format.ts';
import type { PayerTexts } from './language.ts';

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
  texts: PayerTexts,
  page: PayPage,
  rates: readonly ValidRate[],
  { amount = '', currency = 'sats' }: FilledForm['values'],
): ReadAmount | string {
  const fixed = fixedAmount(page);
  if (fixed !== undefined) return { amountMsat: fixed };
  if (amount.trim() === '') return texts.enterAmount;
  const read = currency === 'sats' ? readSats(texts, amount) : readPrice(texts, rates, amount, currency);
  if (typeof read === 'string') return read;
  const { minMsat, maxMsat } = limitsOf(page);
  if (read.amountMsat >= minMsat && read.amountMsat <= maxMsat) return read;
  return texts.outOfRange(satsText(texts, minMsat), satsText(texts, maxMsat));
}

/** With or without groups of three digits. */
const SATS = /^(\d{1,16}|\d{1,3}([ ,.'’\u00a0\u2009\u202f]\d{3}){1,5})$/;

function readSats(texts: PayerTexts, text: string): ReadAmount | string {
  const sats = SATS.test(text.trim()) ? Number(text.replaceAll(/\D/g, '')) : Number.NaN;
  return sats * 1000 <= MAX_MSAT ? { amountMsat: sats * 1000 } : texts.notWhole;
}

function readPrice(texts: PayerTexts, rates: readonly ValidRate[], text: string, currency: string): ReadAmount | string {
  const rate = rates.find((one) => one.currency === currency)?.rate;
  if (!rate) return texts.noRate;
  const mark = decimalMark(texts);
  const amount = decimalOf(text, minorDigits(currency), mark);
  if (amount === undefined) return texts.badPrice(minorDigits(currency) === 0 ? '500' : `4${mark}50`);
  const amountMsat = priceToMsat({ amount, currency }, rate.rate);
  return amountMsat === undefined ? texts.tooLarge : { amountMsat, fiat: { amount, ...rate } };
}

/** One mark in front of three digits, which may group them or begin decimals. */
const AMBIGUOUS = /^[1-9]\d{0,2}([.,])\d{3}$/;

/**
 * Returns decimal text with a point and the minor digits of the currency at most; undefined if the text is something else, or could be read in two
 * ways. `mark` is that of the language.
 */
function decimalOf(text: string, digits: number, mark: string): string | undefined {
  const typed = text
    .trim()
    .replaceAll(/(?<=\d)[ '’\u00a0\u2009\u202f](?=\d{3})/g, '')
    .replace(/^0+(?=\d)/, '');
  if ((AMBIGUOUS.exec(typed)?.[1] ?? mark) !== mark) return undefined;
  const plain = typed.replace(',', '.');
  return new RegExp(PRICE_PATTERN).test(plain) && parseDecimal(plain, digits) !== undefined ? plain : undefined;
}
