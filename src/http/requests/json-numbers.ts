import { isJsonObject } from '../../core/kernel/json.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { shownName } from '../field-schema.ts';

/** Every number that JavaScript changes has 16 digits or an exponent. Other texts are not parsed a second time. */
const SUSPECT = /\d(?:\.?\d){15}|\d[eE]/;

/** A number that is not what its text says, in place of it. */
class Inexact {}

/**
 * Returns the path of the first number in a JSON text that JavaScript would change, such as `passThru.order`; undefined if there is none. Numbers
 * above 2^53 are changed. `isField`: whether the fields of the text itself have schemas, which reject numbers that are too large.
 */
export function inexactNumber(text: string, isField: (path: readonly string[]) => boolean = () => false): string | undefined {
  if (!SUSPECT.test(text)) return undefined;
  // TypeScript does not know the third parameter of the function, which has the text of the number.
  const mark = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && !isExact(context.source, value) ? new Inexact() : value;
  const path = findInexact(parseMarked(text, mark), isField);
  const names = path?.map((name) => shownName(name).slice(1, -1));
  return names?.reduce((shown, name) => (/^\d+$/.test(name) ? `${shown}[${name}]` : shown === '' ? name : `${shown}.${name}`), '');
}

/** Returns undefined for a text that nests deeper than a reviver can go, which the schemas reject with the name of its field. */
function parseMarked(text: string, mark: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, mark);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The path is that of {@link inexactNumber}. */
export function inexactRefusal(path: string): Refusal {
  return new Refusal(
    'validation_failed',
    `\`${path}\` must be a number that stays the same: from -(2^53 - 1) to 2^53 - 1, with at most 17 digits. Send it as text.`,
  );
}

function findInexact(value: unknown, isField: (path: readonly string[]) => boolean): readonly string[] | undefined {
  const waiting: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value, path: [] }];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    const { value: found, path } = one;
    if (found instanceof Inexact) {
      if (!isField(path)) return path;
    } else if (Array.isArray(found) || isJsonObject(found))
      for (const [name, inner] of Object.entries(found)) waiting.push({ value: inner, path: [...path, name] });
  }
  return undefined;
}

function isExact(source: string, value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && canonical(source) === canonical(String(value));
}

/** Returns the digits without zeros around them, and the exponent of the last one. */
function canonical(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}
