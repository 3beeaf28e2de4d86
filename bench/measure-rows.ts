import { errorMessage } from '../src/core/kernel/log.ts';
import { details, machine, type Result, resultOf, table } from './report.ts';
import { type Row, Skipped } from './row.ts';
import type { Run } from './run.ts';

/**
 * Measures the rows whose name contains `only`, prints each of them and a table, and disposes of the run. If a row fails, the others still run, and
 * the exit code is 1.
 */
export async function measureRows(run: Run, all: readonly Row[], { only, json }: { only: string; json: boolean }): Promise<void> {
  const rows = all.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (rows.length === 0) {
    process.stderr.write(`No row's name contains the text of --only. The rows are:\n${all.map(({ name }) => `  ${name}\n`).join('')}`);
    process.exit(2);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void run[Symbol.asyncDispose]().finally(() => process.exit(130)));
  }
  try {
    const results: Result[] = [];
    for (const row of rows) {
      const result = await measure(run, row);
      results.push(result);
      if (!json) process.stdout.write(details(result));
    }
    process.stdout.write(json ? `${JSON.stringify({ machine: machine(), rows: results }, null, 2)}\n` : table(results));
    if (results.some(({ failed }) => failed !== undefined)) process.exitCode = 1;
  } finally {
    await run[Symbol.asyncDispose]();
  }
}

/** Returns an error as part of the result. */
async function measure(run: Run, row: Row): Promise<Result> {
  run.begin(row.name);
  try {
    return resultOf(row, await row.measure(run));
  } catch (error) {
    const { name, meaning, unit } = row;
    return { row: name, meaning, unit, sides: [], [error instanceof Skipped ? 'skipped' : 'failed']: errorMessage(error) };
  } finally {
    run.end();
  }
}
