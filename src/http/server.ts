import Fastify, { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import { invariant } from '../kernel/assert.ts';
import { newId } from '../kernel/ids.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { App } from './app-type.ts';
import { refuseForeignPage } from './auth/cross-site.ts';
import { answerPreflight, isOpenToPages } from './cors.ts';
import { answerBadAddress, answerBadRequest, answerConnect, answerErrors, commonHeaders, type NoteFailure } from './errors.ts';
import { OWN_KEYWORDS } from './field-schema.ts';
import { impatience, shareConnections } from './limits/connections.ts';
import type { Limits } from './limits/rate-limits.ts';
import { limitUnsentBytes } from './limits/unread-responses.ts';
import { collectMethods, METHODS, methodRefusal, refuseForeignMethods } from './methods.ts';
import { collectRoutes } from './openapi/collect.ts';
import { descriptionRoutes } from './openapi/routes.ts';
import { BODY_LIMIT, readBodies } from './requests/body.ts';
import { normalize } from './requests/normalize.ts';
import { refuseUnknownParameters } from './requests/query.ts';
import { selectFields } from './responses/select.ts';
import { startPage } from './routes/start-page.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A public LNURL route: every refusal is HTTP 200 in LNURL's form. */
    lnurl?: boolean;
    /** A GET that changes something: it has no HEAD, and pages of other sites may not send it with Basic credentials. */
    hasSideEffect?: boolean;
    /** Has relative links, so that its address must not end with a slash. */
    isDocument?: boolean;
    /** For everybody, without a key. */
    isPublic?: boolean;
    /** Not an operation of its own: the API's description leaves it out. */
    undocumented?: boolean;
  }
}

/** What the operator decides about the server. */
export interface ServerOptions {
  readonly limits?: Limits;
  /** Whose X-Forwarded-For counts: a number of hops, or addresses; without it nobody's. */
  readonly trustProxy?: number | string[] | undefined;
  readonly maxConnections?: number;
  /** How much one key, and one address, may leave unread; without it, any amount. */
  readonly maxUnsentBytes?: number;
  /** How long a client may read nothing of a response; fifteen seconds unless given. */
  readonly stallMs?: number;
  /** How long a connection may take to say what it wants; ten seconds unless given. */
  readonly headersTimeoutMs?: number;
  /** Throws when the request shows no key; asked before a body or query is read. */
  readonly authenticate?: (request: FastifyRequest) => Promise<unknown>;
  /** The address at which clients reach the service. With https they are told to use nothing else. */
  readonly publicUrl?: string;
  /** Recognizes trouble of the database. Without it every error that is no refusal is a 500. */
  readonly noteFailure?: NoteFailure;
}

/** A year. */
const HSTS = 'max-age=31536000';

/**
 * The HTTP server around the routes that `register` adds: bodies, limits, request ids, errors, `fields`.
 * Known paths answer 405 to methods that they do not have. HEAD runs the handler of GET, except where GET has a side effect.
 */
