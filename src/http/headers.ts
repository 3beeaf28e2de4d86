import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowsCrossOrigin, CORS_HEADERS } from './cors.ts';

/** No response is a document for a browser, except those pages that set their own Content-Security-Policy. */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

const CROSS_ORIGIN_HEADERS = { ...SECURITY_HEADERS, ...CORS_HEADERS };

/** Sets the headers that every response has. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).headers(allowsCrossOrigin(request.url) ? CROSS_ORIGIN_HEADERS : SECURITY_HEADERS);
}

/** Returns the Content-Security-Policy of a page with one inline style and inline images, without scripts, forms or other resources. */
export function pagePolicy(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
