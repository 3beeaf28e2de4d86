import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { KeyOwner } from '../../core/accounts/accounts.ts';
import type { CreatedKey, KeyRows, Keyring } from '../../core/accounts/keyring.ts';
import type { Database } from '../../core/db/database.ts';
import { sumOfKey } from '../../core/journal/wallet-transactions.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { takeTurn } from '../../core/kernel/turns.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../http/app-type.ts';
import type { Credential } from '../../http/auth/access.ts';
import { filteredWallet, walletFilter } from '../../http/auth/account-scope.ts';
import { choice, KeyParams, requestBody } from '../../http/fields.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { CsvListQuery, MAX_COUNT, sendList } from '../../http/responses/list.ts';
import { KeyDetails, KeyObject, NewKeyObject } from './key-object.ts';
import { keyFields, readKeyOrder, StateFilter } from './key-order.ts';
import { lndhubLink } from './lndhub-link.ts';

const AccountKeyBody = requestBody({
  kind: Type.Optional(choice(['secret_api'], { description: 'The only kind for an account: everything in it is allowed. Default' })),
  ...keyFields,
});

const WalletKeyBody = requestBody({
  kind: choice(['wallet_admin', 'wallet_invoice', 'wallet_read'], {
    description:
      '`wallet_admin`: everything with this wallet. `wallet_invoice`: create invoices and read the history. `wallet_read`: read the balance ' +
      'and the history',
  }),
  ...keyFields,
});

const MAX_OVERLAP_SECONDS = 30 * 86_400;

const RotateBody = requestBody({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_OVERLAP_SECONDS,
      unit: 'seconds',
      description: 'How long the old key is still accepted, in seconds. Default: 0',
    }),
  ),
});

const IdParams = Type.Object({ id: Type.String({ description: 'The `key_` id of the key, not the key itself' }) });
const WalletKeyParams = Type.Object({ ...KeyParams.properties, ...IdParams.properties });

const SHOWN_ONCE = 'The response contains the key itself; no later response does.';
const LIMITS = '`budget_msat` and `budget_period` are sent together. Payments in flight count with their amount and fee limit.';
const ROTATION = 'The new key has the same kind and limits. The old key is still accepted for `overlap_seconds`.';

const COMMON = { tags: ['Keys'], ...requires('account'), ...MANAGES };
const KeyListQuery = Type.Object({ ...CsvListQuery.properties, status: StateFilter });
const AccountKeyListQuery = Type.Object({
  ...KeyListQuery.properties,
  of: Type.Optional(
    choice(['account', 'wallets'], {
      description:
        '`account`: the API keys, the default. `wallets`: the access keys with a label of all wallets, which apps and people use',
    }),
  ),
  wallet_id: walletFilter('access keys'),
});

const LIST = { ...COMMON, response: { 200: Type.Array(KeyObject) } };
const CREATE = { ...COMMON, description: `${SHOWN_ONCE} ${LIMITS}`, response: { 201: NewKeyObject } };
const ROTATE = { ...COMMON, body: RotateBody, response: { 201: NewKeyObject } };
const REVOKE = { ...COMMON, response: { 200: KeyObject } };

/** The keys of the account. */
const ACCOUNT_KEYS = {
  list: {
    ...LIST,
    operationId: 'listKeys',
    summary: 'List the API keys of the account',
    querystring: AccountKeyListQuery,
    errorStatuses: [404],
  },
  create: { ...CREATE, errorStatuses: [409], operationId: 'createKey', summary: 'Create an API key', body: AccountKeyBody },
  rotate: {
    ...ROTATE,
    errorStatuses: [409],
    operationId: 'rotateKey',
    summary: 'Replace an API key',
    description: `${SHOWN_ONCE} ${ROTATION} A key that rotates itself needs an overlap.`,
    params: IdParams,
  },
  revoke: {
    ...REVOKE,
    operationId: 'revokeKey',
    summary: 'Revoke an API key',
    description: 'The last secret API key of the account cannot be revoked: 409.',
    params: IdParams,
    errorStatuses: [409],
  },
};

const getSchema = {
  ...COMMON,
  operationId: 'getKey',
  summary: 'Read a key',
  description:
    'A key of the account, of one of its wallets or of a connection, with the number and the sum of its payments. ' +
    '`GET /v1/wallet-transactions?key_id=` lists them.',
  params: IdParams,
  response: { 200: KeyDetails },
};

