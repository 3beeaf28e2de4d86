import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fractionOf, gridLines, groupDays, indexOfStep, ratioLines, stepsPath } from '../../web/src/parts/chart-scale.ts';

const PERIOD = { from: 100, to: 200 };

describe('the grid of a chart', () => {
  it('has four lines, from 0, with round numbers', () => {
    expect(gridLines(1_650_000)).toEqual([0, 600_000, 1_200_000, 1_800_000]);
    expect(gridLines(75_047_904)).toEqual([0, 30_000_000, 60_000_000, 90_000_000]);
    expect([0, 2, 10].map(gridLines)).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
      [0, 4, 8, 12],
    ]);
  });

  it('holds every balance, and no balance is squeezed into its lower half', () => {
    fc.assert(
      fc.property(fc.integer({ min: 4, max: 21e14 }), (max) => {
        const [zero, step = 0, , top = 0] = gridLines(max);
        expect(zero).toBe(0);
        expect(Number.isSafeInteger(step)).toBe(true);
        expect(top).toBeGreaterThanOrEqual(max);
        expect(top).toBeLessThanOrEqual(2 * max);
      }),
    );
  });
});

describe('the grid of a chart of ratios', () => {
  it('has 1 among its lines, and ends at 2, or at 3 for any larger ratio', () => {
    expect([0, 0.4, 2, 2.01, 3, 40].map((max) => ratioLines(max).at(-1))).toEqual([2, 2, 2, 3, 3, 3]);
    expect(ratioLines(40)).toEqual([0, 1, 2, 3]);
  });
});

describe('a chart of steps', () => {
  const points = [
    { at: 100, value: 10 },
    { at: 150, value: 30 },
    { at: 175, value: 0 },
  ];

  it('keeps a balance until it changes, and the last one until now', () => {
    expect(stepsPath(points, PERIOD, 40)).toBe('M0.00 75.00H50.00V25.00H75.00V100.00H100');
    expect(stepsPath([], PERIOD, 40)).toBe('');
  });

  it('reads out the balance at a time', () => {
    expect([90, 100, 149, 150, 200].map((at) => indexOfStep(points, at))).toEqual([0, 0, 0, 1, 2]);
  });

  it('has no place outside its edges, also for a period without length', () => {
    expect([0, 100, 125, 300].map((at) => fractionOf(at, PERIOD))).toEqual([0, 0, 0.25, 1]);
    expect(fractionOf(100, { from: 100, to: 100 })).toBe(0);
  });
});

describe('bars of several days', () => {
  const day = fc.record({ at: fc.nat(), in: fc.nat(1e9), out: fc.nat(1e9) });
  const sum = (days: readonly { in: number; out: number }[]) => ({
    in: days.reduce((total, one) => total + one.in, 0),
    out: days.reduce((total, one) => total + one.out, 0),
  });

  it('add up to the same amounts, in whole groups up to the last day', () => {
    fc.assert(
      fc.property(fc.array(day), fc.integer({ min: 1, max: 9 }), (days, size) => {
        const groups = groupDays(days, size);
        expect(groups).toHaveLength(Math.ceil(days.length / size));
        expect(sum(groups)).toEqual(sum(days));
        expect(groups.at(-1)?.at).toBe(days.at(-Math.min(size, days.length))?.at);
      }),
    );
  });
});
