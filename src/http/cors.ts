import type { FastifyReply, FastifyRequest } from 'fastify';

/** The API, the public LNURL addresses and public documents may be read by any page. Keys travel in headers, so there are no cookies to steal. */
const OPEN = /^\/((v1|\.well-known\/lnurlp)\/|(healthz|readyz|openapi\.json)\/?($|\?))/;

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const EXPOSED = [
  'X-Request-Id',
  'Retry-After',
  'Link',
  'Location',
  'Allow',
  'Idempotency-Replayed',
  'Content-Disposition',
  'X-Pagination-Total-Count',
  'X-Pagination-Page-Count',
  'X-Pagination-Current-Page',
  'X-Pagination-Per-Page',
  'X-Pagination-Total-Capped',
].join(', ');
const MAX_AGE_SECONDS = 600;
/** A list of header names (RFC 9110, section 5.1); whatever else was asked for is not repeated. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

export function isOpenToPages(url: string): boolean {
  return OPEN.test(url);
}

/** Let any page read the answer, errors included. Source: Fetch standard, "CORS protocol". */
export const CORS_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };

/** Answers a browser that asks before it asks. */
export function answerPreflight(request: FastifyRequest, reply: FastifyReply, allowed: string): FastifyReply {
  const wanted = request.headers['access-control-request-headers'];
  reply.headers({ allow: allowed, vary: 'Access-Control-Request-Headers', 'access-control-allow-methods': METHODS });
  reply.header('access-control-max-age', MAX_AGE_SECONDS);
  if (wanted !== undefined && HEADER_NAMES.test(wanted)) reply.header('access-control-allow-headers', wanted);
  return reply.code(204).send();
}
