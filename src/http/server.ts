import Fastify, { type FastifyBaseLogger, type HTTPMethods, LogController } from 'fastify';
import { newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { App } from './app-type.ts';
import { BODY_LIMIT, normalize, readBodies } from './body.ts';
import { answerBadAddress, answerBadRequest, answerErrors, commonHeaders } from './errors.ts';
import { collectRoutes } from './openapi/collect.ts';
import { descriptionRoutes } from './openapi/routes.ts';
import { selectFields } from './select.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A public LNURL route: every refusal is HTTP 200 in LNURL's form. */
    lnurl?: boolean;
    /** Not an operation of its own: the API's description leaves it out. */
    undocumented?: boolean;
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
    // A logger a request is work for nothing: what is logged carries the request's id itself.
    childLoggerFactory: (logger) => logger,
    exposeHeadRoutes: false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    // No limit below Node's 16 kB of headers: too long a key is an unknown one, and every route says so in its own way.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: answerBadAddress,
    clientErrorHandler: answerBadRequest,
    genReqId: () => newId(),
    return503OnClosing: true,
    ajv: {
      // Amounts are normalised by hand; nothing else is coerced and no field is silently dropped.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, keywords: ['zeroIsAbsent'] },
    },
  });
  readBodies(app);
  answerErrors(app);
  // Hooks that answer by a callback: a promise a hook is felt on the shortest routes.
  app.addHook('onRequest', (request, reply, done) => {
    commonHeaders(request, reply);
    done();
  });
  app.addHook('preValidation', (request, _reply, done) => {
    normalize(request);
    done();
  });
  selectFields(app);
  endConnectionsOnClose(app);
  const known = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = known.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    known.set(url, methods);
  });
  const described = collectRoutes(app);
  register(app);
  descriptionRoutes(app, described);
  for (const [url, methods] of [...known]) refuseOtherMethods(app, url, methods);
  return app;
}

/** A connection that is kept alive would keep a closing server alive as well, for as long as its client likes. */
function endConnectionsOnClose(app: App): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
}

function refuseOtherMethods(app: App, url: string, methods: ReadonlySet<string>): void {
  const allowed = [...methods].sort().join(', ');
  app.route({
    method: METHODS.filter((method) => !methods.has(method)),
    url,
    config: { undocumented: true },
    handler: (_request, reply) => {
      reply.header('allow', allowed);
      throw new Refusal('method_not_allowed', `This address answers to ${allowed}.`);
    },
  });
}
