import { expect, it } from 'vitest';
import { compileAllSchemas } from '../../src/http/schema-compilers.ts';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the schemas of the routes', () => {
  it('can all be compiled, which the service does at the first request of each route', () => {
    expect(compileAllSchemas()).toBeGreaterThan(100);
    expect(compileAllSchemas()).toBe(0);
  });
});
