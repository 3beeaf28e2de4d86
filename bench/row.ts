import type { Run } from './run.ts';

/** The goal of a row and its minimum (`floor`). If the goal is smaller than the floor, the value is a cost: smaller is better. */
export interface Target {
  readonly goal: number;
  readonly floor: number;
}

/** One row of the benchmark. A row sets up its data and removes it afterwards. */
export interface Row {
  readonly name: string;
  /** The meaning of the value, in one phrase. */
  readonly meaning: string;
  /** The unit of the sides. With only one side it is also the unit of the value. */
  readonly unit: string;
  readonly target?: Target;
  /** @throws Skipped when this machine lacks what the row needs. */
  measure(run: Run): Promise<readonly Figure[]>;
}

/** One side of a row: the median of its rounds, and the spread, (maximum - minimum) / median. */
export interface Figure {
  readonly name: string;
  readonly median: number;
  readonly spread: number;
}

/** The row cannot be measured on this machine. The message contains the missing requirement. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Returns the first side divided by the second, or the only side. */
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
