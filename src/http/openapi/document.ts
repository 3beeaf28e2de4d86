import type { RouteFacts } from './collect.ts';
import { errorResponses, errorSchema } from './errors.ts';
import { HEADERS } from './headers.ts';
import { NamedSchemas, type RouteSchema } from './json-schema.ts';
import type { OpenApiDocument, Operation, PathItem } from './openapi-types.ts';
import { describeOperation, PARAMETERS } from './operation.ts';
import { notesOf, TAGS } from './operations.ts';
import { INTRODUCTION, SECURITY_SCHEMES } from './prose.ts';

const BASE = '/v1/wallet/{key}';
const ALIAS = '/v1/user/wallet/{key}';

/** The description of an API: what its routes' schemas say, in OpenAPI 3.1, with the words of operations.ts. */
export function describeApi(routes: readonly RouteFacts[]): OpenApiDocument {
  const named = nameSchemas(routes);
  const paths: Record<string, PathItem & Record<string, unknown>> = {};
  const urls = new Set(routes.map(({ url }) => pathOf(url)));
  for (const route of routes) {
    const path = pathOf(route.url);
    // The alias is the same operations again: it is named, not repeated.
    if (path.startsWith(ALIAS)) continue;
    const alias = path.startsWith(BASE) ? path.replace(BASE, ALIAS) : undefined;
    const operation: Operation = describeOperation(route, notesOf(route.method, route.url), named);
    paths[path] = { ...(alias && urls.has(alias) && { 'x-alias': alias }), ...paths[path], [route.method]: operation };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Satchel',
      version: '1',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The service that answers with this description' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths: Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      schemas: { Error: errorSchema(), ...named.all() },
      responses: errorResponses(),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

/** `/v1/lntx/:id` → `/v1/lntx/{id}` */
function pathOf(url: string): string {
  return url.replaceAll(/:([A-Za-z]+)/g, '{$1}');
}

function nameSchemas(routes: readonly RouteFacts[]): NamedSchemas {
  const named = new NamedSchemas();
  for (const { method, url, schemas } of routes) {
    const name = notesOf(method, url)?.answer;
    const good = Object.entries(schemas.response ?? {}).find(([status]) => status.startsWith('2'))?.[1];
    const schema: RouteSchema | undefined = good?.type === 'array' ? good.items : good;
    if (name !== undefined && schema) named.add(name, schema);
  }
  return named;
}
