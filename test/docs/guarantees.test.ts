import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { currentGuarantees } from '../../scripts/guarantees.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'guarantees.md'), 'utf8');

it('lists the tests of every promise in docs/guarantees.md; `npm run guarantees` writes them', () => {
  expect(currentGuarantees()).toBe(page);
  expect(page.match(/^[A-Z]\d+ \|/gm)?.length).toBeGreaterThan(90);
});

it('rejects a promise that no test keeps', () => {
  const unkept = page.replace(/^B1 \|/m, 'B99 | A bank never fails. |\nB1 |');
  expect(() => currentGuarantees(unkept)).toThrow('No title of a test begins with B99');
});

it('rejects a number in the title of a test that stands for no promise', () => {
  expect(() => currentGuarantees(page.replace(/^B1 \|.*\n/m, ''))).toThrow('no promise for the numbers in the titles of tests: B1');
});
