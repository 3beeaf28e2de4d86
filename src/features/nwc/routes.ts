import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { KeyOwner } from '../../core/accounts/accounts.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { isXOnlyKey } from '../../core/kernel/secp256k1.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../http/app-type.ts';
import { filteredWallet, walletFilter } from '../../http/auth/account-scope.ts';
import { choice, KeyParams, requestBody } from '../../http/fields.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { CsvListQuery, ListQuery, sendList } from '../../http/responses/list.ts';
import { keyFields, readKeyOrder, StateFilter } from '../keys/key-order.ts';
import { ConnectionObject, NewConnectionObject, renderConnection, renderNewConnection } from './connection-object.ts';
import type { Connections } from './connections.ts';
import { CONNECTION_PERMISSIONS } from './methods.ts';

const ConnectionBody = requestBody({
  ...keyFields,
  permissions: Type.Optional(
    Type.Array(choice(CONNECTION_PERMISSIONS, { mayBeEmpty: false, description: 'A permission' }), {
      minItems: 1,
      maxItems: CONNECTION_PERMISSIONS.length,
      description:
        'What the app may do. `wallet_read`: read the balance; `wallet_tx_read`: read the history; `wallet_deposit`: create invoices; ' +
        '`wallet_withdraw`: pay. Default: all of them',
    }),
  ),
  client_pubkey: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      rule: 'a public key of Nostr: 64 hexadecimal characters',
      description: 'The public key of an app that has created its own. Without it the response contains a secret for the app',
    }),
  ),
});

const WalletParams = KeyParams;
const ConnectionParams = Type.Object({
  ...KeyParams.properties,
  id: Type.String({ description: 'The `nwc_` id of the connection' }),
});

const COMMON = { tags: ['Apps'], ...requires('account'), ...MANAGES };

const createSchema = {
  ...COMMON,
  errorStatuses: [409],
  operationId: 'createConnection',
  summary: 'Connect an app to a wallet',
  description:
    'Returns a link for an app that speaks Nostr Wallet Connect (NIP-47). Only this response contains it. `budget_msat` and `budget_period` ' +
    'are sent together.',
  params: WalletParams,
  body: ConnectionBody,
  response: { 201: NewConnectionObject },
};

const listSchema = {
  ...COMMON,
  operationId: 'listConnections',
  summary: 'List the connected apps of a wallet',
  params: WalletParams,
  querystring: ListQuery,
  response: { 200: Type.Array(ConnectionObject) },
};

const accountListSchema = {
  ...COMMON,
  operationId: 'listConnectionsOfAccount',
  summary: 'List the connected apps of all wallets of the account',
  querystring: Type.Object({ ...CsvListQuery.properties, status: StateFilter, wallet_id: walletFilter('connections') }),
  response: { 200: Type.Array(ConnectionObject) },
  errorStatuses: [404],
};

const accountGetSchema = {
  ...COMMON,
  operationId: 'getConnectionOfAccount',
  summary: 'Read a connection of any wallet of the account',
  params: Type.Object({ id: ConnectionParams.properties.id }),
  response: { 200: ConnectionObject },
};

const getSchema = {
  ...COMMON,
  operationId: 'getConnection',
  summary: 'Read a connection',
  params: ConnectionParams,
  response: { 200: ConnectionObject },
};

const revokeSchema = {
  ...COMMON,
  errorStatuses: [409],
  operationId: 'revokeConnection',
  summary: 'Disconnect an app',
  description: 'When the response arrives, the app can no longer use the wallet. Payments that it has started continue.',
  params: ConnectionParams,
  response: { 200: ConnectionObject },
};

type ConnectionRouteContext = RouteContext & {
  readonly nwcConnections: Connections;
  readonly payLinks: { addressOf(walletId: string): Promise<string | undefined> };
  readonly clock: Clock;
};

/** The routes by which owners of wallets connect apps. */
export function connectionRoutes(
  app: App,
  { access, runIdempotent, nwcConnections: connections, payLinks, clock }: ConnectionRouteContext,
): void {
  /** Returns the secret API key of the request, and the wallet whose connections it manages. */
  async function manager(request: FastifyRequest<{ Params: { key: string } }>) {
    const credential = await access.keyManager(request);
    const by = credential.key;
    const wallet = await access.walletByIdOrKey(request, request.params.key, 'wallet_read');
    return { credential, by, owner: { accountId: by.accountId, walletId: wallet.id } satisfies KeyOwner };
  }

  app.get('/v1/connections', { schema: accountListSchema }, async (request, reply) => {
    const { key } = await access.keyManager(request);
    const { status } = request.query;
    const walletId = (await filteredWallet(access, request, 'wallet_read'))?.id;
    return sendList(request, reply, connections.listOfAccount({ accountId: key.accountId, walletId }, status), renderConnection);
  });

  app.get('/v1/connections/:id', { schema: accountGetSchema }, async (request) => {
    const { key } = await access.keyManager(request);
    const { walletId } = requireFound(await connections.findById(request.params.id));
    await access.walletByIdOrKey(request, walletId, 'wallet_read');
    return renderConnection(await connections.find({ accountId: key.accountId, walletId }, request.params.id));
  });

  for (const base of WALLET_BASES) {
    const path = `${base}/connections`;

    app.get(path, { schema: listSchema }, async (request, reply) => {
      const { owner } = await manager(request);
      return sendList(request, reply, connections.list(owner), renderConnection);
    });

    app.post(path, { schema: createSchema }, async (request, reply) => {
      const { credential, by, owner } = await manager(request);
      const { permissions = CONNECTION_PERMISSIONS, client_pubkey: pubkey, ...keyBody } = request.body;
      const clientPubkey = readClientPubkey(pubkey);
      const { kind: _ofConnection, ...key } = readKeyOrder({ ...keyBody, kind: 'wallet_connection' }, clock);
      // In one order, so that each set of permissions is stored in one way.
      const order = { permissions: CONNECTION_PERMISSIONS.filter((one) => permissions.includes(one)), clientPubkey, key };
      const scope = { credential, walletId: owner.walletId, hasSecret: true };
      const created = await runIdempotent(request, reply, scope, {
        make: ({ rows }) => connections.create(by, owner, order, (id, secret) => rows(id, secret ?? null)),
        replay: async (id, secret) => ({ ...(await connections.find(owner, id)), secret: (secret() as string | null) ?? undefined }),
      });
      return reply.code(201).send(renderNewConnection(created, await payLinks.addressOf(created.connection.walletId)));
    });

    app.get(`${path}/:id`, { schema: getSchema }, async (request) => {
      const { owner } = await manager(request);
      return renderConnection(await connections.find(owner, request.params.id));
    });

    app.delete(`${path}/:id`, { schema: revokeSchema }, async (request) => {
      const { by, owner } = await manager(request);
      return renderConnection(await connections.revoke(by, owner, request.params.id));
    });
  }
}

/** @throws Refusal for 32 bytes that are not a public key, whose app could never be authenticated */
function readClientPubkey(text: string | undefined): string | undefined {
  const pubkey = text?.toLowerCase();
  if (pubkey === undefined || isXOnlyKey(Buffer.from(pubkey, 'hex'))) return pubkey;
  throw new Refusal('validation_failed', '`client_pubkey` must be a public key of Nostr: a point on the curve secp256k1.');
}
