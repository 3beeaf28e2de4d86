import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

it('has a test for every failure mode in docs/failure-modes.md, with its number at the start of the title', () => {
  const page = readFileSync(join(root, 'docs', 'failure-modes.md'), 'utf8');
  const modes = Array.from(page.matchAll(/^- \*\*([A-Z]\d+)\*\*/gm), ([, mode = '']) => mode);
  expect(modes.length).toBeGreaterThan(45);
  const tests = globSync('test/**/*.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  const tested = new Set<string>();
  for (const [, numbers = ''] of tests.join('\n').matchAll(/['"`]((?:[A-Z]\d+ )*[A-Z]\d+): /g))
    for (const number of numbers.split(' ')) tested.add(number);
  expect(modes.filter((mode) => !tested.has(mode))).toEqual([]);
});
