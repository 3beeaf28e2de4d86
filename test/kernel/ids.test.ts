import { expect, it } from 'vitest';
import { decodeBase62, newId } from '../../src/core/kernel/ids.ts';

const NOW_MS = Date.now() + 365 * 24 * 60 * 60 * 1000;

it('sorts ids in the order in which they were created, also while the clock is set back by seconds', () => {
  const ids = [0, 0, 1, -30_000, 1, 2].map((moved) => newId(NOW_MS + moved));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

it('sorts more ids of one millisecond than the counter holds', () => {
  const ids = Array.from({ length: 10_000 }, () => newId(NOW_MS + 1_000));
  expect(ids).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(ids.length);
});

it('follows a clock that was wrong and is set back by hours', () => {
  newId(NOW_MS + 4 * 60 * 60 * 1000);
  expect(decodeBase62(newId(NOW_MS).slice(0, 8))).toBe(NOW_MS);
});
