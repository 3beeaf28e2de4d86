import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Access } from './auth/access.ts';
import type { IdempotentHandler } from './idempotent.ts';

/** The HTTP server, with request types taken from each route's TypeBox schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse<IncomingMessage>,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** The objects that the routes of most features use. */
export interface RouteContext {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
}

/** The two paths of a wallet. Both have the same routes, because published clients use either. */
export const WALLET_BASES = ['/v1/wallet/:key', '/v1/user/wallet/:key'] as const;
