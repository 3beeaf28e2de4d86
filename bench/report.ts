import { cpus } from 'node:os';
import { type Figure, judge, type Row, rowValue, type Verdict } from './row.ts';

/** The result of a row: measured, skipped or failed. */
export interface Result {
  readonly row: string;
  readonly meaning: string;
  readonly unit: string;
  readonly sides: readonly Figure[];
  /** The first side divided by the second, or the only side. */
  readonly value?: number;
  readonly goal?: number;
  readonly floor?: number;
  readonly verdict?: Verdict;
  readonly skipped?: string;
  readonly failed?: string;
}

export function resultOf({ name, meaning, unit, target }: Row, sides: readonly Figure[]): Result {
  const value = rowValue(sides);
  return { row: name, meaning, unit, sides, value, ...target, ...(target && { verdict: judge(value, target) }) };
}

export function machine() {
  return {
    cpus: cpus().length,
    cpu: cpus()[0]?.model ?? 'unknown',
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
}

/** Formats one row with its sides. */
export function details({ row, meaning, unit, sides, value, skipped, failed }: Result): string {
  if (failed !== undefined) return `\n${row}: FAILED: ${failed}\n`;
  if (skipped !== undefined || value === undefined) return `\n${row}: skipped: ${skipped}\n`;
  const lines = sides.map(({ name, median, spread }) => {
    const around = spread > 0 ? `  spread ${(spread * 100).toFixed(0)} %` : '';
    return `  ${name.padEnd(34)} ${figure(median).padStart(10)} ${unit}${around}\n`;
  });
  return `\n${row}: ${figure(value)}: ${meaning}\n${lines.join('')}`;
}

/** Formats the summary table of all rows. */
export function table(results: readonly Result[]): string {
  const width = Math.max(...results.map(({ row }) => row.length));
  const head = `${'row'.padEnd(width)}  ${'value'.padStart(8)}  ${'goal'.padStart(8)}  ${'floor'.padStart(8)}`;
  return `\n${[head, ...results.map((result) => line(result, width))].join('\n')}\n`;
}

function line(result: Result, width: number): string {
  const { row, value, goal, floor, verdict, skipped, failed } = result;
  const sign = (goal ?? 0) < (floor ?? 0) ? '≤' : '≥';
  const mark = (mark: number | undefined) => (mark === undefined ? '' : `${sign} ${figure(mark)}`).padStart(8);
  const shown = value === undefined ? '–' : figure(value);
  const remark = failed !== undefined ? 'FAILED' : skipped !== undefined ? 'skipped' : (verdict ?? '');
  return `${row.padEnd(width)}  ${shown.padStart(8)}  ${mark(goal)}  ${mark(floor)}  ${remark}`.trimEnd();
}

function figure(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
