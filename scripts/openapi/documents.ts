import type { OpenApiDocument } from '../../src/http/openapi/document.ts';

/** The documents of the API: of applications, and of operators and the dashboard. */
export const DOCUMENTS = ['openapi.json', 'openapi-operator.json'] as const;

/** Returns one document with the operations of all. */
export function wholeApi([first, ...others]: readonly OpenApiDocument[]): OpenApiDocument {
  if (first === undefined) throw new Error('a document is needed');
  const merged = { ...first, components: { ...first.components }, paths: { ...first.paths }, tags: [...first.tags] };
  for (const { components, paths, tags } of others) {
    for (const kind of ['schemas', 'responses', 'parameters'] as const)
      merged.components[kind] = { ...merged.components[kind], ...components[kind] } as never;
    merged.paths = { ...merged.paths, ...paths };
    merged.tags.push(...tags);
  }
  return merged;
}
