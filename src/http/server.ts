import Fastify, { type FastifyBaseLogger, type HTTPMethods, LogController } from 'fastify';
import { newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { App } from './app-type.ts';
import { BODY_LIMIT, normalize, readBodies } from './body.ts';
import { answerErrors } from './errors.ts';
import { selectFields } from './select.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A public LNURL route: every refusal is HTTP 200 in LNURL's form. */
    lnurl?: boolean;
  }
}

const METHODS: readonly HTTPMethods[] = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/**
 * The HTTP server around the routes that `register` adds: bodies, limits, request ids, errors, `fields`.
 * Known paths answer 405 to methods they do not have, HEAD included: an automatic HEAD would run a GET that has effects.
 */
export function createServer(log: FastifyBaseLogger, register: (app: App) => void): App {
  const app: App = Fastify({
    loggerInstance: log,
    // Two log lines a request cost 42 % of the throughput.
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    routerOptions: { maxParamLength: 256 },
    genReqId: () => newId(),
    return503OnClosing: true,
    ajv: {
      // Amounts are normalised by hand; nothing else is coerced and no field is silently dropped.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, keywords: ['zeroIsAbsent'] },
    },
  });
  readBodies(app);
  answerErrors(app);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });
  app.addHook('preValidation', normalize);
  selectFields(app);
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  register(app);
  for (const [url, methods] of [...known]) refuseOtherMethods(app, url, methods);
  return app;
}

function refuseOtherMethods(app: App, url: string, methods: ReadonlySet<string>): void {
  const allowed = [...methods].sort().join(', ');
  app.route({
    method: METHODS.filter((method) => !methods.has(method)),
    url,
    handler: (_request, reply) => {
      reply.header('allow', allowed);
      throw new Refusal('method_not_allowed', `This address answers to ${allowed}.`);
    },
  });
}
