import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { Span } from '@opentelemetry/api';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { BookingMark } from '../core/kernel/booking-mark.ts';
import type { Access, Credential } from './auth/access.ts';
import type { SentCredential } from './auth/credential.ts';
import type { IdempotentHandler } from './idempotent.ts';

/** The HTTP server, with request types taken from each route's TypeBox schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse<IncomingMessage>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: none was sent. Set by sentCredential on first use. */
    sentCredential: SentCredential | null | undefined;
    /** Set by Access on first use. */
    credential: Credential | undefined;
    /** Set when the request begins. */
    span: Span | undefined;
    /** Absent until the handler runs. */
    booking: BookingMark | undefined;
    /** The key has too many requests open, so the response must not wait for a payment. Set by RateLimits. */
    mustNotWait: boolean;
    /** The address whose bucket this request took a token from. Set by RateLimits. */
    chargedAddress: string | undefined;
    /** No token was taken yet, because the request may be a replay, which is free. Set by RateLimits. */
    isChargeDue: boolean;
  }

  /** The configuration of a route. */
  interface FastifyContextConfig {
    /** A public LNURL route: its errors are HTTP 200, as LUD-03 describes. */
    lnurl?: boolean;
    /** A GET that changes something: it has no HEAD, and pages of other sites may not use Basic credentials or sessions for it. */
    hasSideEffect?: boolean;
    /** A POST that changes nothing: it takes no Idempotency-Key, and its response waits for no commit. */
    isRead?: boolean;
    /** A form: pages of other sites may not send it, but programs may. */
    isForm?: boolean;
    /** Only pages of this service may send it. */
    isForOwnPages?: boolean;
    /** A page with relative links: a trailing slash in its path is removed by a redirect. */
    isDocument?: boolean;
    /** A browser that opens the path gets the dashboard; programs get the response of the route. */
    isAlsoPage?: boolean;
    /** Needs no key. */
    isPublic?: boolean;
    /** Requests without an Idempotency-Key are rejected. */
    needsIdempotencyKey?: boolean;
    /** The body is a list of lines: up to 1 MiB, as JSON or as CSV. */
    isBulk?: boolean;
    /** Rejects undeclared query parameters. Set automatically on lists and on routes that change something. */
    closedQuery?: boolean;
    /** Reads the credential of a request instead of `sentCredential`. */
    readCredential?: (request: FastifyRequest) => SentCredential | undefined;
    /** A body that looks like JSON is JSON, also as a form, as plain text and without a content type. */
    acceptsUntypedJson?: boolean;
    /** Left out of the OpenAPI description. */
    undocumented?: boolean;
  }
}

/** The objects that the routes of most features use. */
export interface RouteContext {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
}

/** The two paths of a wallet. Both have the same routes, because published clients use either. */
export const WALLET_BASES = ['/v1/wallet/:key', '/v1/user/wallet/:key'] as const;
