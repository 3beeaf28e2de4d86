import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import { sentCredential } from './credential.ts';

/** Requests with these methods change nothing, except where a route has `hasSideEffect`. */
export const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Rejects a request that a page of another site may have caused (CSRF). Called for requests that change something. A browser adds stored
 * Basic credentials and cookies to requests by itself, also to forms and images of other sites. It never adds the other kinds of credentials.
 * @throws Refusal `forbidden`
 */
export function rejectCrossSite(request: FastifyRequest, publicOrigin: string | undefined): void {
  const kind = sentCredential(request)?.kind;
  if (kind === 'basic' && isCrossSite(request, publicOrigin)) throw new Refusal('forbidden', NO_BASIC);
  if (kind === 'session' && !isFromOwnPage(request, publicOrigin)) throw new Refusal('forbidden', OWN_PAGES_ONLY);
}

const NO_BASIC =
  'A page of another site may not use Basic authentication for requests that change something. Send the key in the X-Api-Key header.';
const OWN_PAGES_ONLY = 'Logins and sessions are for pages of this service, at the address in PUBLIC_URL. Other programs use an API key.';

/**
 * Rejects everything but the pages of this service, with or without a credential. Other pages could log their visitor in to an account of theirs.
 * @throws Refusal `forbidden`
 */
export function rejectOtherPages(request: FastifyRequest, publicOrigin: string | undefined): void {
  if (!isFromOwnPage(request, publicOrigin)) throw new Refusal('forbidden', OWN_PAGES_ONLY);
}

/** Rejects forms of other sites. Programs may send such a request. @throws Refusal `forbidden` */
export function rejectForeignForms(request: FastifyRequest, publicOrigin: string | undefined): void {
  if (isCrossSite(request, publicOrigin)) throw new Refusal('forbidden', 'Only the page of this service sends this form.');
}

/** Unlike Basic authentication, sessions are new: a request without either header comes from no current browser, and is rejected. */
function isFromOwnPage({ headers }: FastifyRequest, publicOrigin: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin !== undefined && headers.origin === publicOrigin : site === 'same-origin';
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
