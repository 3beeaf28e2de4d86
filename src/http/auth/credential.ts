import type { FastifyRequest } from 'fastify';
import { canonicalText } from '../../core/accounts/keys.ts';
import { sessionSecret } from './session-cookie.ts';

/** The credential that was sent with a request, before it is checked. */
export interface SentCredential {
  /** Canonical, so that both spellings of a key's prefix share one rate limit; `session_…` for a session; the key's id for a token. */
  readonly text: string;
  /** Browsers add `basic` and `session` to requests by themselves, but never the others. A `token` was signed by this service. */
  readonly kind: 'key' | 'basic' | 'session' | 'token';
}

/** Returns the credential of a request. Some routes read it in another way than the others. */
export function sentCredential(request: FastifyRequest): SentCredential | undefined {
  request.sentCredential ??= (request.routeOptions.config?.readCredential ?? readCredential)(request) ?? null;
  return request.sentCredential ?? undefined;
}

/** Reads the first of these: X-Api-Key, Authorization: Bearer, ?access-token=, the user name of Authorization: Basic, the cookie of a session. */
function readCredential(request: FastifyRequest): SentCredential | undefined {
  const key = sentKey(request);
  if (key !== undefined) return { text: canonicalText(key), kind: 'key' };
  const basic = /^basic +([a-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (basic) return { text: canonicalText(Buffer.from(basic, 'base64').toString('utf8').split(':')[0] ?? ''), kind: 'basic' };
  const secret = sessionSecret(request);
  return secret === undefined ? undefined : { text: `${SESSION_PREFIX}${secret}`, kind: 'session' };
}

export const SESSION_PREFIX = 'session_';

function sentKey(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header.trim();
  const bearer = bearerToken(request);
  if (bearer !== undefined) return bearer;
  const token = (request.query as Record<string, unknown>)['access-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** RFC 6750, section 2.1. */
export function bearerToken({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
}
