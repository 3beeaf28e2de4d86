import { STATUS_CODES } from 'node:http';
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import type { FastifySchema, RouteOptions } from 'fastify';
import { takesIdempotencyKey } from '../idempotent.ts';
import { isSelectableAnswer } from '../responses/select.ts';
import { ERROR_SCHEMA, errorResponses, errorsOf } from './errors.ts';
import { EXAMPLES, type Examples } from './examples.ts';
import { COMMON_HEADERS, HEADERS, headersWith, LIST_HEADERS, PAGE_HEADERS, PARAMETERS } from './headers.ts';
import { INTRODUCTION } from './introduction.ts';
import type { ApiResponse, Content, Method, OpenApiDocument, Operation, Parameter, PathItem, Reference } from './openapi-types.ts';
import { METHODS } from './openapi-types.ts';
import { SECURITY_SCHEMES, TAGS } from './route-schema.ts';
import { Components } from './schemas.ts';

/** The version of the API. A change that breaks clients has another one. */
export const API_VERSION = '1';

const BASE = '/v1/wallet/';
const ALIAS = '/v1/user/wallet/';
const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const STREAM_TYPE = 'text/event-stream';

type SwaggerRoute = RouteOptions & { readonly schema?: FastifySchema };

/** Options for @fastify/swagger, which builds the OpenAPI document from the schemas of the routes. */
export function documentOptions(): FastifyDynamicSwaggerOptions {
  /** By method and path of the document. */
  const routes = new Map<string, SwaggerRoute>();
  return {
    convertConstToEnum: false,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Satchel',
        version: API_VERSION,
        description: INTRODUCTION,
        contact: { name: 'The operator of this service' },
        license: { name: 'MIT', identifier: 'MIT' } as { name: string },
      },
      servers: [{ url: '/', description: 'The service that returned this document' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: { securitySchemes: { ...SECURITY_SCHEMES } },
    },
    transform({ schema = {}, url, route }) {
      // The alias has the same operations: the document names it once for each path.
      if (route.config?.undocumented || url.startsWith(ALIAS)) return { url, schema: { hide: true } };
      routes.set(`${String(route.method).toLowerCase()} ${pathOf(url)}`, route);
      return { url, schema: { ...schema, consumes: [JSON_TYPE, FORM_TYPE], response: describedResponses(schema) } };
    },
    transformObject(made) {
      if (!('openapiObject' in made)) throw new Error('@fastify/swagger made no OpenAPI document');
      return finish(made.openapiObject as unknown as OpenApiDocument, routes) as unknown as typeof made.openapiObject;
    },
  };
}

/** `/v1/lntx/:id` → `/v1/lntx/{id}` */
function pathOf(url: string): string {
  return url.replaceAll(/:([A-Za-z]+)/g, '{$1}');
}

const MEANINGS: Readonly<Record<string, string>> = {
  '200': 'The request succeeded.',
  '201': 'It is done. The response is the created object.',
  '202': 'The payment is in flight or its outcome is unknown; its money is held. Poll `GET /v1/lntx/{id}` with the id of `lnTx`.',
  '503': 'Not ready.',
};

function describedResponses({ response, documentedResponse }: FastifySchema): Record<string, object> {
  const schemas = { ...(response as Record<string, object>), ...documentedResponse } as Record<string, object>;
  return Object.fromEntries(
    Object.entries(schemas).map(([status, schema]) => [
      status,
      { ...schema, 'x-response-description': MEANINGS[status] ?? STATUS_CODES[status] },
    ]),
  );
}

