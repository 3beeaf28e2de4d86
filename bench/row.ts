import type { Run } from './run.ts';

/** What a row should reach, and what it must never go below. Of a cost, the goal is the smaller one. */
export interface Target {
  readonly goal: number;
  readonly floor: number;
}

/** One line of the benchmark. Each makes what it needs, and cleans it up. */
export interface Row {
  readonly name: string;
  /** What the value says, in one sentence. */
  readonly meaning: string;
  /** The unit of the sides; of the value too when there is only one side. */
  readonly unit: string;
  readonly target?: Target;
  /** @throws Skipped when this machine lacks what the row needs. */
  measure(run: Run): Promise<readonly Figure[]>;
}

/** One side of a row: the median of its rounds, and the distance between their extremes as a share of it. */
export interface Figure {
  readonly name: string;
  readonly median: number;
  readonly spread: number;
}

/** The row cannot be measured here; the message says what is missing. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** The first side ÷ the second; of a single side, the side itself. */
export function rowValue([first, second]: readonly Figure[]): number {
  if (!first) return Number.NaN;
  return second ? first.median / second.median : first.median;
}

export type Verdict = 'goal reached' | 'below its goal' | 'BELOW ITS FLOOR';

export function judge(value: number, { goal, floor }: Target): Verdict {
  const isCost = goal < floor;
  const reaches = (mark: number) => (isCost ? value <= mark : value >= mark);
  if (reaches(goal)) return 'goal reached';
  return reaches(floor) ? 'below its goal' : 'BELOW ITS FLOOR';
}
