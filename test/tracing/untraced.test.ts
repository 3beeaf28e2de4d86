import { expect, it } from 'vitest';
import { traced, untraced } from '../../src/core/kernel/tracing.ts';
import { recordSpans } from '../support/spans.ts';

const spans = recordSpans();

it('records no span of work whose URL contains a secret, and those of other work', async () => {
  const work = (name: string) => traced(name, {}, async () => name);
  expect(await untraced(() => work('secret'))).toBe('secret');
  await untraced(async () => {
    await work('first');
    await work('later');
  });
  await work('other');
  expect(spans.map(({ name }) => name)).toEqual(['other']);
});