/** Adds what is the same for many operations, writes each object schema once, and sorts the paths by topic. */
function finish(made: OpenApiDocument, routes: ReadonlyMap<string, SwaggerRoute>): OpenApiDocument {
  const components = new Components();
  const paths = Object.entries(made.paths).map(([path, item]): [string, PathItem] => {
    const operations = METHODS.flatMap((method): [Method, Operation][] => {
      const operation = item[method];
      const route = routes.get(`${method} ${path}`);
      return operation && route ? [[method, finishOperation(operation, method, route, components, EXAMPLES[operation.operationId])]] : [];
    });
    const alias = path.startsWith(BASE) ? { 'x-alias': path.replace(BASE, ALIAS) } : {};
    return [path, { ...alias, ...Object.fromEntries(operations) }];
  });
  const topics = Object.keys(TAGS);
  const topicOf = (item: PathItem) => Math.min(...METHODS.flatMap((method) => item[method]?.tags ?? []).map((tag) => topics.indexOf(tag)));
  return {
    ...made,
    'x-response-headers': COMMON_HEADERS,
    paths: Object.fromEntries(paths.sort(([, a], [, b]) => topicOf(a) - topicOf(b))),
    components: {
      schemas: { Error: ERROR_SCHEMA, ...components.all() },
      responses: errorResponses(),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function finishOperation(
  operation: Operation,
  method: Method,
  route: SwaggerRoute,
  components: Components,
  examples: Examples = {},
): Operation {
  const { url, config, schema = {} } = route;
  const { operationId, tags, summary, description, security, 'x-permission': permission } = operation;
  const body = operation.requestBody?.content[JSON_TYPE];
  const errors = errorsOf({
    method,
    url,
    needsKey: security.length > 0,
    lnurl: config?.lnurl === true,
    takesKey: takesIdempotencyKey(method, url, config),
    own: Object.keys(operation.responses),
    more: schema.errorStatuses ?? [],
  });
  return {
    operationId,
    tags,
    summary,
    description: [description, permission !== undefined && `Permission: ${PERMISSIONS[permission] ?? `\`${permission}\``}.`]
      .filter(Boolean)
      .join(' '),
    ...(permission !== undefined && { 'x-permission': permission }),
    ...(config?.hasSideEffect && method === 'get' && { 'x-side-effect': true }),
    security,
    parameters: [...ownParameters(operation, components, examples), ...sharedParameters(method, route)],
    ...(body && { requestBody: requestBody(body, components, examples) }),
    responses: { ...responsesOf(operation, method, route, components, examples), ...errors },
  };
}

const PERMISSIONS: Readonly<Record<string, string>> = {
  account: 'a secret API key',
  operator: 'a secret API key of an operator',
  secret_key: 'any key that is not public',
  any_key: 'any key',
};

function ownParameters({ parameters = [] }: Operation, components: Components, examples: Examples): Parameter[] {
  const own = parameters.filter((parameter): parameter is Parameter => 'in' in parameter);
  return ['path', 'query'].flatMap((place) =>
    own
      .filter((parameter) => parameter.in === place)
      .map(({ name, in: where, required, description, schema }) => ({
        name,
        in: where,
        ...(required && { required }),
        // `name[key]=value`
        ...(schema.type === 'object' && { style: 'deepObject', explode: true }),
        description,
        schema: components.schemaOf(schema),
        ...exampleIn(examples.parameters, name),
      })),
  );
}

function sharedParameters(method: Method, { url, schema, config }: SwaggerRoute): Reference[] {
  const responses = (schema?.response ?? {}) as Record<string, { items?: unknown }>;
  const names = [
    ...(method === 'get' && isSelectableAnswer(responses['200']) ? ['fields'] : []),
    ...(responses['202'] ? ['Prefer', 'X-LNPAY-ASYNC'] : []),
    ...(config?.needsIdempotencyKey ? ['RequiredIdempotencyKey'] : takesIdempotencyKey(method, url) ? ['Idempotency-Key'] : []),
  ];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

function requestBody(media: Content[string], components: Components, examples: Examples): NonNullable<Operation['requestBody']> {
  const { properties = {}, required = [] } = media.schema;
  const body = { schema: components.schemaOf(media.schema), ...exampleIn(examples, 'body') };
  const objects = Object.entries(properties).filter(([, { type }]) => type === 'object');
  const encoding = Object.fromEntries(objects.map(([name]) => [name, { style: 'deepObject', explode: true }]));
  return {
    required: required.length > 0,
    content: { [JSON_TYPE]: body, [FORM_TYPE]: { ...body, ...(objects.length > 0 && { encoding }) } },
  };
}

function responsesOf(
  operation: Operation,
  method: Method,
  { url, schema, config }: SwaggerRoute,
  components: Components,
  examples: Examples,
): Record<string, ApiResponse> {
  const names = [...(schema?.responseHeaders ?? [])];
  const query = schema?.querystring as { properties?: object } | undefined;
  if (query?.properties && 'per-page' in query.properties) names.push(...LIST_HEADERS);
  if (query?.properties && 'page' in query.properties) names.push(...PAGE_HEADERS);
  if (takesIdempotencyKey(method, url, config)) names.push('Idempotency-Replayed');
  return Object.fromEntries(
    Object.entries(operation.responses as Record<string, ApiResponse>).map(([status, { description, content = {} }]) => {
      const finished = Object.entries(content).map(([type, { schema: inner }]) => [
        type,
        { schema: components.schemaOf(inner), ...exampleIn(examples.responses, status) },
      ]);
      if (status === '200' && schema?.eventStream !== undefined)
        finished.push([STREAM_TYPE, { schema: { type: 'string', description: schema.eventStream } }]);
      return [status, { description, ...headersWith(names), content: Object.fromEntries(finished) }];
    }),
  );
}

function exampleIn(examples: object = {}, name: string): { example?: unknown } {
  return name in examples ? { example: (examples as Record<string, unknown>)[name] } : {};
}
