import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

it('the OpenAPI document has no problem under the strict rules of Redocly', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});