/** The access keys of a wallet. */
const WALLET_KEYS = {
  list: {
    ...LIST,
    operationId: 'listWalletKeys',
    summary: 'List the access keys of a wallet',
    params: KeyParams,
    querystring: KeyListQuery,
  },
  create: {
    ...CREATE,
    errorStatuses: [409],
    operationId: 'createWalletKey',
    summary: 'Create an access key of a wallet',
    params: KeyParams,
    body: WalletKeyBody,
  },
  rotate: {
    ...ROTATE,
    errorStatuses: [409],
    operationId: 'rotateWalletKey',
    summary: 'Replace an access key of a wallet',
    description: `${SHOWN_ONCE} ${ROTATION}`,
    params: WalletKeyParams,
  },
  revoke: {
    ...REVOKE,
    errorStatuses: [409],
    operationId: 'revokeWalletKey',
    summary: 'Revoke an access key of a wallet',
    params: WalletKeyParams,
  },
};

type KeyRouteContext = RouteContext & {
  readonly keyring: Keyring;
  readonly database: Database;
  readonly clock: Clock;
  readonly publicUrl: string;
  readonly lndhub: { readonly isOn: boolean };
};

export function keyRoutes(app: App, deps: KeyRouteContext): void {
  keyRoutesAt(app, deps, '/v1/keys', ACCOUNT_KEYS);
  app.get('/v1/keys/:id', { schema: getSchema }, async (request) => {
    const { key } = await deps.access.keyManager(request);
    const found = await deps.keyring.findOfAccount(key.accountId, request.params.id);
    await takeTurn();
    const sum = await sumOfKey(deps.database, found.lineage_id, MAX_COUNT);
    return { ...found, num_paid: sum?.count ?? null, paid_msat: sum?.sumMsat ?? null };
  });
  for (const base of WALLET_BASES) keyRoutesAt(app, deps, `${base}/keys`, WALLET_KEYS);
}

/** Listing, creation, rotation and revocation of the keys of an account or of a wallet. */
function keyRoutesAt(
  app: App,
  { access, runIdempotent, keyring, clock, publicUrl, lndhub }: KeyRouteContext,
  path: string,
  schemas: typeof ACCOUNT_KEYS | typeof WALLET_KEYS,
): void {
  /** Returns the secret API key of the request, and the owner of the keys that it manages. */
  async function manager(request: FastifyRequest) {
    const credential = await access.keyManager(request);
    const by = credential.key;
    const { key } = request.params as { key?: string };
    const wallet = key === undefined ? undefined : await access.walletByIdOrKey(request, key, 'wallet_read');
    return { credential, by, owner: { accountId: by.accountId, walletId: wallet?.id } satisfies KeyOwner };
  }

  /** Creates a key, once per Idempotency-Key, and sends it. */
  async function sendNewKey(
    request: FastifyRequest,
    reply: FastifyReply,
    { credential, owner, objectId = '' }: { credential: Credential; owner: KeyOwner; objectId?: string },
    make: (extraRows: KeyRows) => Promise<CreatedKey>,
  ): Promise<FastifyReply> {
    const scope = { credential, objectId, hasSecret: true, ...(owner.walletId !== undefined && { walletId: owner.walletId }) };
    const created = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => make((made) => rows(made.id, made.key)),
      replay: async (id, secret) => ({ ...(await keyring.find(owner, id)), key: secret() as string }),
    });
    const link = lndhub.isOn ? lndhubLink(publicUrl, created) : undefined;
    return reply.code(201).send({ ...created, lndhub_link: link ?? null });
  }

  app.get(path, { schema: schemas.list }, async (request, reply) => {
    const { owner } = await manager(request);
    const query = request.query as Static<typeof AccountKeyListQuery>;
    const { status, of } = query;
    if (query.wallet_id !== undefined && of !== 'wallets') throw new Refusal('validation_failed', '`wallet_id` needs `of=wallets`.');
    const walletId = (await filteredWallet(access, request as typeof request & { query: typeof query }, 'wallet_read'))?.id;
    const keys = of === 'wallets' ? keyring.listOfWallets({ ...owner, walletId }, status) : keyring.list(owner, status);
    return sendList(request, reply, keys, (key): Static<typeof KeyObject> => key);
  });

  app.post(path, { schema: schemas.create }, async (request, reply) => {
    const caller = await manager(request);
    const order = readKeyOrder(request.body, clock);
    return sendNewKey(request, reply, caller, (extraRows) => keyring.create(caller.by, caller.owner, order, extraRows));
  });

  app.post(`${path}/:id/rotate`, { schema: schemas.rotate }, async (request, reply) => {
    const caller = await manager(request);
    const { id } = request.params;
    const overlapSeconds = request.body.overlap_seconds ?? 0;
    return sendNewKey(request, reply, { ...caller, objectId: id }, (extraRows) =>
      keyring.rotate(caller.by, caller.owner, id, overlapSeconds, extraRows),
    );
  });

  app.delete(`${path}/:id`, { schema: schemas.revoke }, async (request) => {
    const { by, owner } = await manager(request);
    return keyring.revoke(by, owner, request.params.id);
  });
}
