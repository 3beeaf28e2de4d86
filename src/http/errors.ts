import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ConnectionError, FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../kernel/ids.ts';
import { errorMessage } from '../kernel/log.ts';
import { Refusal } from '../kernel/refusal.ts';
import { NodeUnavailable } from '../lightning/node.ts';
import type { App } from './app-type.ts';
import { isFromBrowser } from './auth/cross-site.ts';
import { CORS_HEADERS, isOpenToPages } from './cors.ts';
import type { Limits } from './limits/rate-limits.ts';
import { METHODS } from './methods.ts';
import { describeInvalid } from './requests/validation-errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Set as soon as a request has booked something, or shows what an earlier request booked. From then on an error says nothing about the
     * money.
     */
    mayHaveBooked: boolean;
  }
}

/** Returns what an error means for the database operation that met it, and undefined when the database itself works. */
export type NoteFailure = (error: unknown) => 'nothing written' | 'outcome unknown' | undefined;

/** Sends every error as the error object; on the public LNURL routes in LNURL's form. */
export function answerErrors(app: App, limits?: Limits, noteFailure: NoteFailure = () => undefined): void {
  app.decorateRequest('mayHaveBooked', false);
  app.setErrorHandler((error, request, reply) => {
    // Trouble of the database is logged when it begins and ends, not for each request.
    const trouble = noteFailure(error);
    if (trouble !== undefined) return sendError(request, reply, databaseRefusal(trouble, request));
    return sendError(request, reply, charged(toRefusal(error as Error, request), request, limits));
  });
  app.setNotFoundHandler((request, reply) => sendError(request, reply, new Refusal('not_found', NO_SUCH_ADDRESS)));
}

/** 503 promises that this request booked nothing. When that is not certain, it is 500. */
function databaseRefusal(trouble: 'nothing written' | 'outcome unknown', request: FastifyRequest): Refusal {
  if (trouble === 'outcome unknown' || request.mayHaveBooked) return new Refusal('internal_error');
  // The key could not be looked up, so this may be a retry of a request that did book something.
  return new Refusal('database_unavailable', request.headers['idempotency-key'] === undefined ? undefined : UNAVAILABLE_FOR_A_RETRY);
}

const UNAVAILABLE_FOR_A_RETRY =
  'The database cannot be used right now. This request booked nothing, but an earlier one with the same Idempotency-Key may have. Send it ' +
  'again after Retry-After seconds, with the same key.';

/** Charges a rejected request that was not charged before. Beyond its limit the response is 429. */
function charged(refusal: Refusal, request: FastifyRequest, limits: Limits | undefined): Refusal {
  if (refusal.status >= 500) return refusal;
  try {
    limits?.charge(request);
    return refusal;
  } catch (error) {
    return error instanceof Refusal ? error : refusal;
  }
}

/** For whoever opens the service in a browser, or got an address wrong. */
export const NO_SUCH_ADDRESS = 'There is no such address. GET /docs shows those that there are.';

/** Nothing that is answered here is a page: should a browser take it for one, it runs and frames nothing. */
const CONSTANT_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

const OPEN_HEADERS = { ...CONSTANT_HEADERS, ...CORS_HEADERS };

/** What is on every answer. */
export function commonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).headers(isOpenToPages(request.url) ? OPEN_HEADERS : CONSTANT_HEADERS);
}

/** For an address that cannot be read: no route and no hook has seen it. Fastify's own answer would repeat it, with its keys. */
export function answerBadAddress(request: FastifyRequest, reply: FastifyReply, isLnurl: boolean): void {
  commonHeaders(request, reply);
  sendError(request, reply, new Refusal('malformed_body', 'The address cannot be read.'), isLnurl);
}

/** For what never became a request: not HTTP, too slow, or headers that are too large. */
export function answerBadRequest(error: ConnectionError, socket: Socket): void {
  // Who has asked nothing is answered nothing: some clients open a connection ahead of their request, and an answer would be taken for its.
  if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesRead === 0) {
    socket.destroy();
    return;
  }
  endWithError(socket, unreadable(error));
}

function unreadable({ code, rawPacket }: ConnectionError): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('payload_too_large', 'The request line and the headers must be at most 16 kB.');
  const isRequest = code === 'HPE_INVALID_METHOD' && /^[A-Z-]+ \S+ HTTP\/1\.[01]\r\n/.test(String(rawPacket));
  return isRequest ? new Refusal('method_not_allowed') : new Refusal('malformed_body', 'The request cannot be read.');
}

/** CONNECT asks for a tunnel. Node hands over the bare socket and listens to it no more: an error that nobody hears ends the process. */
export function answerConnect(_request: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  endWithError(socket, new Refusal('malformed_body', 'This service is no proxy.'));
}

/** What came before on the connection may be a payment that is under way, and its client must not take this for its answer. */
function endWithError(socket: Duplex & { readonly _httpMessage?: ServerResponse | null }, refusal: Refusal): void {
  // Node has no public name for the answer that the connection waits for.
  if (socket._httpMessage?.req.complete) {
    socket.destroy();
    return;
  }
  const id = newId();
  const body = JSON.stringify(errorObject(refusal, id));
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Cache-Control: no-store',
    // Its address is not known, and the error holds nothing that a page of another origin must not read.
    ...Object.entries(CORS_HEADERS).map(([name, value]) => `${name}: ${value}`),
    ...(refusal.status === 405 ? [`Allow: ${METHODS.join(', ')}`] : []),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  destroyLater(socket);
}

const LINGER_MS = 1000;

/** A socket that is destroyed while its client still sends is reset, and the client loses the response. */
function destroyLater(socket: Duplex): void {
  socket.removeAllListeners('data');
  socket.on('data', () => undefined).once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
}

function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  isLnurl = request.routeOptions.config?.lnurl,
): FastifyReply {
  if (isLnurl) {
    // LUD-03: refusals are HTTP 200 with a reason.
    return reply
      .code(200)
      .header('cache-control', 'no-store')
      .type('application/json')
      .serializer(JSON.stringify)
      .send({ status: 'ERROR', reason: refusal.message });
  }
  if (refusal.status === 401 && !isFromBrowser(request)) reply.header('www-authenticate', 'Basic realm="api"');
  if (refusal.status === 503 || refusal.status === 429) reply.header('retry-after', '1');
  return reply
    .code(refusal.status)
    .header('cache-control', 'no-store')
    .type('application/json')
    .serializer(JSON.stringify)
    .send(errorObject(refusal, request.id));
}

function errorObject(refusal: Refusal, requestId: string) {
  return {
    name: STATUS_CODES[refusal.status],
    message: refusal.message,
    code: 0,
    status: refusal.status,
    type: refusal.type,
    request_id: requestId,
    ...(refusal.walletTransactionId !== undefined && { wtx_id: refusal.walletTransactionId }),
  };
}

/** What the caller is told. Anything unexpected is logged, without the URL (it may carry keys), and answered without detail. */
function toRefusal(error: Error & Partial<FastifyError>, request: FastifyRequest): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof NodeUnavailable) return new Refusal('node_unavailable');
  if (error.validation) return describeInvalid(error, request);
  switch (error.statusCode) {
    case 413:
      return new Refusal('payload_too_large');
    case 415:
      return new Refusal('unsupported_media_type');
    case 400:
      return new Refusal('malformed_body', 'The request cannot be read.');
    case 414:
    case 404:
      return new Refusal('not_found');
    default:
      request.log.error(
        { requestId: request.id, route: request.routeOptions.url, error: errorMessage(error), stack: error.stack },
        'unexpected error',
      );
      return new Refusal('internal_error');
  }
}
