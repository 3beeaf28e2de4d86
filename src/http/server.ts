import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
  type HookHandlerDoneFunction,
  LogController,
} from 'fastify';
import { invariant } from '../core/kernel/assert.ts';
import { newId } from '../core/kernel/ids.ts';
import { Refusal } from '../core/kernel/refusal.ts';
import type { App } from './app-type.ts';
import { rejectCrossSite, rejectForeignForms, rejectOtherPages, SAFE_METHODS } from './auth/cross-site.ts';
import { sessionCookieName } from './auth/session-cookie.ts';
import { type ErrorForm, handleErrors, type RecordDatabaseError, sendBadUrl } from './errors.ts';
import { OWN_KEYWORDS } from './field-schema.ts';
import { setCommonHeaders } from './headers.ts';
import { CycleTurns } from './limits/callers.ts';
import { limitConnectionsPerAddress } from './limits/connections.ts';
import { normalizeForwarded, type OnUnreadableAddress, trustedProxies } from './limits/forwarded.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import { limitUnreadBytes } from './limits/unread-bytes.ts';
import { rejectOtherMethods } from './methods.ts';
import { collectDocuments } from './openapi/document.ts';
import { referencePage } from './openapi/reference-page.ts';
import { type Dashboard, dashboardRoutes, readDashboard, sendPageToBrowsers } from './pages/dashboard.ts';
import { traceRequests } from './request-spans.ts';
import { BODY_LIMIT, readBodies } from './requests/body.ts';
import { normalizeRequests } from './requests/normalize.ts';
import { rejectLongQuery, rejectUnknownParameters } from './requests/query.ts';
import { sendCompactly } from './responses/compact.ts';
import { waitForEarlierCommits } from './responses/durable.ts';
import { selectFields } from './responses/select.ts';
import { sharedCompilers } from './schema-compilers.ts';
import { handleClientError, rejectConnect } from './socket-errors.ts';

