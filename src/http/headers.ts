import type { FastifyReply, FastifyRequest } from 'fastify';
import { allowsCrossOrigin, CORS_HEADERS } from './cors.ts';

/** No response is a document for a browser, except those pages that set their own Content-Security-Policy. */
const SECURITY_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
};

const CROSS_ORIGIN_HEADERS = { ...SECURITY_HEADERS, ...CORS_HEADERS };

/** Sets the headers that every response has. */
export function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).headers(allowsCrossOrigin(request.url) ? CROSS_ORIGIN_HEADERS : SECURITY_HEADERS);
}

/** The sources of a page that loads scripts, styles and data from the service itself, and nothing else. `data:` is for the pictures of pay links. */
export const OWN_SOURCES = {
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'require-trusted-types-for': "'script'",
};

/** Returns the Content-Security-Policy of a page that loads only from these sources. Unless they allow it, it has no forms and cannot be framed. */
export function contentPolicy(sources: Readonly<Record<string, string>>, baseUri = "'none'"): string {
  const common = { 'base-uri': baseUri, 'form-action': "'none'", 'frame-ancestors': "'none'" };
  // The sources come first, and replace what is common.
  const directives = Object.entries({ 'default-src': "'none'", ...sources, ...common, ...sources });
  return directives.map(([name, value]) => `${name} ${value}`).join('; ');
}
