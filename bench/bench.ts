import type { Comparison } from './compare.ts';
import { paymentRows } from './rows/payments.ts';

/** `npm run bench` prints a table for people; `npm run bench -- --json` the same for programs. */
const rows = await paymentRows();

if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
else for (const row of rows) printRow(row);

function printRow({ row, meaning, unit, sides, ratio }: Comparison): void {
  process.stdout.write(`\n${row}: ratio ${ratio.toFixed(2)} (${meaning})\n`);
  for (const { name, median, spread } of sides) {
    process.stdout.write(`  ${name.padEnd(20)} ${median.toFixed(0).padStart(8)} ${unit}  ± ${(spread * 50).toFixed(0)} %\n`);
  }
}
