import type { FastifyReply, HTTPMethods } from 'fastify';
import { Refusal } from '../kernel/refusal.ts';
import type { App } from './app-type.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Refuses the methods that an address does not have. */
    refusesMethods?: boolean;
  }
}

/** The methods that routes have, or refuse themselves. */
export const METHODS: readonly HTTPMethods[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

/** Collects the methods of every address that is registered from now on. Returns a function that lists them. */
export function collectMethods(app: App): () => [url: string, methods: ReadonlySet<string>][] {
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.refusesMethods) return;
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  return () => [...known];
}

/**
 * Refuses all other methods that Node can parse (TRACE, QUERY, those of WebDAV) at the addresses of `routes`: without this, the router
 * would call a known address unknown. A route for each of them would take memory for nothing.
 */
export function refuseForeignMethods(app: App, routes: readonly (readonly [url: string, methods: ReadonlySet<string>])[]): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!METHODS.includes(request.method as HTTPMethods)) {
      const path = request.url.replace(/\/?(\?.*)?$/, '');
      const route = routes.find(([url]) => isAt(path, url));
      throw route ? methodRefusal(reply, route[1]) : new Refusal('not_found');
    }
    done();
  });
}

/** Whether a path is one of the addresses of a route: `/v1/lntx/:id`. */
function isAt(path: string, url: string): boolean {
  const [parts, pattern] = [path.split('/'), url.split('/')];
  return parts.length === pattern.length && pattern.every((part, i) => part === parts[i] || (part.startsWith(':') && parts[i] !== ''));
}

/** RFC 9110, section 15.5.6: a 405 has the header `Allow`. */
export function methodRefusal(reply: FastifyReply, methods: ReadonlySet<string>): Refusal {
  const allowed = [...methods].sort().join(', ');
  reply.header('allow', allowed);
  return new Refusal('method_not_allowed', `This address answers to ${allowed}.`);
}
