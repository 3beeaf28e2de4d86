/** Control characters, and characters that are invisible or change the direction of the text around them. */
const UNSEEN = /[\p{Cc}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/** Returns a text of another service without unseen characters, cut to a number of characters. Line breaks become spaces unless kept. */
export function shownText(text: string, maxLength: number, { keepLines = false } = {}): string {
  // A character has at most two code units, so the rest cannot be shown.
  const wellFormed = text.slice(0, 2 * maxLength + 2).toWellFormed();
  const lines = keepLines ? wellFormed.split(/\r\n|\r|\n/) : [wellFormed];
  const characters = Array.from(lines.map((line) => line.replaceAll(UNSEEN, ' ').trim()).join('\n'));
  return characters.length > maxLength ? `${characters.slice(0, maxLength - 1).join('')}…` : characters.join('');
}

const MAX_REASON = 200;

/** Returns the reason of another service for an error message: at most 200 characters on one line, without markup. */
export function shownReason(reason: unknown): string {
  if (typeof reason !== 'string') return '';
  const bounded = reason.slice(0, 10 * MAX_REASON);
  const plain = bounded.replaceAll(/<[^<>]*>/g, ' ').replaceAll(/[<>]/g, ' ');
  return shownText(plain.replaceAll(UNSEEN, ' ').replaceAll(/\s+/g, ' '), MAX_REASON);
}

/** Separates groups of digits. Lines do not break at it. */
const NARROW_SPACE = '\u202f';

/** Groups digits in threes from their end: `1 284 530`. */
export function groupedDigits(digits: string): string {
  return digits.replaceAll(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
}
