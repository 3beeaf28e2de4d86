import type { FastifyRequest } from 'fastify';
import { canonicalText } from '../../accounts/keys.ts';

/**
 * Returns the first credential that is present: X-Api-Key, Bearer, ?access-token=, the user name of Basic. A key has one text for both
 * spellings of its prefix, so counts by this text count it once.
 */
export function credentialText(request: FastifyRequest): string | undefined {
  const sent = sentText(request);
  return sent === undefined ? undefined : canonicalText(sent);
}

/** Whether the credential that counts is HTTP Basic. */
export function hasBasicCredential(request: FastifyRequest): boolean {
  return explicitText(request) === undefined && basicText(request) !== undefined;
}

function sentText(request: FastifyRequest): string | undefined {
  return explicitText(request) ?? basicText(request);
}

/** A credential that a browser never adds by itself. */
function explicitText(request: FastifyRequest): string | undefined {
  const header = request.headers['x-api-key'];
  if (typeof header === 'string' && header !== '') return header.trim();
  const bearer = bearerOf(request);
  if (bearer !== undefined) return bearer;
  const token = (request.query as Record<string, unknown>)['access-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
}

function basicText(request: FastifyRequest): string | undefined {
  const basic = /^basic +([a-z0-9+/=_-]+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return basic ? Buffer.from(basic, 'base64').toString('utf8').split(':')[0] : undefined;
}

/** RFC 6750, section 2.1. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(.+)$/i.exec(headers.authorization ?? '')?.[1]?.trim();
}
