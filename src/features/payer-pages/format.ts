import { minorDigits } from '../../core/kernel/fiat.ts';
import { shownText } from '../../core/kernel/shown-text.ts';
import { type Html, html } from '../../http/pages/html.ts';

/** Separates groups of digits. Lines do not break at it. */
const NARROW_SPACE = '\u202f';

function grouped(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
}

/** Returns decimal text with its digits in groups. */
export function groupedDecimal(text: string): string {
  const [whole = '', fraction] = text.split('.');
  return fraction === undefined ? grouped(whole) : `${grouped(whole)}.${fraction}`;
}

/** Returns an amount in satoshis without the unit: exact, with up to three decimals. */
export function satDigits(amountMsat: number): string {
  const rest = amountMsat % 1000;
  const fraction = rest === 0 ? '' : `.${String(rest).padStart(3, '0').replace(/0+$/, '')}`;
  return `${grouped(String(Math.floor(amountMsat / 1000)))}${fraction}`;
}

export function satsText(amountMsat: number): string {
  return `${satDigits(amountMsat)} ${amountMsat === 1000 ? 'sat' : 'sats'}`;
}

/** Returns a price with the minor digits of its currency at least. */
export function priceText({ amount, currency }: { readonly amount: string; readonly currency: string }): string {
  const [whole = '', fraction = ''] = amount.split('.');
  const digits = fraction.padEnd(minorDigits(currency), '0');
  return `${groupedDecimal(digits === '' ? whole : `${whole}.${digits}`)} ${currency}`;
}

/** Longer than any text of a link or an invoice. */
const MAX_TEXT = 2000;

/** A text of a person, isolated from the text around it and without characters that are invisible or change its direction. */
export function foreign(text: string): Html {
  return html`<bdi>${shownText(text, MAX_TEXT)}</bdi>`;
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

/** Returns a length of time in its largest unit. */
export function durationText(seconds: number): string {
  const [length, unit] = UNITS.find(([one]) => seconds >= one) ?? [1, 's'];
  return `${Math.max(0, Math.floor(seconds / length))} ${unit}`;
}

const TIME = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' });

/** A time in UTC. A browser with scripts shows it in its own zone; without seconds if it is short. */
export function timeOf(unixSeconds: number, { isShort = false } = {}): Html {
  const date = new Date(unixSeconds * 1000);
  return html`<time datetime="${date.toISOString()}"${isShort ? html` data-short` : undefined}>${TIME.format(date)} UTC</time>`;
}