/** All limits are optional: without one, nothing is limited. */
export interface ServerOptions {
  readonly limits?: RateLimits;
  /** Trusts X-Forwarded-For from this number of hops, or from these addresses. */
  readonly trustProxy?: number | string[] | undefined;
  /** Called for each entry of X-Forwarded-For that is no address and counts as the proxy's own. */
  readonly onUnreadableAddress?: OnUnreadableAddress;
  readonly maxConnections?: number;
  /** Bytes of unread responses allowed for one account, and for one address without a key. */
  readonly maxUnsentBytes?: number;
  /** Closes a connection on which nothing was sent or read for this long; default two minutes, more than any request waits. */
  readonly idleTimeoutMs?: number;
  /** Closes a connection that has not sent complete headers after this time; default 10 seconds. */
  readonly headersTimeoutMs?: number;
  /** Throws when the request has no valid key. Runs before the body and the query are read. */
  readonly authenticate?: (request: FastifyRequest) => Promise<unknown>;
  /** The URL at which clients reach the service. If it is https, responses have the header Strict-Transport-Security. */
  readonly publicUrl?: string;
  /** The hosts under which this machine reaches the service, with the port as URLs have it. */
  readonly localHosts?: readonly string[];
  /** The protocols over which wallet apps can be connected. */
  readonly appProtocols?: readonly ('nwc' | 'lndhub')[];
  /** Recognizes database outages, which are 503. Without it they are 500, like every other unexpected error. */
  readonly recordDatabaseError?: RecordDatabaseError;
  readonly errorForm?: ErrorForm;
  /** Returns the URL by which a request is routed. */
  readonly rewriteUrl?: (url: string) => string;
  /** See {@link waitForEarlierCommits}. */
  readonly ensureDurable?: () => Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 120_000;

/** One year. */
const HSTS = 'max-age=31536000';

/**
 * Creates the HTTP server with the routes that `register` adds. A known path responds 405 to methods that it does not have. HEAD runs the
 * handler of GET, except where GET has a side effect.
 */
export function createServer(log: FastifyBaseLogger, register: (app: App, dashboard: Dashboard) => void, options: ServerOptions = {}): App {
  const { maxConnections, maxUnsentBytes, authenticate } = options;
  const lnurlPaths: RegExp[] = [];
  const app = createApp(log, options, lnurlPaths);
  if (maxConnections !== undefined) limitConnections(app, maxConnections, options.trustProxy);
  app.server.on('connect', rejectConnect);
  // RFC 9110, section 10.1.1: an unknown expectation may be ignored. Node would respond 417 without a body.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  addRequestFields(app);
  app.decorate('sessionCookie', sessionCookieName(options.publicUrl?.startsWith('https:') === true));
  traceRequests(app);
  readBodies(app);
  handleErrors(app, options);
  if (options.ensureDurable) waitForEarlierCommits(app, options.ensureDurable);
  checkRequests(app, options);
  rejectUnknownParameters(app);
  normalizeRequests(app);
  selectFields(app);
  sendCompactly(app);
  if (maxUnsentBytes !== undefined) limitUnreadBytes(app, maxUnsentBytes);
  endConnectionsOnClose(app);
  if (authenticate) authenticateFirst(app, authenticate);
  app.addHook('onRoute', ({ url, config, exposeHeadRoute }) => {
    if (config?.hasSideEffect) invariant(exposeHeadRoute === false, `GET ${url} has a side effect, so it needs exposeHeadRoute: false`);
    if (config?.lnurl) lnurlPaths.push(new RegExp(`^${url.replaceAll(/:[^/]+/g, '[^/?]+')}/?([?]|$)`));
  });
  const addDocuments = collectDocuments(app);
  app.after(async () => {
    const dashboard = await readDashboard(options);
    sendPageToBrowsers(app, dashboard);
    register(app, dashboard);
    addDocuments();
    referencePage(app);
    dashboardRoutes(app, dashboard);
    rejectOtherMethods(app);
  });
  return app;
}

function createApp(
  log: FastifyBaseLogger,
  {
    trustProxy,
    headersTimeoutMs = HEADERS_TIMEOUT_MS,
    idleTimeoutMs = IDLE_TIMEOUT_MS,
    errorForm,
    rewriteUrl = (url) => url,
    onUnreadableAddress,
  }: ServerOptions,
  lnurlPaths: readonly RegExp[],
): App {
  const trusts = trustProxy === undefined ? undefined : trustedProxies(trustProxy);
  return Fastify({
    loggerInstance: sharedLogger(log),
    http: {
      // `requireHost` sends the API's error object; Node's response has no body.
      requireHostHeader: false,
      headersTimeout: headersTimeoutMs,
      // Node checks for timeouts only at this interval, which by default adds up to 30 seconds.
      connectionsCheckingInterval: headersTimeoutMs / 2,
    },
    // Two log lines per request cost 42 % of the throughput.
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: true,
    trustProxy: trusts ?? false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    connectionTimeout: idleTimeoutMs,
    keepAliveTimeout: 72_000,
    // As long as Node's limit for headers: a key that is too long gets the route's own error for an unknown key.
    routerOptions: { maxParamLength: 16_384, ignoreTrailingSlash: true },
    // The first function that Fastify calls for a request.
    rewriteUrl(raw: IncomingMessage) {
      if (trusts) normalizeForwarded(raw, trusts, onUnreadableAddress);
      return rewriteUrl(raw.url ?? '');
    },
    frameworkErrors: (_error, request, reply) => {
      const isLnurl = lnurlPaths.some((path) => path.test(request.url));
      sendBadUrl(request, reply, { errorForm, isLnurl });
    },
    clientErrorHandler: handleClientError,
    genReqId: () => newId(),
    return503OnClosing: true,
    schemaController: { compilersFactory: sharedCompilers },
    ajv: {
      // `normalizeRequests` converts values; the validator must neither convert more nor drop fields.
      customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, keywords: [...OWN_KEYWORDS] },
    },
  });
}

