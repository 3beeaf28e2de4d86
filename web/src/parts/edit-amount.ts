import { group, NARROW_SPACE } from '../texts/count.ts';

/** The text of a field, and what is selected in it. The caret is an empty selection. */
export interface Selected {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Returns the text of a field after a key of the number pad, with the place of the caret. The key writes over the selection, or at the caret; without
 * a key, the selection or the character in front of the caret is deleted. The digits of a number are in groups; other texts are not changed.
 */
export function editAmount(selected: Selected, key: string | undefined): { readonly text: string; readonly caret: number } {
  const plain = { text: ungroup(selected.text), start: plainIndex(selected, selected.start), end: plainIndex(selected, selected.end) };
  const start = key === undefined && plain.start === plain.end ? Math.max(0, plain.start - 1) : plain.start;
  const before = plain.text.slice(0, start) + (key ?? '');
  const text = groupNumber(before + plain.text.slice(plain.end));
  return { text, caret: indexAfter(text, before.length) };
}

function ungroup(text: string): string {
  return text.replaceAll(NARROW_SPACE, '');
}

function plainIndex({ text }: Selected, index: number): number {
  return ungroup(text.slice(0, index)).length;
}

/** Groups the digits in front of a decimal mark, or all of them. */
function groupNumber(text: string): string {
  const [, whole, rest = ''] = /^(\d+)([.,]\d*)?$/.exec(text) ?? [];
  return whole === undefined ? text : group(whole) + rest;
}

/** Returns the index right after a number of characters, without counting the spaces between groups. */
function indexAfter(text: string, count: number): number {
  let index = 0;
  for (let left = count; left > 0; index += 1) if (text[index] !== NARROW_SPACE) left -= 1;
  return index;
}
