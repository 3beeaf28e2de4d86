import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'decisions');
const MAX_WORDS = 150;

/** Decisions that are longer than the rule, by number. The list only becomes shorter. */
const LONGER: readonly number[] = [
  1, 3, 4, 7, 13, 17, 21, 23, 25, 27, 30, 34, 35, 37, 38, 41, 43, 44, 46, 47, 49, 51, 52, 53, 54, 56, 57, 60, 61, 63, 64, 65, 66, 67, 68,
  71, 73, 74, 75, 76, 77, 78, 79, 82, 84, 85, 86, 87, 88, 90, 92, 94, 96, 98,
];

it('keeps each record of a decision at 150 words', () => {
  const longer = globSync('*.md', { cwd: folder })
    .filter((file) => readFileSync(join(folder, file), 'utf8').trim().split(/\s+/).length > MAX_WORDS)
    .map((file) => Number.parseInt(basename(file), 10));
  expect(longer.toSorted((a, b) => a - b)).toEqual(LONGER);
});
