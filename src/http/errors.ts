import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { withBookingMark } from '../core/kernel/booking-mark.ts';
import { errorMessage } from '../core/kernel/log.ts';
import { Refusal } from '../core/kernel/refusal.ts';
import { runIn } from '../core/kernel/tracing.ts';
import { NodeUnavailable } from '../core/lightning/node.ts';
import type { App } from './app-type.ts';
import { isFromBrowser } from './auth/cross-site.ts';
import { setCommonHeaders } from './headers.ts';
import { callerOf } from './limits/callers.ts';
import type { RateLimits } from './limits/rate-limits.ts';
import { sendNotFoundPage } from './pages/not-found.ts';
import { acceptsPage, sendLnurlErrorPage } from './pages/page.ts';
import { describeInvalid } from './requests/validation-errors.ts';

/**
 * Returns what a database error means for the transaction that it ended. Returns undefined for an error that is no database outage.
 */
export type RecordDatabaseError = (error: unknown) => DatabaseFailure | undefined;

type DatabaseFailure = 'nothing written' | 'outcome unknown';

/** The form of the errors of some paths, instead of the API's error object. */
export interface ErrorForm {
  hasPath(path: string): boolean;
  render(refusal: Refusal, request: FastifyRequest): { readonly status: number; readonly body: object };
}

interface ErrorOptions {
  readonly limits?: RateLimits | undefined;
  readonly recordDatabaseError?: RecordDatabaseError | undefined;
  readonly errorForm?: ErrorForm | undefined;
}

/**
 * Sends each error as the API's error object, on the public LNURL routes as LUD-03 describes, and on the paths of `errorForm` in that form. A browser
 * that opens an unknown path gets a page.
 */
export function handleErrors(app: App, { limits, recordDatabaseError = () => undefined, errorForm }: ErrorOptions): void {
  markBookings(app, limits);
  const send = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => sendError(request, reply, refusal, { errorForm });
  app.setErrorHandler((error, request, reply) => {
    // An outage is logged when it begins and when it ends, not for each request.
    const failure = recordDatabaseError(error);
    if (failure !== undefined) return send(request, reply, databaseRefusal(failure, request));
    return send(request, reply, chargeRefusal(toRefusal(error as Error, request), request, limits));
  });
}

/** Gives each request a mark that its commits set. Background work of the request keeps only the mark, not the request. */
function markBookings(app: App, limits: RateLimits | undefined): void {
  app.addHook('onRoute', (route) => {
    const { handler } = route;
    route.handler = function (request, reply) {
      const { span, credential } = request;
      const { payer } = callerOf(request);
      // A request that changes something is charged for its lines.
      const chargeTurn = request.method === 'GET' ? limits?.chargeTurn : undefined;
      request.booking = { mayHaveBooked: false, span, accountId: credential?.key.accountId, payer, chargeTurn, turns: 0 };
      return withBookingMark(request.booking, () => runIn(span, () => handler.call(this, request, reply)));
    };
  });
}

/** 503 promises that this request booked nothing. When that is not certain, the status is 500. */
function databaseRefusal(failure: DatabaseFailure, request: FastifyRequest): Refusal {
  if (failure === 'outcome unknown' || request.booking?.mayHaveBooked) return new Refusal('internal_error');
  // The Idempotency-Key could not be looked up, so an earlier request may have booked something.
  return new Refusal('database_unavailable', request.headers['idempotency-key'] === undefined ? undefined : UNAVAILABLE_FOR_A_RETRY);
}

const UNAVAILABLE_FOR_A_RETRY =
  'The database cannot be used right now. This request booked nothing, but an earlier one with the same Idempotency-Key may have. Send it ' +
  'again after Retry-After seconds, with the same key.';

/** Charges a rejected request that was admitted without a charge. Beyond its rate limit, the response is 429. */
function chargeRefusal(refusal: Refusal, request: FastifyRequest, limits: RateLimits | undefined): Refusal {
  if (refusal.status >= 500) return refusal;
  try {
    limits?.chargeRequest(request);
    return refusal;
  } catch (error) {
    return error instanceof Refusal ? error : refusal;
  }
}

/** Responds to a URL that the router cannot decode. No hook has run, and Fastify's own error would repeat the URL with its keys. */
export function sendBadUrl(request: FastifyRequest, reply: FastifyReply, form: SentForm): void {
  setCommonHeaders(request, reply);
  sendError(request, reply, new Refusal('malformed_body', 'The URL cannot be decoded.'), form);
}

/** How long a client waits when nothing else is known, in seconds: an operator must act, or a request that runs must end. */
function defaultWait({ type }: Refusal): number {
  return type === 'restored' ? 60 : 1;
}

interface SentForm {
  readonly errorForm?: ErrorForm | undefined;
  readonly isLnurl?: boolean | undefined;
}

function sendError(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  { errorForm, isLnurl = request.routeOptions.config?.lnurl }: SentForm,
): FastifyReply {
  reply.header('cache-control', 'no-store');
  if (isLnurl && acceptsPage(request)) return sendLnurlErrorPage(reply.code(200), refusal.message);
  if (request.is404 && refusal.type === 'not_found' && acceptsPage(request)) return sendNotFoundPage(request, reply);
  reply.type('application/json').serializer(JSON.stringify);
  // LUD-03: errors are HTTP 200 with a reason.
  if (isLnurl) return reply.code(200).send({ status: 'ERROR', reason: refusal.message });
  if (refusal.status === 503 || refusal.status === 429)
    reply.header('retry-after', String(refusal.retryAfterSeconds ?? defaultWait(refusal)));
  if (errorForm?.hasPath(request.url)) {
    const { status, body } = errorForm.render(refusal, request);
    return reply.code(status).send(body);
  }
  if (refusal.status === 401 && !isFromBrowser(request)) reply.header('www-authenticate', 'Basic realm="api"');
  return reply.code(refusal.status).send(errorObject(refusal, request.id));
}

export function errorObject(refusal: Refusal, requestId: string) {
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

/** Returns the error for the client. An unexpected error is logged with the route instead of the URL, which may contain keys. */
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
