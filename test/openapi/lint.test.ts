import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { describe, expect, it } from 'vitest';

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');

describe('the OpenAPI document', () => {
  it('has no problem under the strict rules of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
  });

  it('has no warning under the OpenAPI rules of Spectral', async () => {
    const linter = new spectral.Spectral();
    linter.setRuleset(rulesets.oas as spectral.RulesetDefinition);
    const problems = await linter.run(JSON.parse(text));
    expect(problems.map(({ code, message, path }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
  });
});
