import { STATUS_CODES } from 'node:http';
import { isSelectableAnswer } from '../responses/select.ts';
import type { RouteFacts } from './collect.ts';
import { descriptionOf } from './descriptions.ts';
import { ERROR_STATUSES, errorReference } from './errors.ts';
import { exampleOf, withChanges } from './examples.ts';
import { headersWith, PAGE_HEADERS } from './headers.ts';
import type { NamedSchemas, RouteSchema } from './json-schema.ts';
import type { ApiResponse, Content, JsonSchema, Operation, Parameter, Reference } from './openapi-types.ts';
import type { Need, OperationNotes } from './operations.ts';
import { SECURITY_SCHEMES } from './prose.ts';

/** Parameters that many operations have, by the name under which they stand in the document's components. */
export const PARAMETERS: Readonly<Record<string, Parameter>> = {
  fields: {
    name: 'fields',
    in: 'query',
    description: 'Keeps just these fields (of every item of a list), in this order: `id,balance,wal.user_label`. At most 50.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`respond-async`: answer 202 as soon as the money is held (RFC 7240).',
    schema: { type: 'string' },
  },
  'X-LNPAY-ASYNC': {
    name: 'X-LNPAY-ASYNC',
    in: 'header',
    description: '`1`, `true`, `yes` and so on: the same, for old clients.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Names the request: repeated under the same name it is answered with what the first one made, and makes nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

/** One operation. Without notes it is complete all the same, but nameless. */
export function describeOperation(route: RouteFacts, notes: OperationNotes | undefined, named: NamedSchemas): Operation {
  const id = notes?.id ?? `${route.method}${route.url.replaceAll(/[^A-Za-z]+(.?)/g, (_, next: string) => next.toUpperCase())}`;
  const needs = notes?.needs ?? 'any_key';
  const body = requestBody(route, notes, named);
  return {
    operationId: id,
    tags: [notes?.tag ?? 'Service'],
    summary: notes?.summary ?? `${route.method.toUpperCase()} ${route.url}`,
    ...(notes?.description !== undefined && { description: notes.description }),
    security: securityOf(needs),
    parameters: parametersOf(route, notes, named),
    ...(body && { requestBody: body }),
    responses: { ...answers(route, notes, named), ...refusals(route, needs, notes?.refusals ?? []) },
  };
}

function securityOf(needs: Need): Operation['security'] {
  if (needs === 'nothing') return [];
  const roles = needs === 'any_key' ? [] : [needs];
  return Object.keys(SECURITY_SCHEMES).map((scheme) => ({ [scheme]: roles }));
}

function parametersOf(route: RouteFacts, notes: OperationNotes | undefined, named: NamedSchemas): (Parameter | Reference)[] {
  const { querystring, response } = route.schemas;
  const shared = [];
  const read = route.method === 'get' ? response?.['200'] : undefined;
  if (isSelectableAnswer(read)) shared.push('fields');
  if (notes?.pays) shared.push('Prefer', 'X-LNPAY-ASYNC');
  if (takesIdempotencyKey(route)) shared.push('Idempotency-Key');
  return [
    ...parametersIn('path', pathSchema(route), named, notes),
    ...parametersIn('query', querystring, named, notes),
    ...shared.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
}

/** Every parameter of the address, whether the route checks its form or not. */
function pathSchema({ url, schemas }: RouteFacts): RouteSchema {
  const names = [...url.matchAll(/:([A-Za-z]+)/g)].flatMap(([, name]) => name ?? []);
  const properties = names.map((name) => [name, schemas.params?.properties?.[name] ?? { type: 'string' }] as const);
  return { properties: Object.fromEntries(properties), required: names };
}

/** Once the table of refusals knows what the misuse of such a key is. */
function takesIdempotencyKey({ method, url }: RouteFacts): boolean {
  return method === 'post' && url.startsWith('/v1/') && ERROR_STATUSES.includes(422);
}

function parametersIn(
  place: 'path' | 'query',
  schema: RouteSchema | undefined,
  named: NamedSchemas,
  notes: OperationNotes | undefined,
): Parameter[] {
  const examples = ((place === 'path' ? notes?.path : notes?.query) ?? {}) as Record<string, unknown>;
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => {
    const { description, ...plain } = named.schemaOf(field);
    const example = examples[name] ?? (place === 'path' ? exampleOf(field, named, name) : undefined);
    return {
      name,
      in: place,
      ...(schema?.required?.includes(name) && { required: true }),
      // `name[key]=value`
      ...(place === 'query' && field.type === 'object' && { style: 'deepObject', explode: true }),
      description: description ?? descriptionOf(notes?.id, name) ?? name,
      schema: plain,
      ...(example !== undefined && { example: field.type === 'string' ? String(example) : example }),
    };
  });
}

function requestBody({ schemas: { body } }: RouteFacts, notes: OperationNotes | undefined, named: NamedSchemas): Operation['requestBody'] {
  if (!body) return undefined;
  const media = { schema: named.schemaOf(body, notes?.id), example: notes?.body ?? exampleOf(body, named) };
  const content = { 'application/json': media, 'application/x-www-form-urlencoded': media };
  return { required: (body.required ?? []).length > 0, content };
}

const MEANINGS: Readonly<Record<string, string>> = {
  '200': 'What was asked for.',
  '201': 'It is done, and this is what was made.',
  '202': 'It is under way, or its outcome is not certain; the money is held.',
  '503': 'Not ready.',
};

function answers(route: RouteFacts, notes: OperationNotes | undefined, named: NamedSchemas): Record<string, ApiResponse> {
  const { response, querystring } = route.schemas;
  const headers = [...(notes?.headers ?? [])];
  if (querystring?.properties?.['per-page']) headers.push(...PAGE_HEADERS);
  if (notes?.pays || takesIdempotencyKey(route)) headers.push('Idempotency-Replayed');
  const described = (status: string, content: Content | undefined): [string, ApiResponse] => {
    const description = MEANINGS[status] ?? STATUS_CODES[status] ?? status;
    return [status, { description, headers: headersWith(headers), ...(content && { content }) }];
  };
  if (notes?.media !== undefined) return Object.fromEntries([described('200', { [notes.media]: { schema: { type: 'string' } } })]);
  if (notes?.schema) {
    const json = { schema: notes.schema as JsonSchema, ...(notes.says?.[200] !== undefined && { example: notes.says[200] }) };
    return Object.fromEntries([described('200', { 'application/json': json })]);
  }
  const declared = Object.entries(response ?? { 200: {} });
  return Object.fromEntries(
    declared.map(([status, schema]) => {
      const isNothing = schema.type === 'null' || status === '204';
      const example = withChanges(exampleOf(schema, named), notes?.says?.[Number(status)]);
      return described(status, isNothing ? undefined : { 'application/json': { schema: named.schemaOf(schema), example } });
    }),
  );
}

/** The refusals that a route can answer with; a public LNURL route has none of its own. */
function refusals(route: RouteFacts, needs: Need, more: readonly number[]): Record<string, Reference> {
  if (route.lnurl) return {};
  const own = Object.keys(route.schemas.response ?? {}).map(Number);
  const applies = ERROR_STATUSES.filter((status) => !own.includes(status) && (more.includes(status) || canAnswer(status, route, needs)));
  return Object.fromEntries(applies.map((status) => [String(status), errorReference(status)]));
}

function canAnswer(status: number, route: RouteFacts, needs: Need): boolean {
  const takesBody = route.method !== 'get';
  const asksForKey = needs !== 'nothing';
  const isApi = asksForKey || route.url.startsWith('/v1/');
  switch (status) {
    case 400:
    case 413:
    case 500:
      return true;
    case 401:
    case 403:
      return asksForKey;
    case 429:
    case 503:
      return isApi;
    case 404:
      return isApi && (route.url.includes(':') || takesBody);
    case 422:
      return takesIdempotencyKey(route);
    case 415:
      return takesBody;
    default:
      return false;
  }
}
