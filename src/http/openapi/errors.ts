import { STATUS_CODES } from 'node:http';
import { REFUSALS, type RefusalType } from '../../kernel/refusal.ts';
import { headersWith } from './headers.ts';
import type { ApiResponse, JsonSchema, Reference } from './openapi-types.ts';

const ALL_TYPES = Object.keys(REFUSALS) as RefusalType[];

/** Every status with which this service refuses something. */
export const ERROR_STATUSES = [...new Set(ALL_TYPES.map((type) => REFUSALS[type].status as number))].sort();

const HEADERS_OF: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The answers with which anything can be refused, by name: one for each status. */
export function errorResponses(): Record<string, ApiResponse> {
  return Object.fromEntries(ERROR_STATUSES.map((status) => [nameOf(status), errorResponse(status)]));
}

export function errorReference(status: number): Reference {
  return { $ref: `#/components/responses/${nameOf(status)}` };
}

/** The error object; `types` and `status` narrow it to what one status can say. */
export function errorSchema(types: readonly RefusalType[] = ALL_TYPES, status?: number): JsonSchema {
  return {
    type: 'object',
    required: ['name', 'message', 'code', 'status', 'type', 'request_id'],
    properties: {
      name: { type: 'string', description: 'The reason phrase of the status' },
      message: { type: 'string', description: 'For people' },
      code: { type: 'integer', const: 0, description: 'Always 0' },
      status: { type: 'integer', description: 'The HTTP status', ...(status !== undefined && { const: status }) },
      type: { type: 'string', enum: types, description: 'For programs; the table is closed' },
      request_id: { type: 'string', description: 'Names the request; also in the header `X-Request-Id`' },
      wtx_id: { type: 'string', description: 'The wallet transaction (wtx_…) of a payment that had been begun' },
    },
  };
}

function errorResponse(status: number): ApiResponse {
  const types = ALL_TYPES.filter((type) => REFUSALS[type].status === status);
  const [first] = types;
  const message = first && REFUSALS[first].meaning;
  const example = { name: STATUS_CODES[status], message, code: 0, status, type: first, request_id: '0Vbb5dZr00f6iF4JgK02B2' };
  return {
    description: types.map((type) => `\`${type}\`: ${REFUSALS[type].meaning}`).join('\n'),
    headers: headersWith(HEADERS_OF[status]),
    content: { 'application/json': { schema: errorSchema(types, status), example } },
  };
}

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? `Status${status}`).replaceAll(/[^A-Za-z]/g, '');
}
