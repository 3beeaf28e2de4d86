import type { Figure } from './row.ts';
import type { Run } from './run.ts';

/** One side of a comparison. `round` runs the work once and returns its speed or its duration. */
export interface Side {
  readonly name: string;
  round(): Promise<number>;
}

/**
 * Measures two sides in turns, so that other load on the machine affects both: one warm-up round each, then the run's rounds in
 * alternating order. Absolute figures depend on the machine. Only their ratio is compared with the targets.
 */
export async function compare(run: Run, first: Side, second: Side): Promise<readonly Figure[]> {
  const measured = new Map<Side, number[]>([
    [first, []],
    [second, []],
  ]);
  await first.round();
  await second.round();
  for (let round = 0; round < run.sizes.rounds; round++) {
    for (const side of round % 2 === 0 ? [first, second] : [second, first]) {
      run.progress(`round ${round + 1} of ${run.sizes.rounds}, ${side.name}`);
      measured.get(side)?.push(await side.round());
    }
  }
  return [...measured].map(([{ name }, values]) => figureOf(name, values));
}

export function figureOf(name: string, values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return { name, median, spread: ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) / median };
}

/** Runs `count` tasks, `concurrency` at a time. @returns tasks per second. */
export async function perSecond(count: number, concurrency: number, task: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (next < count) await task(next++);
    }),
  );
  return (count * 1000) / (performance.now() - start);
}

/** Runs tasks for `seconds`, `concurrency` at a time. @returns tasks per second. */
export async function perSecondFor(seconds: number, concurrency: number, task: (index: number) => Promise<unknown>): Promise<number> {
  let next = 0;
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (performance.now() < end) await task(next++);
    }),
  );
  return (next * 1000) / (performance.now() - start);
}
