/** One side of a comparison: does its work for a round and says how fast it was. */
export interface Side {
  readonly name: string;
  /** @returns what was done per second. */
  round(): Promise<number>;
}

export interface Comparison {
  readonly row: string;
  /** What the ratio means, in one sentence. */
  readonly meaning: string;
  readonly unit: string;
  readonly sides: readonly { readonly name: string; readonly median: number; readonly spread: number }[];
  /** Median of the first side ÷ median of the second. */
  readonly ratio: number;
}

/**
 * Measures two sides in turns, so that what the machine does besides hits both: one round each to warm up, then `rounds` each, in
 * alternating order. Absolute figures differ from machine to machine; the ratio is what is kept.
 */
export async function compare(row: string, meaning: string, unit: string, first: Side, second: Side, rounds: number): Promise<Comparison> {
  const measured = new Map<Side, number[]>([
    [first, []],
    [second, []],
  ]);
  await first.round();
  await second.round();
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 === 0 ? [first, second] : [second, first]) {
      if (process.stderr.isTTY) process.stderr.write(`\r${row}: round ${round + 1} of ${rounds}, ${side.name}`.padEnd(100));
      measured.get(side)?.push(await side.round());
    }
  }
  if (process.stderr.isTTY) process.stderr.write(`\r${''.padEnd(100)}\r`);
  const sides = [first, second].map((side) => ({ name: side.name, ...summary(measured.get(side) ?? []) }));
  return { row, meaning, unit, sides, ratio: (sides[0]?.median ?? 0) / (sides[1]?.median ?? 1) };
}

/** The median, and the distance between the extremes as a share of it. */
function summary(values: readonly number[]): { median: number; spread: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return { median, spread: ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0)) / median };
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
