/**
 * Writes the last column of the tables in docs/guarantees.md: the test files in which the number of a promise begins the title of a test.
 * Run it with `npm run guarantees`; test/docs/guarantees.test.ts fails when the page is not current.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const PAGE = join(ROOT, 'docs', 'guarantees.md');

/** Numbers at the start of a title: `it('R1 R5: accepts exactly one …'`. A title may also be a text of a table of cases. */
const NUMBERS = /['"`]((?:[A-Z]\d+ )*[A-Z]\d+): /g;
/** A row of a table: number, promise, tests. */
const ROW = /^([A-Z]\d+) \| (.*?) \|(.*)$/gm;

/** Returns the page with the tests of today. @throws Error if a promise has no test, or the title of a test a number without a promise. */
export function currentGuarantees(page = readFileSync(PAGE, 'utf8')): string {
  const tests = testsByNumber();
  const text = page.replaceAll(ROW, (_row, number: string, promise: string) => {
    const files = tests.get(number);
    if (!files) throw new Error(`No title of a test begins with ${number}, so nothing shows that the promise is kept: ${promise}`);
    tests.delete(number);
    return `${number} | ${promise} | ${files.map(link).join(', ')}`;
  });
  if (tests.size > 0)
    throw new Error(`docs/guarantees.md has no promise for the numbers in the titles of tests: ${[...tests.keys()].join(', ')}`);
  return text;
}

function testsByNumber(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of globSync('test/**/*.ts', { cwd: ROOT }).sort()) {
    const titles = readFileSync(join(ROOT, file), 'utf8').matchAll(NUMBERS);
    const numbers = new Set(Array.from(titles, ([, some = '']) => some.split(' ')).flat());
    for (const number of numbers) found.set(number, [...(found.get(number) ?? []), file]);
  }
  return found;
}

function link(file: string): string {
  return `[${basename(file, '.ts').replace(/(\.thorough)?\.test$/, '')}](../${file})`;
}

if (import.meta.main) writeFileSync(PAGE, currentGuarantees());
