import { readFileSync } from 'node:fs';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

it('the OpenAPI document has no warning under the OpenAPI rules of Spectral', async () => {
  const linter = new spectral.Spectral();
  linter.setRuleset(rulesets.oas as spectral.RulesetDefinition);
  const problems = await linter.run(JSON.parse(text));
  expect(problems.map(({ code, message, path }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
});