export function createServer(log: FastifyBaseLogger, register: (app: App) => void, options: ServerOptions = {}): App {
  const { limits, trustProxy, maxConnections, headersTimeoutMs, authenticate, publicUrl, noteFailure } = options;
  const isHttps = publicUrl?.startsWith('https:');
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  const lnurlPatterns: RegExp[] = [];
  const app: App = Fastify({
    loggerInstance: log,
    // Node's own refusal of a request without Host is empty; ours is below.
    http: { requireHostHeader: false, ...impatience(headersTimeoutMs) },
    // Two log lines a request cost 42 % of the throughput.
    logController: new LogController({ disableRequestLogging: true }),
    // A logger a request is work for nothing: what is logged carries the request's id itself.
    childLoggerFactory: (logger) => logger,
    exposeHeadRoutes: true,
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : (trustProxy ?? false),
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    // No limit below Node's 16 kB of headers: too long a key is an unknown one, and every route says so in its own way.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    frameworkErrors: (_error, request, reply) => {
      const isLnurl = lnurlPatterns.some((pattern) => pattern.test(request.url));
      answerBadAddress(request, reply, isLnurl);
    },
    clientErrorHandler: answerBadRequest,
    genReqId: () => newId(),
    return503OnClosing: true,
    ajv: {
      // Amounts are normalised by hand; nothing else is coerced and no field is silently dropped.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, keywords: [...OWN_KEYWORDS] },
    },
  });
  if (maxConnections !== undefined) limitConnections(app, maxConnections, trustProxy);
  app.server.on('connect', answerConnect);
  // RFC 9110, section 10.1.1: an expectation that nobody knows may be passed over. Node would refuse it with an empty answer.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  addRequestFields(app);
  readBodies(app);
  answerErrors(app, limits, noteFailure);
  // Hooks that answer by a callback: a promise a hook is felt on the shortest routes.
  app.addHook('onRequest', (request, reply, done) => {
    commonHeaders(request, reply);
    if (isHttps) reply.header('strict-transport-security', HSTS);
    limits?.admit(request, reply);
    if (redirectTrailingSlash(request, reply)) return;
    requireHost(request);
    refuseForeignPage(request, publicOrigin);
    done();
  });
  refuseUnknownParameters(app);
  app.addHook('preValidation', (request, _reply, done) => {
    normalize(request);
    done();
  });
  selectFields(app);
  const { maxUnsentBytes, stallMs } = options;
  if (maxUnsentBytes !== undefined) limitUnsentBytes(app, { maxUnsentBytes, ...(stallMs !== undefined && { stallMs }) });
  endConnectionsOnClose(app);
  if (authenticate) authenticateFirst(app, authenticate);
  app.addHook('onRoute', ({ url, config, exposeHeadRoute }) => {
    if (config?.hasSideEffect) invariant(exposeHeadRoute === false, `GET ${url} has a side effect, so it needs exposeHeadRoute: false`);
    if (config?.lnurl) lnurlPatterns.push(new RegExp(`^${url.replaceAll(/:[^/]+/g, '[^/?]+')}/?([?]|$)`));
  });
  const known = collectMethods(app);
  const described = collectRoutes(app);
  register(app);
  descriptionRoutes(app, described);
  startPage(app);
  for (const [url, methods] of known()) refuseOtherMethods(app, url, methods);
  refuseForeignMethods(app, known());
  return app;
}

/** Fastify makes each request with these fields, so that all requests have one shape. */
function addRequestFields(app: App): void {
  app.decorateRequest('credential', undefined);
  app.decorateRequest('mustNotWait', false);
  app.decorateRequest('chargedAddress', undefined);
  app.decorateRequest('isChargeDue', false);
}

function limitConnections(app: App, maxConnections: number, trustProxy: ServerOptions['trustProxy']): void {
  app.server.maxConnections = maxConnections;
  // All connections come from a trusted proxy.
  if (trustProxy === undefined) shareConnections(app.server, Math.ceil(maxConnections / 10));
}

/** The location is relative, because PUBLIC_URL may have a path, and leaves out the query, which may contain a key. */
function redirectTrailingSlash({ url, routeOptions: { config, url: route } }: FastifyRequest, reply: FastifyReply): boolean {
  if (!config?.isDocument || !url.split('?', 1)[0]?.endsWith('/')) return false;
  reply.redirect(`..${route}`, 308);
  return true;
}

/** RFC 9112, section 3.2: without it, HTTP/1.1 is refused. @throws Refusal */
function requireHost({ raw }: FastifyRequest): void {
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') throw new Refusal('malformed_body', 'The request has no Host header.');
}

/** Whoever shows no key is told so, and not what is wrong with his body. Routes without either ask for the key themselves. */
function authenticateFirst(app: App, authenticate: (request: FastifyRequest) => Promise<unknown>): void {
  app.addHook('onRoute', (route) => {
    const { schema, config } = route;
    const reads = schema?.body !== undefined || schema?.querystring !== undefined || config?.closedQuery;
    if (!reads || config?.lnurl || config?.isPublic || !/^\/(v1|playground)\//.test(route.url)) return;
    route.preParsing = async (request, _reply, payload) => {
      await authenticate(request);
      return payload;
    };
  });
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
    config: { undocumented: true, refusesMethods: true },
    handler: (request, reply) => {
      if (request.method === 'OPTIONS' && isOpenToPages(url)) return answerPreflight(request, reply, allowed);
      throw methodRefusal(reply, methods);
    },
  });
}
