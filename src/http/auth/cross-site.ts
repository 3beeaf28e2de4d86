import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../kernel/refusal.ts';
import { hasBasicCredential } from './credential.ts';

/** Requests with these methods change nothing, except where a route has `hasSideEffect`. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects a cross-site request that authenticates with HTTP Basic. Called for requests that change something. A browser adds stored Basic credentials to every
 * request, also to forms and images of other sites (CSRF). It never adds the other kinds of credentials by itself.
 * @throws Refusal `forbidden`
 */
export function rejectCrossSiteBasic(request: FastifyRequest, publicOrigin: string | undefined): void {
  if (!isCrossSite(request, publicOrigin) || !hasBasicCredential(request)) return;
  throw new Refusal(
    'forbidden',
    'A page of another site may not use Basic authentication for requests that change something. Send the key in the X-Api-Key header.',
  );
}

/** Browsers send `Sec-Fetch-Site` only over https and to localhost, but `Origin` with every unsafe cross-origin request. */
function isCrossSite({ headers, raw }: FastifyRequest, publicOrigin: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined || origin === publicOrigin) return false;
  return !URL.canParse(origin) || new URL(origin).host !== raw.headers.host;
}

/**
 * Returns whether a browser sent the request. Browsers get no Basic challenge: they would ask their user for a password and then send it
 * with the requests of other sites, too.
 */
export function isFromBrowser({ headers }: FastifyRequest): boolean {
  return (
    headers['sec-fetch-mode'] !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers.origin !== undefined ||
    headers['user-agent']?.startsWith('Mozilla/') === true ||
    headers.accept?.includes('text/html') === true
  );
}
