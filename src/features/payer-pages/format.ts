import { minorDigits } from '../../core/kernel/fiat.ts';
import { groupedDigits, shownText } from '../../core/kernel/shown-text.ts';
import { type Html, html } from '../../http/pages/html.ts';
import type { PayerTexts } from './language.ts';

const marks = new Map<string, string>();

/** Returns what a language has in front of decimals: a point or a comma. */
export function decimalMark({ locale }: PayerTexts): string {
  const mark = marks.get(locale) ?? (1.1).toLocaleString(locale).charAt(1);
  marks.set(locale, mark);
  return mark;
}

/** Returns decimal text with its digits in groups. */
export function groupedDecimal(texts: PayerTexts, text: string): string {
  const [whole = '', fraction] = text.split('.');
  return fraction === undefined ? groupedDigits(whole) : groupedDigits(whole) + decimalMark(texts) + fraction;
}

/** Returns an amount in satoshis without the unit: exact, with up to three decimals. */
export function satDigits(texts: PayerTexts, amountMsat: number): string {
  const rest = amountMsat % 1000;
  const fraction = rest === 0 ? '' : decimalMark(texts) + String(rest).padStart(3, '0').replace(/0+$/, '');
  return `${groupedDigits(String(Math.floor(amountMsat / 1000)))}${fraction}`;
}

export function satsText(texts: PayerTexts, amountMsat: number): string {
  return `${satDigits(texts, amountMsat)} ${amountMsat === 1000 ? 'sat' : 'sats'}`;
}

/** Returns a price with the minor digits of its currency at least. */
export function priceText(texts: PayerTexts, { amount, currency }: { readonly amount: string; readonly currency: string }): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const digits = fraction.padEnd(minorDigits(currency), '0');
  return `${groupedDecimal(texts, digits === '' ? whole : `${whole}.${digits}`)} ${currency}`;
}

/** Longer than any text of a link or an invoice. */
const MAX_TEXT = 2000;

/** A text of a person, isolated from the text around it and without characters that are invisible or change its direction. */
export function foreign(text: string): Html {
  return html`<bdi>${shownText(text, MAX_TEXT)}</bdi>`;
}

const UNITS = [
  [86_400, 'days'],
  [3600, 'hours'],
  [60, 'minutes'],
] as const;

/** Returns a length of time in its largest unit. */
export function durationText(texts: PayerTexts, seconds: number): string {
  const [length, unit] = UNITS.find(([one]) => seconds >= one) ?? ([1, 'seconds'] as const);
  return texts[unit](Math.max(0, Math.floor(seconds / length)));
}

/** A time in UTC. A browser with scripts shows it in its own zone; without seconds if it is short. */
export function timeOf({ locale }: PayerTexts, unixSeconds: number, { isShort = false } = {}): Html {
  const date = new Date(unixSeconds * 1000);
  const text = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' }).format(date);
  return html`<time datetime="${date.toISOString()}"${isShort ? html` data-short` : undefined}>${text} UTC</time>`;
}
