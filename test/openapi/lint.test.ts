import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { DOCUMENTS } from '../../scripts/openapi/documents.ts';

it.each(DOCUMENTS)('%s has no problem under the strict rules of Redocly', async (name) => {
  const text = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: name, config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});