/** Returns a logger that all requests share. Log lines contain the request id themselves, so a child logger per request is wasted work. */
function sharedLogger(log: FastifyBaseLogger): FastifyBaseLogger {
  const shared: FastifyBaseLogger = Object.assign(Object.create(log), { child: () => shared });
  return shared;
}

/** Fastify creates each request with these fields, so that all requests have one hidden class. */
function addRequestFields(app: App): void {
  app.decorateRequest('sentCredential', undefined);
  app.decorateRequest('credential', undefined);
  app.decorateRequest('span', undefined);
  app.decorateRequest('booking', undefined);
  app.decorateRequest('mustNotWait', false);
  app.decorateRequest('chargedAddress', undefined);
  app.decorateRequest('isChargeDue', false);
}

function limitConnections(app: App, maxConnections: number, trustProxy: ServerOptions['trustProxy']): void {
  app.server.maxConnections = maxConnections;
  // Behind a trusted proxy, all connections have the proxy's address.
  if (trustProxy === undefined) limitConnectionsPerAddress(app.server, Math.ceil(maxConnections / 10));
}

/** Sets the common headers, then applies the checks that need neither query nor body. */
function checkRequests(app: App, { limits, publicUrl }: ServerOptions): void {
  const isHttps = publicUrl?.startsWith('https:');
  const publicOrigin = publicUrl && new URL(publicUrl).origin;
  const turns = new CycleTurns();
  // With a callback, because a promise per hook is measurable on the fastest routes.
  app.addHook('onRequest', (request, reply, done) => {
    setCommonHeaders(request, reply);
    if (isHttps) reply.header('strict-transport-security', HSTS);
    rejectLongQuery(request.raw.url ?? '');
    const address = limits?.admitRequest(request, reply);
    requireHost(request);
    if (!SAFE_METHODS.has(request.method)) rejectCrossSite(request, publicOrigin);
    if (address === undefined) done();
    else turns.begin(address, done);
  });
  app.addHook('onRoute', (route) => {
    const { isDocument, isForm, isForOwnPages, hasSideEffect, lnurl } = route.config ?? {};
    if (isDocument) route.onRequest = redirectTrailingSlash;
    const rejectPages = isForOwnPages ? rejectOtherPages : isForm ? rejectForeignForms : undefined;
    const reject = hasSideEffect && !lnurl ? rejectCrossSite : rejectPages;
    if (!reject) return;
    route.onRequest = (request, _reply, done) => {
      reject(request, publicOrigin);
      done();
    };
  });
}

/** The location is relative, because PUBLIC_URL may have a path. It leaves out the query, which may contain a key. */
function redirectTrailingSlash({ url, routeOptions }: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  if (url.split('?', 1)[0]?.endsWith('/')) reply.redirect(`..${routeOptions.url}`, 308);
  else done();
}

/** RFC 9112, section 3.2: HTTP/1.1 requires the header. @throws Refusal */
function requireHost({ raw }: FastifyRequest): void {
  if (raw.headers.host === undefined && raw.httpVersion === '1.1') throw new Refusal('malformed_body', 'The request has no Host header.');
}

/** Authenticates before validation, so that a request without a key gets 401 even if its body is invalid. Routes without body and query do it themselves. */
function authenticateFirst(app: App, authenticate: (request: FastifyRequest) => Promise<unknown>): void {
  app.addHook('onRoute', (route) => {
    const { schema, config } = route;
    const hasInput = schema?.body !== undefined || schema?.querystring !== undefined || config?.closedQuery;
    if (!hasInput || config?.lnurl || config?.isPublic || !/^\/(v1|playground)\//.test(route.url)) return;
    route.preParsing = async (request, _reply, payload) => {
      await authenticate(request);
      return payload;
    };
  });
}

/** A keep-alive connection, or one without a request yet, would delay the shutdown until its client closes it. */
function endConnectionsOnClose(app: App): void {
  let isClosing = false;
  const open = new Set<Socket>();
  app.server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done(null, payload);
  });
}
