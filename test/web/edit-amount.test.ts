import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editAmount } from '../../web/src/parts/edit-amount.ts';

/** Writes a text with `|` at the caret, or with two of them around the selection, and an underscore between groups of digits. */
function press(before: string, ...keys: (string | undefined)[]): string {
  const [first = '', second = '', third] = before.replaceAll('_', '\u202f').split('|');
  let selected = {
    text: first + second + (third ?? ''),
    start: first.length,
    end: first.length + (third === undefined ? 0 : second.length),
  };
  for (const key of keys) {
    const { text, caret } = editAmount(selected, key);
    selected = { text, start: caret, end: caret };
  }
  return `${selected.text.slice(0, selected.start)}|${selected.text.slice(selected.start)}`.replaceAll('\u202f', '_');
}

describe('the keys for amounts', () => {
  it('group the digits while they are written, and while they are deleted', () => {
    expect(press('|', '2', '1', '000')).toBe('21_000|');
    expect(press('21_000|', undefined)).toBe('2_100|');
    expect(press('2_100|', undefined, undefined)).toBe('21|');
    expect(press('|', undefined)).toBe('|');
  });

  it('keep the caret behind the digit that was written, and delete the digit in front of it, not a space', () => {
    expect(press('1|230', '9')).toBe('19|_230');
    expect(press('19|_230', '8')).toBe('198|_230');
    expect(press('198_|230', undefined)).toBe('19|_230');
    expect(press('|19_230', undefined)).toBe('|19_230');
  });

  it('write over the selection', () => {
    expect(press('|19_230|', '5')).toBe('5|');
    expect(press('1|9_2|30', undefined)).toBe('1|30');
  });

  it('group the whole part of a number with decimals, and change no other text', () => {
    expect(press('1234|', '.', '5')).toBe('1_234.5|');
    expect(press('1234|', ',', '5', '0')).toBe('1_234,50|');
    expect(press('1,234,567|', '0')).toBe('1,234,5670|');
    expect(press('abc|', '1')).toBe('abc1|');
  });

  it('write the same digits as without groups, wherever the caret is', () => {
    const key = fc.constantFrom('0', '7', '000', undefined);
    fc.assert(
      fc.property(fc.nat(1e9), fc.nat(12), fc.array(key, { maxLength: 6 }), (number, place, keys) => {
        const digits = String(number);
        let [text, caret] = [digits, Math.min(place, digits.length)];
        for (const one of keys) {
          const start = one === undefined ? Math.max(0, caret - 1) : caret;
          text = text.slice(0, start) + (one ?? '') + text.slice(caret);
          caret = start + (one ?? '').length;
        }
        const before = `${digits.slice(0, Math.min(place, digits.length))}|${digits.slice(Math.min(place, digits.length))}`;
        expect(press(before, ...keys).replaceAll('_', '')).toBe(`${text.slice(0, caret)}|${text.slice(caret)}`);
      }),
    );
  });
});
