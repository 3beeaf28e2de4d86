import { readFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../app-type.ts';
import type { RouteSchema } from '../field-schema.ts';
import { takesIdempotencyKey } from '../idempotent.ts';
import { isSelectableAnswer } from '../responses/select.ts';
import { ERROR_SCHEMA, errorResponses, errorsOf } from './errors.ts';
import { COMMON_HEADERS, HEADERS, headersWith, LIST_HEADERS, PAGE_HEADERS, PARAMETERS } from './headers.ts';
import { INTRODUCTION } from './introduction.ts';
import { type ApiResponse, type JsonSchema, METHODS, type Media, type Method, type Parameter, type Reference } from './openapi-types.ts';
import { PUBLIC, SECURITY_SCHEMES, TAGS, topicsOf } from './route-schema.ts';
import { Components } from './schemas.ts';
import { webhooksOf } from './webhooks.ts';

/** The version of the API. A change that breaks clients has another one. */
export const API_VERSION = '1';

const BASE = '/v1/wallet/';
const ALIAS = '/v1/user/wallet/';
const JSON_TYPE = 'application/json';
const STREAM_TYPE = 'text/event-stream';
const CSV_TYPE = 'text/csv';

/** Examples of an operation: its parameters by name, the body of a request, and the bodies of responses by status. */
interface Examples {
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
}

/** The examples of the document, by operation. */
export const EXAMPLES: Readonly<Record<string, Examples>> = JSON.parse(
  readFileSync(new URL('../../../docs/openapi-examples.json', import.meta.url), 'utf8'),
);

export type OpenApiDocument = ReturnType<typeof documentOf>;
export type Operation = ReturnType<typeof operationOf>;

/** `x-alias` is a second address of the same operations. */
type PathItem = { readonly 'x-alias'?: string } & { readonly [method in Method]?: Operation };

/** The documents by path. The second is for operators and the dashboard: clients of applications are generated without it. */
const DOCUMENTS = {
  '/openapi.json': { title: 'Satchel', topics: topicsOf('api') },
  '/openapi-operator.json': { title: 'Satchel for operators and the dashboard', topics: topicsOf('operator') },
} as const;

const RESPONSE = { 200: Type.Unsafe<Buffer>({ type: 'object', additionalProperties: true }) };

const SCHEMAS = {
  '/openapi.json': {
    operationId: 'getOpenApi',
    tags: ['Service'],
    summary: 'Read this document',
    description: 'Returns the OpenAPI 3.1 document of the routes for applications that this instance has.',
    ...PUBLIC,
    response: RESPONSE,
  },
  '/openapi-operator.json': {
    operationId: 'getOperatorOpenApi',
    tags: ['Service'],
    summary: 'Read the document for operators',
    description: 'Returns the OpenAPI 3.1 document of the routes for operators, for the logins of the dashboard and for the playground.',
    ...PUBLIC,
    response: RESPONSE,
  },
};

/** Collects the routes that are added from now on. Returns a function that adds the routes of the OpenAPI documents, which describe them. */
export function collectDocuments(app: App): () => void {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    // The alias has the same operations: the document names it once for each path.
    if (!route.config?.undocumented && !route.url.startsWith(ALIAS)) routes.push(route);
  });
  return () => {
    for (const path of Object.keys(DOCUMENTS) as (keyof typeof DOCUMENTS)[]) {
      let json: Buffer | undefined;
      app.get(path, { schema: SCHEMAS[path], config: { isDocument: true } }, async (_request, reply) => {
        json ??= Buffer.from(JSON.stringify(documentOf(routes, DOCUMENTS[path])));
        return reply.type('application/json').send(json);
      });
    }
  };
}

/** Writes each object schema once, and sorts the paths by topic. */
function documentOf(routes: readonly RouteOptions[], { title, topics }: { readonly title: string; readonly topics: readonly string[] }) {
  const components = new Components();
  const paths: Record<string, PathItem> = {};
  for (const route of routes) {
    if (!topics.includes(route.schema?.tags?.[0] ?? '')) continue;
    const path = route.url.replaceAll(/:([A-Za-z]+)/g, '{$1}');
    const alias = path.startsWith(BASE) ? { 'x-alias': path.replace(BASE, ALIAS) } : {};
    const method = METHODS.find((one) => one.toUpperCase() === route.method);
    if (method) paths[path] = { ...alias, ...paths[path], [method]: operationOf(method, route, components) };
  }
  const schemas: Record<string, JsonSchema> = { Error: ERROR_SCHEMA, ...components.all() };
  const topicOf = (item: PathItem) => Math.min(...METHODS.flatMap((method) => item[method]?.tags ?? []).map((tag) => topics.indexOf(tag)));
  const used = JSON.stringify([paths, errorResponses()]);
  const webhooks = topics.includes('Webhooks') && schemas.Event ? { webhooks: webhooksOf(schemas.Event) } : {};
  const usedOf = <T>(kind: string, all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => used.includes(`"#/components/${kind}/${name}"`)));
  return {
    openapi: '3.1.0',
    info: {
      title,
      version: API_VERSION,
      description: INTRODUCTION,
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    components: {
      schemas,
      responses: usedOf('responses', errorResponses()),
      headers: usedOf('headers', HEADERS),
      parameters: usedOf('parameters', PARAMETERS),
      securitySchemes: SECURITY_SCHEMES,
    },
    paths: Object.fromEntries(Object.entries(paths).sort(([, a], [, b]) => topicOf(a) - topicOf(b))),
    ...webhooks,
    servers: [{ url: '/', description: 'The service that returned this document' }],
    tags: topics
      .filter((name) => used.includes(`"tags":["${name}"]`))
      .map((name) => ({ name, description: TAGS[name as keyof typeof TAGS].description })),
    'x-response-headers': COMMON_HEADERS,
  };
}

