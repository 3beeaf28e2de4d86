import { expect, it } from 'vitest';
import { timeText } from '../../src/core/kernel/clock.ts';
import { MAX_MSAT, satText } from '../../src/core/kernel/money.ts';

it.each([
  [0, '0 sat'],
  [1, '0.001 sat'],
  [500, '0.5 sat'],
  [1000, '1 sat'],
  [20_000, '20 sat'],
  [7_010, '7.01 sat'],
  [2_110_000, '2,110 sat'],
  [-1_500, '-1.5 sat'],
  [MAX_MSAT, '9,007,199,254,740.991 sat'],
])('%i msat is shown exactly, as %s', (amountMsat, text) => {
  expect(satText(amountMsat)).toBe(text);
});

it('a time is shown in UTC, to the second', () => {
  expect(timeText(Date.UTC(2026, 0, 31, 14, 5, 59) / 1000)).toBe('2026-01-31 14:05:59 UTC');
});
