import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../kernel/refusal.ts';
import { hasBasicCredential } from './credential.ts';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Refuses a request that changes something and whose only credential is Basic, when a page of another site sent it: a browser adds stored
 * Basic credentials to every request, also to another site's forms and images. It never adds the other credentials by itself.
 * @throws Refusal `forbidden`
 */
export function refuseForeignPage(request: FastifyRequest, publicOrigin: string | undefined): void {
  const config = request.routeOptions.config;
  if (SAFE_METHODS.has(request.method) && !config?.hasSideEffect) return;
  if (config?.lnurl || !isFromForeignPage(request, publicOrigin) || !hasBasicCredential(request)) return;
  throw new Refusal(
    'forbidden',
    'A page of another site may not use Basic authentication for requests that change something. Send the key in the X-Api-Key header.',
  );
}

/** Browsers send `Sec-Fetch-Site` over https and to localhost only, but `Origin` with every unsafe request to another origin. */
function isFromForeignPage({ headers, raw }: FastifyRequest, publicOrigin: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin } = headers;
  if (origin === undefined || origin === publicOrigin) return false;
  return !URL.canParse(origin) || new URL(origin).host !== raw.headers.host;
}

/** Whether a browser sent the request: a challenge would make it ask its user for a password, and keep it for other sites' requests. */
export function isFromBrowser({ headers }: FastifyRequest): boolean {
  return (
    headers['sec-fetch-mode'] !== undefined ||
    headers['sec-fetch-site'] !== undefined ||
    headers.origin !== undefined ||
    headers['user-agent']?.startsWith('Mozilla/') === true ||
    headers.accept?.includes('text/html') === true
  );
}
