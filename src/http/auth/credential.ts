import type { FastifyRequest } from 'fastify';
import { canonicalText } from '../../core/accounts/keys.ts';
import { sessionSecret } from './session-cookie.ts';

/**
 * Returns the credential of a request. The first of these is used: X-Api-Key, Authorization: Bearer, ?access-token=, the user name of
 * Authorization: Basic, the cookie of a session. The text is canonical, so that both spellings of a key's prefix share one rate limit.
 */
export function credentialText(request: FastifyRequest): string | undefined {
  const sent = explicitCredential(request) ?? basicUserName(request);
  if (sent !== undefined) return canonicalText(sent);
  const secret = sessionSecret(request);
  return secret === undefined ? undefined : `session_${secret}`;
}

/** Returns the secret of the session that authenticates the request; undefined if it has another credential. */
export function sessionCredential(request: FastifyRequest): string | undefined {
  if (explicitCredential(request) !== undefined || basicUserName(request) !== undefined) return undefined;
  return sessionSecret(request);
}

/** Returns whether the credential of the request is HTTP Basic. */
export function hasBasicCredential(request: FastifyRequest): boolean {
  return explicitCredential(request) === undefined && basicUserName(request) !== undefined;
}

/** Returns a credential of the kinds that a browser never adds by itself. */
function explicitCredential(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header.trim();
  const bearer = bearerToken(request);
  if (bearer !== undefined) return bearer;
  const token = (request.query as Record<string, unknown>)['access-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function basicUserName(request: FastifyRequest): string | undefined {
  const basic = /^basic +([a-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return basic ? Buffer.from(basic, 'base64').toString('utf8').split(':')[0] : undefined;
}

/** RFC 6750, section 2.1. */
export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
}