function operationOf(method: Method, route: RouteOptions, components: Components) {
  const { url, config, schema = {} } = route;
  const { operationId = '', tags = [], summary = '', description, security = [], 'x-permission': permission } = schema;
  const isForManagers = schema['x-without-limits'];
  const { params, querystring, body } = schema as Readonly<Record<string, RouteSchema | undefined>>;
  const examples = EXAMPLES[operationId] ?? {};
  const responses = responsesOf(method, route, components, examples);
  const errors = errorsOf(route, responses, takesIdempotencyKey(method, url, config));
  return {
    operationId,
    tags,
    summary,
    description: [description, permission !== undefined && `Permission: ${PERMISSIONS[permission] ?? `\`${permission}\``}.`]
      .filter(Boolean)
      .join(' '),
    ...(permission !== undefined && { 'x-permission': permission }),
    ...(isForManagers && { 'x-without-limits': true }),
    ...(config?.hasSideEffect && method === 'get' && { 'x-side-effect': true }),
    ...(config?.isRead && { 'x-read-only': true }),
    security,
    parameters: [
      ...parametersIn('path', params, components, examples),
      ...parametersIn('query', querystring, components, examples),
      ...sharedParameters(method, route),
    ],
    ...(body && { requestBody: requestBody(body, components, examples) }),
    responses: { ...responses, ...errors },
  };
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  account: 'a secret API key',
  operator: 'a secret API key of an operator',
  secret_key: 'any key that is not public',
  any_key: 'any key',
};

function parametersIn(place: 'path' | 'query', schema: RouteSchema = {}, components: Components, examples: Examples): Parameter[] {
  return Object.entries(schema.properties ?? {}).map(([name, { description = '', ...field }]) => ({
    name,
    in: place,
    ...((place === 'path' || schema.required?.includes(name)) && { required: true }),
    // `name[key]=value`
    ...(field.type === 'object' && { style: 'deepObject', explode: true }),
    description,
    schema: components.schemaOf(field),
    ...exampleIn(examples.parameters, name),
  }));
}

function sharedParameters(method: Method, { url, schema, config }: RouteOptions): Reference[] {
  const responses = (schema?.response ?? {}) as Record<string, { items?: unknown; title?: string }>;
  const names = [
    ...(method === 'get' && isSelectableAnswer(responses['200']) ? ['fields'] : []),
    ...(responses['202']?.title === 'Payment' ? ['Prefer', 'X-LNPAY-ASYNC'] : []),
    ...(config?.needsIdempotencyKey ? ['RequiredIdempotencyKey'] : takesIdempotencyKey(method, url, config) ? ['Idempotency-Key'] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

/** JSON alone, although forms are accepted: generated clients send one format, and some break on two. */
function requestBody(
  schema: RouteSchema,
  components: Components,
  examples: Examples,
): { readonly required: boolean; readonly content: Record<string, Media> } {
  const media = { schema: components.schemaOf(schema), ...exampleIn(examples, 'body') };
  return { required: (schema.required ?? []).length > 0, content: { [JSON_TYPE]: media } };
}

const IN_FLIGHT = 'The payment is in flight or its outcome is unknown; its money is held. Poll `GET /v1/lntx/{id}` with the id of `lnTx`.';
const MEANINGS: Readonly<Record<string, string>> = {
  '200': 'The request succeeded.',
  '201': 'It is done. The response is the created object.',
  '503': 'Not ready.',
};

function responsesOf(
  method: Method,
  { url, schema = {}, config }: RouteOptions,
  components: Components,
  examples: Examples,
): Record<string, ApiResponse> {
  const { response, documentedResponse, produces = [JSON_TYPE], eventStream } = schema;
  const names = [...(schema.responseHeaders ?? [])];
  const { properties = {} }: RouteSchema = schema.querystring ?? {};
  if ('per-page' in properties) names.push(...LIST_HEADERS);
  if ('page' in properties) names.push(...PAGE_HEADERS);
  if (takesIdempotencyKey(method, url, config)) names.push('Idempotency-Replayed');
  const schemas: Record<string, RouteSchema> = { ...(response as object), ...documentedResponse };
  return Object.fromEntries(
    Object.entries(schemas).map(([status, body]) => {
      const media = { schema: components.schemaOf(body), ...exampleIn(examples.responses, status) };
      const content = Object.fromEntries(body.type === 'null' ? [] : produces.map((type) => [type, media]));
      if (status === '200' && eventStream !== undefined) content[STREAM_TYPE] = { schema: { type: 'string', description: eventStream } };
      if (status === '200' && 'format' in properties) content[CSV_TYPE] = { schema: { type: 'string' } };
      const meaning = status === '202' && body.title === 'Payment' ? IN_FLIGHT : (MEANINGS[status] ?? STATUS_CODES[status] ?? '');
      return [status, { description: meaning, ...headersWith(names), content }];
    }),
  );
}

function exampleIn(examples: object = {}, name: string): { example?: unknown } {
  return name in examples ? { example: (examples as Record<string, unknown>)[name] } : {};
}
