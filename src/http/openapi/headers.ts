import type { ApiHeader, Reference } from './openapi-types.ts';

const text = (description: string): ApiHeader => ({ description, schema: { type: 'string' } });
const count = (description: string): ApiHeader => ({ description, schema: { type: 'integer', minimum: 0 } });

/** Every header that an answer of this service may carry, beside those of HTTP itself. */
export const HEADERS: Readonly<Record<string, ApiHeader>> = {
  'X-Request-Id': { ...text('Names this request; give it when you ask the operator.'), required: true },
  'Cache-Control': { ...text('`no-store`: answers hold balances and keys.'), required: true },
  'X-Content-Type-Options': { ...text('`nosniff`'), required: true },
  'Content-Security-Policy': { ...text('Lets a page load nothing and frame nothing.'), required: true },
  'Referrer-Policy': { ...text('`no-referrer`'), required: true },
  'Strict-Transport-Security': text('Where the service is reached by https.'),
  'Access-Control-Allow-Origin': text('`*` under `/v1/`: pages of any origin may read the answer.'),
  'Access-Control-Expose-Headers': text('Which headers such a page may read.'),
  'X-Pagination-Total-Count': count('Items in all. Not with `after`.'),
  'X-Pagination-Page-Count': count('Pages in all. Not with `after`.'),
  'X-Pagination-Current-Page': count('The page of this answer, from 1. Not with `after`.'),
  'X-Pagination-Per-Page': count('Items of a page.'),
  'X-Pagination-Total-Capped': text('`true` when the count stopped before the end: there are at least so many.'),
  Link: text('Other pages (RFC 8288): `first`, `prev`, `next`, `last`; with `after` only `next`. Relative, and without any credential.'),
  'Idempotency-Replayed': text('`true` when an earlier request had done this already, and the answer shows what that one made.'),
  'Retry-After': count('Seconds after which another try makes sense.'),
  'WWW-Authenticate': text('`Basic realm="api"`; not for the fetch of a browser.'),
  Allow: text('The methods that this address has.'),
  'Content-Disposition': text('Names the file.'),
};

const ON_EVERY_ANSWER = [
  'X-Request-Id',
  'Cache-Control',
  'X-Content-Type-Options',
  'Content-Security-Policy',
  'Referrer-Policy',
  'Strict-Transport-Security',
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
];
export const PAGE_HEADERS = Object.keys(HEADERS).filter((name) => name.startsWith('X-Pagination-') || name === 'Link');

/** References to the headers of every answer and to these. */
export function headersWith(names: readonly string[] = []): Record<string, Reference> {
  return Object.fromEntries([...ON_EVERY_ANSWER, ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
