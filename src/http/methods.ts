import type { FastifyReply, HTTPMethods } from 'fastify';
import { Refusal } from '../core/kernel/refusal.ts';
import type { App } from './app-type.ts';
import { allowsCrossOrigin, sendPreflight } from './cors.ts';

/** The methods that routes accept, or reject themselves. */
export const METHODS: readonly HTTPMethods[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

type PathMethods = readonly [url: string, methods: ReadonlySet<string>];

/** Collects the methods of each path that is registered from now on. Returns a function that lists them. */
export function collectMethods(app: App): () => PathMethods[] {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.rejectsMethods) return;
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  return () => [...known];
}

/** Adds routes that respond 405 to the methods that a known path does not have, and handle CORS preflight requests. */
export function rejectOtherMethods(app: App, paths: readonly PathMethods[]): void {
  for (const [url, methods] of paths) {
    const allowed = [...methods].sort().join(', ');
    app.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url,
      config: { undocumented: true, rejectsMethods: true },
      handler: (request, reply) => {
        if (request.method === 'OPTIONS' && allowsCrossOrigin(url)) return sendPreflight(request, reply, allowed);
        throw methodNotAllowed(reply, methods);
      },
    });
  }
  rejectUnknown(app, paths);
}

/** For people who open the service in a browser, and for wrong base URLs. */
export const UNKNOWN_PATH = 'This path does not exist. GET /docs lists the paths of this service.';

/**
 * Responds 404 to unknown paths, and 405 to the other methods that Node can parse (TRACE, QUERY, those of WebDAV), for which a route each would
 * only take memory. Both without reading the body: parsing it took longer than any other public request.
 */
function rejectUnknown(app: App, paths: readonly PathMethods[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) return done();
    const path = request.url.replace(/\/?(\?.*)?$/, '');
    const known = METHODS.includes(request.method as HTTPMethods) ? undefined : paths.find(([url]) => matchesRoute(path, url));
    throw known ? methodNotAllowed(reply, known[1]) : new Refusal('not_found', UNKNOWN_PATH);
  });
}

/** Returns whether a path belongs to a route such as `/v1/lntx/:id`. */
function matchesRoute(path: string, url: string): boolean {
  const [parts, pattern] = [path.split('/'), url.split('/')];
  return parts.length === pattern.length && pattern.every((part, i) => part === parts[i] || (part.startsWith(':') && parts[i] !== ''));
}

/** RFC 9110, section 15.5.6: a 405 has the header `Allow`. */
function methodNotAllowed(reply: FastifyReply, methods: ReadonlySet<string>): Refusal {
  const allowed = [...methods].sort().join(', ');
  reply.header('allow', allowed);
  return new Refusal('method_not_allowed', `This path accepts only ${allowed}.`);
}
