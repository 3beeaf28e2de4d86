/** A value from `at` (Unix seconds) until the next point. */
export interface StepPoint {
  readonly at: number;
  readonly value: number;
}

/** A period of time, in Unix seconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Between the four lines of a grid that starts at 0. */
const INTERVALS = 3;
const ROUND_DIGITS = [1, 2, 3, 4, 5, 6, 8];

/** Returns the values of the four grid lines, from 0: round numbers, of which the last is at least `max`. */
export function gridLines(max: number): number[] {
  const step = gridStep(max);
  return Array.from({ length: INTERVALS + 1 }, (_, index) => index * step);
}

function gridStep(max: number): number {
  if (max <= INTERVALS) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(max / INTERVALS));
  return (ROUND_DIGITS.find((digit) => digit * magnitude * INTERVALS >= max) ?? 10) * magnitude;
}

/** The highest grid line of a chart of ratios. Larger ratios are drawn at this line. */
const TOP_RATIO = 3;

/** Returns the values of the grid lines of a chart of ratios, from 0: 1 is among them, and the last is 2 or 3. */
export function ratioLines(max: number): number[] {
  return Array.from({ length: (max <= 2 ? 2 : TOP_RATIO) + 1 }, (_, index) => index);
}

/** Returns where a time lies in a period: 0 at its start, 1 at its end. */
export function fractionOf(at: number, { from, to }: Period): number {
  return to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 0;
}

/** Returns the index of the point that holds at a time, or that of the first point. `points` are oldest first. */
export function indexOfStep(points: readonly StepPoint[], at: number): number {
  return Math.max(
    0,
    points.findLastIndex((point) => point.at <= at),
  );
}

/** Returns the path of an SVG of 100 × 100 that steps from point to point and ends at the end of the period. */
export function stepsPath(points: readonly StepPoint[], period: Period, top: number): string {
  const x = (at: number) => (fractionOf(at, period) * 100).toFixed(2);
  const y = (value: number) => (100 - (Math.max(0, value) / top) * 100).toFixed(2);
  return (
    points.map(({ at, value }, index) => (index === 0 ? `M${x(at)} ${y(value)}` : `H${x(at)}V${y(value)}`)).join('') +
    (points.length > 0 ? 'H100' : '')
  );
}

/** What came in and went out on a day, or in the days from it on. */
export interface BarsDay {
  /** The start of the day, in Unix seconds. */
  readonly at: number;
  /** Whole sats. */
  readonly in: number;
  readonly out: number;
}

/** Returns sums of `size` days each. The last group is whole, because the present is of most interest. */
export function groupDays(days: readonly BarsDay[], size: number): BarsDay[] {
  const groups: BarsDay[] = [];
  for (let end = days.length; end > 0; end -= size) {
    const group = days.slice(Math.max(0, end - size), end);
    const [first] = group;
    if (first) groups.unshift(group.slice(1).reduce((sum, day) => ({ at: sum.at, in: sum.in + day.in, out: sum.out + day.out }), first));
  }
  return groups;
}
