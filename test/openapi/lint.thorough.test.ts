import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect, it } from 'vitest';
import { committedDocuments } from './conformance/operations.ts';

it.each(committedDocuments())('$info.title: the document has no warning under the OpenAPI rules of Spectral', async (document) => {
  const linter = new spectral.Spectral();
  linter.setRuleset(rulesets.oas as spectral.RulesetDefinition);
  const problems = await linter.run(document as unknown as Record<string, unknown>);
  expect(problems.map(({ code, message, path }) => `${code} ${path.join('.')}: ${message}`)).toEqual([]);
});
