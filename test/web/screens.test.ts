import { expect, it } from 'vitest';
import type { Business } from '../support/business.ts';
import { EXAMPLES, patternOf, routePatterns } from '../support/screens.ts';

const anyId = new Proxy({} as Business, { get: () => 'id' });

it('every screen and sheet has an example address, which tests visit', () => {
  const patterns = routePatterns();
  expect(patterns.length).toBeGreaterThan(1);
  const shown = new Set(EXAMPLES.map(({ address }) => patternOf(address(anyId), patterns)));
  expect(patterns.filter((pattern) => !shown.has(pattern))).toEqual([]);
});
