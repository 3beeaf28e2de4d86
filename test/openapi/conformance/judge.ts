import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { OpenApiDocument } from '../../../src/http/openapi/document.ts';
import type { ApiResponse } from '../../../src/http/openapi/openapi-types.ts';
import type { HttpResponse } from '../../support/client.ts';
import type { Walked } from './operations.ts';

/** Headers that HTTP and CORS define. */
const HTTP_OWN = /^(date|connection|keep-alive|content-type|content-length|content-encoding|transfer-encoding|vary|access-control-.*)$/;

/** Lists everything in a response that the document does not describe; nothing when it conforms. */
export type Judge = (walked: Walked, received: HttpResponse) => string[];

/** A strict validator: objects have only the listed properties and texts only the listed values, even where later versions may add some. */
export function createJudge(document: OpenApiDocument): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(closed(document) as object, 'api');
  const validators = new Map<string, ValidateFunction>();

  function validator(pointer: string): ValidateFunction {
    const known = validators.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    validators.set(pointer, known);
    return known;
  }

  return ({ method, path, operation }, received) => {
    const given = operation.responses[received.status];
    if (!given) return [`status ${received.status} is not declared: ${received.text.slice(0, 200)}`];
    const name = '$ref' in given ? given.$ref.split('/').at(-1) : undefined;
    const response = (name === undefined ? given : document.components.responses[name]) as ApiResponse;
    const own = `/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}/responses/${received.status}`;
    const pointer = name === undefined ? own : `/components/responses/${name}`;
    return [...headerProblems(document, response, received), ...bodyProblems(response, received, (at) => validator(pointer + at))];
  };
}

function headerProblems(document: OpenApiDocument, response: ApiResponse, received: HttpResponse): string[] {
  const common = document['x-response-headers'];
  const declared = new Set([...Object.keys(common), ...Object.keys(response.headers ?? {})].map((name) => name.toLowerCase()));
  // HTTP defines this header for 401 (RFC 9110, section 11.6.1).
  if (received.status === 401) declared.add('www-authenticate');
  const surplus = [...received.headers.keys()].filter((name) => !declared.has(name) && !HTTP_OWN.test(name));
  const missing = Object.entries(common).filter(([name, { required }]) => required && !received.headers.has(name));
  return [
    ...surplus.map((name) => `header ${name} is not declared`),
    ...missing.map(([name]) => `header ${name} is missing from ${received.status}`),
  ];
}

function bodyProblems(response: ApiResponse, received: HttpResponse, validator: (at: string) => ValidateFunction): string[] {
  const [media] = Object.keys(response.content ?? {});
  if (media === undefined) return received.text === '' ? [] : ['a body where none is declared'];
  const type = received.headers.get('content-type')?.split(';')[0];
  if (type !== media) return [`content type ${type} where ${media} is declared`];
  if (media !== 'application/json') return [];
  const validate = validator(`/content/${media.replaceAll('/', '~1')}/schema`);
  const error: unknown = received.body?.type;
  const named = response.content?.[media]?.examples;
  if (named && !Object.hasOwn(named, String(error))) return [`${received.status} type ${error} is not among the examples of the status`];
  if (named && received.body.status !== received.status) return [`${received.status} body.status is ${received.body.status}`];
  if (validate(received.body)) return [];
  return (validate.errors ?? []).map(
    (error) => `${received.status} body${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
  );
}

/** Returns the schema with `additionalProperties: false` wherever properties are listed, and with the known values as an `enum`. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closed(inner)]));
  const known = copy['x-extensible-enum'];
  if (Array.isArray(known)) return { ...copy, enum: [copy.type].flat().includes('null') ? [...known, null] : known };
  const isObjectSchema = copy.type === 'object' || (Array.isArray(copy.type) && copy.type.includes('object'));
  return isObjectSchema && copy.properties && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}
