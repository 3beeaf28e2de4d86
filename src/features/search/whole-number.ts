/** Digits, either ungrouped or in groups of three, with an optional sign and unit. */
const WHOLE = /^[+\-−]?\s?(?:(\d+)|(\d{1,3}(?:([\s.,'’])\d{3})(?:\3\d{3})*))(?:\s?sats?)?$/i;

/** Returns the number of satoshis in a searched text, without its sign; undefined if the text is not a whole number, or too large. */
export function readWholeNumber(text: string): number | undefined {
  const [, plain, grouped] = WHOLE.exec(text) ?? [];
  const digits = (plain ?? grouped ?? '').replaceAll(/\D/g, '');
  const value = digits === '' ? undefined : Number(digits);
  return value !== undefined && Number.isSafeInteger(value * 1000) ? value : undefined;
}
