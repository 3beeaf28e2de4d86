import type { App } from '../app-type.ts';
import type { RouteSchema } from './json-schema.ts';
import { METHODS, type Method } from './openapi-types.ts';

/** What a route says of itself. */
export interface RouteFacts {
  readonly method: Method;
  /** As the router writes it: `/v1/wallet/:key`. */
  readonly url: string;
  readonly schemas: {
    readonly params?: RouteSchema;
    readonly querystring?: RouteSchema;
    readonly body?: RouteSchema;
    readonly response?: Record<string, RouteSchema>;
  };
  /** Whether refusals have LNURL's form. */
  readonly lnurl: boolean;
}

/** Notes every route that is added from now on, unless its config says `undocumented`. */
export function collectRoutes(app: App): readonly RouteFacts[] {
  const routes: RouteFacts[] = [];
  app.addHook('onRoute', ({ url, method, schema, config }) => {
    if (config?.undocumented) return;
    for (const one of [method].flat()) {
      const known = METHODS.find((name) => name === one.toLowerCase());
      if (known) routes.push({ method: known, url, schemas: (schema ?? {}) as RouteFacts['schemas'], lnurl: config?.lnurl === true });
    }
  });
  return routes;
}
