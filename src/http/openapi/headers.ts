import type { ApiHeader, Parameter, Reference } from './openapi-types.ts';

function text(description: string): ApiHeader {
  return { description, schema: { type: 'string' } };
}

function count(description: string): ApiHeader {
  return { description, schema: { type: 'integer', minimum: 0 } };
}

/** The headers of every response. The document lists them once: on each response they were half of a generated client. */
export const COMMON_HEADERS: Readonly<Record<string, ApiHeader>> = {
  'X-Request-Id': { ...text('The id of this request. Give it to the operator when you report a problem.'), required: true },
  'Cache-Control': { ...text('`no-store`: responses contain balances and keys.'), required: true },
  ETag: text('On responses to GET. With it as `If-None-Match`, the response is a 304 as long as nothing has changed.'),
  'X-Content-Type-Options': { ...text('`nosniff`'), required: true },
  'Content-Security-Policy': { ...text('Prevents a page from loading and framing anything.'), required: true },
  'Referrer-Policy': { ...text('`no-referrer`'), required: true },
  'Permissions-Policy': { ...text('No response may use the camera or the microphone, except the dashboard.'), required: true },
  'Strict-Transport-Security': text('Present when the service is reached over https.'),
  'Access-Control-Allow-Origin': text('`*` under `/v1/`: web pages of any origin may read the response.'),
  'Access-Control-Expose-Headers': text('`*`: such a page may read all headers.'),
};

/** The other headers of responses, except those of HTTP itself. */
export const HEADERS: Readonly<Record<string, ApiHeader>> = {
  'X-Pagination-Total-Count': count(
    'The number of items of the list. With `count=1`; with page numbers, on all pages except after a cursor.',
  ),
  'X-Pagination-Page-Count': count('The number of pages. Absent with `after`.'),
  'X-Pagination-Current-Page': count('The number of this page, from 1. Absent with `after`.'),
  'X-Pagination-Per-Page': count('The number of items on a page.'),
  'X-Pagination-Total-Capped': text('`true` when counting stopped early: the list has at least that many items.'),
  Link: text(
    'Addresses of other pages (RFC 8288): `next`, as long as there are more items; with `page` also `first`, `prev` and `last`. Relative, and ' +
      'without any credential.',
  ),
  'Idempotency-Replayed': text(
    '`true` when an earlier request had already done this. The response shows what that request created, or the error that it ended with.',
  ),
  'Retry-After': count('Seconds to wait before the next attempt.'),
  'Content-Disposition': text('The name of the file.'),
  'Set-Cookie': text('The secret of the session, or its removal.'),
};

/** The headers of lists. */
export const LIST_HEADERS = ['X-Pagination-Total-Count', 'X-Pagination-Total-Capped', 'X-Pagination-Per-Page', 'Link'];

/** Those of lists with page numbers. */
export const PAGE_HEADERS = ['X-Pagination-Page-Count', 'X-Pagination-Current-Page'];

/** Returns references to these headers; nothing for none. */
export function headersWith(names: readonly string[] = []): { headers?: Record<string, Reference> } {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}

/** Parameters that many operations have, by their name in the document's components. */
export const PARAMETERS: Readonly<Record<string, Parameter>> = {
  fields: {
    name: 'fields',
    in: 'query',
    description:
      'Returns only these fields (of every item of a list), in this order: `id,balance,wal.user_label`. At most 50. The response then lacks ' +
      'the other fields, also those that its schema lists as `required`.',
    schema: { type: 'string' },
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`respond-async`: the response is sent as soon as the money is held, with status 202, and does not wait for the outcome (RFC 7240). ' +
      'Poll `GET /v1/lntx/{id}` until `status` is not `pending`.',
    schema: { type: 'string' },
  },
  'X-LNPAY-ASYNC': {
    name: 'X-LNPAY-ASYNC',
    in: 'header',
    description: 'The same as `Prefer: respond-async`, for old clients: `1`, `true`, `yes`, any value but `0`, `false`, `no` and `off`.',
    schema: { type: 'string' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A text of your choice that identifies this request, such as an order number. A second request with the same key and the same body is ' +
      'not executed again: its response shows what the first one created, with `Idempotency-Replayed: true`. The same key with another body ' +
      'is a 422. Keys are kept for at least 24 hours. Send one with every request that moves money, and repeat the request with the same key ' +
      'after a timeout, a 500 or a 503.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  RequiredIdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A text of your choice that identifies this request. A request without it is rejected. A second request with the same key and the same ' +
      'body is not executed again: its response shows what the first one did, with `Idempotency-Replayed: true`. The same key with another ' +
      'body is a 422.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};
