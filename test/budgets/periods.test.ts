import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type BudgetPeriod, periodEnd, periodStart } from '../../src/core/budgets/limits.ts';

const seconds = (iso: string) => Date.parse(iso) / 1000;

it.each<[BudgetPeriod, at: string, start: string]>([
  ['day', '2026-03-01T00:00:00Z', '2026-03-01T00:00:00Z'],
  ['day', '2026-03-01T23:59:59Z', '2026-03-01T00:00:00Z'],
  ['week', '2026-03-02T00:00:00Z', '2026-03-02T00:00:00Z'],
  ['week', '2026-03-01T23:59:59Z', '2026-02-23T00:00:00Z'],
  ['week', '2027-01-01T12:00:00Z', '2026-12-28T00:00:00Z'],
  ['month', '2024-02-29T23:59:59Z', '2024-02-01T00:00:00Z'],
  ['month', '2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z'],
  ['ever', '2026-12-31T23:59:59Z', '1970-01-01T00:00:00Z'],
])('the %s of %s began at %s, in UTC', (period, at, start) => {
  expect(new Date(periodStart(period, seconds(at)) * 1000).toISOString()).toBe(new Date(start).toISOString());
});

it('assigns every time to the period that started last, and a start to its own period', () => {
  const [least, most] = [seconds('1970-02-01T00:00:00Z'), seconds('2200-01-01T00:00:00Z')];
  const longest = { day: 86_400, week: 7 * 86_400, month: 31 * 86_400 };
  fc.assert(
    fc.property(fc.integer({ min: least, max: most }), fc.constantFrom('day', 'week', 'month'), (now, period) => {
      const start = periodStart(period, now);
      expect(now - start).toBeGreaterThanOrEqual(0);
      expect(now - start).toBeLessThan(longest[period]);
      expect(periodStart(period, start)).toBe(start);
      expect(periodStart(period, start - 1)).toBeLessThan(start);
      const end = periodEnd(period, now);
      expect(end).toBeGreaterThan(now);
      expect([periodStart(period, end - 1), periodStart(period, end)]).toEqual([start, end]);
    }),
  );
});
