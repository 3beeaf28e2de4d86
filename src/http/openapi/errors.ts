import { STATUS_CODES } from 'node:http';
import type { RouteOptions } from 'fastify';
import { REFUSALS, type RefusalType } from '../../core/kernel/refusal.ts';
import { headersWith } from './headers.ts';
import type { ApiResponse, JsonSchema, Reference } from './openapi-types.ts';

const ALL_TYPES = Object.keys(REFUSALS) as RefusalType[];

/** Every status of an error of an operation. 405 is for methods that are no operation. */
const STATUSES = [...new Set(ALL_TYPES.map((type) => REFUSALS[type].status as number))].filter((status) => status !== 405).sort();

/** The error object. Its texts are open: a later version may add types, and a client must not fail at them. */
export const ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['name', 'message', 'code', 'status', 'type', 'request_id'],
  properties: {
    name: { type: 'string', description: 'The reason phrase of the status' },
    message: { type: 'string', description: 'The cause and the remedy, for people' },
    code: { type: 'integer', const: 0, description: 'Always 0' },
    status: { type: 'integer', description: 'The HTTP status' },
    type: {
      type: 'string',
      'x-extensible-enum': ALL_TYPES,
      description:
        'The cause, for programs. The values of each status are listed with its response. Treat an unknown value by its `status`',
    },
    request_id: { type: 'string', description: 'The id of the request, as in the header `X-Request-Id`' },
    wtx_id: { type: 'string', description: 'The wallet transaction (`wtx_…`) of the payment, if one was started' },
  },
};

/** The error responses by name: one for each status, with an example for each type. */
export function errorResponses(): Record<string, ApiResponse> {
  return Object.fromEntries(STATUSES.map((status) => [nameOf(status), errorResponse(status)]));
}

function errorResponse(status: number): ApiResponse {
  const types = ALL_TYPES.filter((type) => REFUSALS[type].status === status);
  const examples = types.map((type) => {
    const { meaning } = REFUSALS[type];
    const value = { name: STATUS_CODES[status], message: meaning, code: 0, status, type, request_id: '0Vbb5dZr00f6iF4JgK02B2' };
    return [type, { summary: meaning, value }];
  });
  return {
    description: types.map((type) => `\`${type}\`: ${REFUSALS[type].meaning}`).join('\n'),
    // The replay of a payment or an action that failed is an error, too.
    ...headersWith(['Idempotency-Replayed', ...(status === 429 || status === 503 ? ['Retry-After'] : [])]),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) } },
  };
}

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replaceAll(/[^A-Za-z]/g, '');
}

/**
 * References to the errors that an operation can return, by status. `own` has the responses that the route declares itself; `takesKey` is
 * whether requests may have an Idempotency-Key.
 */
export function errorsOf(route: RouteOptions, own: object, takesKey: boolean): Record<string, Reference> {
  const possible = STATUSES.filter((status) => !(status in own) && canReturn(status, route, takesKey));
  return Object.fromEntries(possible.map((status) => [String(status), { $ref: `#/components/responses/${nameOf(status)}` }]));
}

function canReturn(status: number, { method, url, schema, config }: RouteOptions, takesKey: boolean): boolean {
  // A public LNURL route returns errors as 200. Only a request that is too large to be read is rejected before it is routed.
  if (config?.lnurl) return status === 413;
  const needsKey = schema?.security !== undefined && schema.security.length > 0;
  const takesBody = method !== 'GET';
  const isApi = needsKey || url.startsWith('/v1/');
  const possible = {
    400: true,
    401: needsKey,
    403: needsKey,
    404: isApi && (url.includes(':') || takesBody),
    413: true,
    415: takesBody,
    422: takesKey,
    429: isApi,
    500: true,
    503: isApi,
  }[status];
  return possible === true || schema?.errorStatuses?.includes(status) === true;
}
