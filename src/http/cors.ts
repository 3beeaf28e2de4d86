import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Cross-origin requests may read the API, the public LNURL and Nostr addresses, the LNDhub API and public documents. Credentials are never cookies,
 * so any origin is allowed.
 */
const CROSS_ORIGIN_PATHS =
  /^\/((v1|lnurlp|\.well-known\/lnurlp|lndhub)\/|(healthz|readyz|openapi\.json|\.well-known\/nostr\.json|getinfo)\/?($|\?))/;

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const MAX_AGE_SECONDS = 600;
/** A list of header names (RFC 9110, section 5.1). Other text is not echoed. */
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;

export function allowsCrossOrigin(url: string): boolean {
  return CROSS_ORIGIN_PATHS.test(url);
}

/** On every response of these paths, errors included. `*` exposes all headers. Source: Fetch standard, "CORS protocol". */
export const CORS_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

/** Responds to a CORS preflight request. `methods` are those of the route. */
export function sendPreflight(request: FastifyRequest, reply: FastifyReply, methods: string): FastifyReply {
  const requested = request.headers['access-control-request-headers'];
  reply.headers({ allow: methods, vary: 'Access-Control-Request-Headers', 'access-control-allow-methods': ALLOWED_METHODS });
  reply.header('access-control-max-age', MAX_AGE_SECONDS);
  if (requested !== undefined && HEADER_NAMES.test(requested)) reply.header('access-control-allow-headers', requested);
  return reply.code(204).send();
}
