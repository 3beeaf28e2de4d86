import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { CreatedKey, KeyOrder, KeyOwner, KeyRows, Keyring } from '../../accounts/keyring.ts';
import type { KeyKind } from '../../accounts/keys.ts';
import { BUDGET_PERIODS, type BudgetPeriod } from '../../budgets/limits.ts';
import { type Clock, unixSeconds } from '../../kernel/clock.ts';
import type { Msat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import type { Access, Credential } from '../auth/access.ts';
import { Expiry, KeyParams, plainText, UserLabel } from '../fields.ts';
import type { IdempotentHandler } from '../idempotent.ts';
import { KeyObject, keyObject, NewKeyObject, PositiveMsat } from '../key-object.ts';
import { PageQuery, readPage, setPageHeaders } from '../responses/paging.ts';

const AccountObject = Type.Object({
  id: Type.String({ description: 'acc_…' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  public_key: Type.String({ description: 'pak_…' }),
});

const keyFields = {
  label: Type.Optional(UserLabel),
  expiry: Type.Optional(Expiry),
  expires_at: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, unit: 'Unix seconds', description: 'Unix seconds; instead of expiry' }),
  ),
  budget_msat: Type.Optional(PositiveMsat),
  budget_period: Type.Optional(
    Type.Unsafe<BudgetPeriod>({
      type: 'string',
      enum: [...BUDGET_PERIODS],
      mayBeEmpty: false,
      description: 'Calendar periods in UTC; a week begins on Monday, `ever` never ends',
    }),
  ),
  max_payment_msat: Type.Optional(PositiveMsat),
};

function kindField<const T extends KeyKind>(kinds: readonly T[], description: string) {
  return Type.Unsafe<T>({ type: 'string', enum: [...kinds], description });
}

const AccountKeyBody = Type.Object(
  {
    kind: Type.Optional(kindField(['secret_api'], 'The one kind there is for an account; may do everything in it. Default.')),
    ...keyFields,
  },
  { additionalProperties: false },
);

const WalletKeyBody = Type.Object(
  {
    kind: kindField(
      ['wallet_admin', 'wallet_invoice', 'wallet_read'],
      '`wallet_admin` may do everything with the wallet, `wallet_invoice` make invoices and read the history, `wallet_read` read balance and history',
    ),
    ...keyFields,
  },
  { additionalProperties: false },
);

type KeyBody = Static<typeof AccountKeyBody> | Static<typeof WalletKeyBody>;

const MAX_OVERLAP_SECONDS = 30 * 86_400;

const RotateBody = Type.Object(
  { overlap_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_SECONDS, unit: 'seconds', description: 'Default 0' })) },
  { additionalProperties: false },
);

const IdParams = Type.Object({ id: Type.String() });
const WalletKeyParams = Type.Object({ ...KeyParams.properties, ...IdParams.properties });

export interface KeyRouteDependencies {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
  readonly keyring: Keyring;
  readonly clock: Clock;
}

export function keyRoutes(app: App, deps: KeyRouteDependencies): void {
  const { access, keyring } = deps;

  app.get('/v1/account', { schema: { response: { 200: AccountObject } } }, async (request) => {
    const id = await access.account(request);
    const { createdAt: created_at, publicKey: public_key } = await keyring.account(id);
    return { id, created_at, public_key };
  });

  keyRoutesAt(app, deps, '/v1/keys', IdParams, AccountKeyBody);
  for (const base of WALLET_BASES) {
    keyRoutesAt(app, deps, `${base}/keys`, WalletKeyParams, WalletKeyBody);
  }
}

/** Listing, creation, rotation and revocation of the keys of an account or of a wallet. */
function keyRoutesAt(
  app: App,
  { access, runIdempotent, keyring, clock }: KeyRouteDependencies,
  path: string,
  idParams: typeof IdParams,
  body: typeof AccountKeyBody | typeof WalletKeyBody,
): void {
  /** The secret API key that asks, and whose keys it asks about. */
  async function manager(request: FastifyRequest) {
    const credential = await access.keyManager(request);
    const by = credential.key;
    const { key } = request.params as { key?: string };
    const walletId = key === undefined ? undefined : (await access.walletByIdOrKey(request, key, 'wallet_read')).id;
    return { credential, by, owner: { accountId: by.accountId, walletId } satisfies KeyOwner };
  }

  /** Makes a key once, however often it is asked for under one Idempotency-Key. */
  async function sendNewKey(
    request: FastifyRequest,
    reply: FastifyReply,
    { credential, owner, objectId = '' }: { credential: Credential; owner: KeyOwner; objectId?: string },
    make: (extraRows: KeyRows) => Promise<CreatedKey>,
  ): Promise<FastifyReply> {
    const scope = { credential, objectId, hasSecret: true, ...(owner.walletId !== undefined && { walletId: owner.walletId }) };
    const { key, text } = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => make((made) => rows(made.key.id, made.text)),
      replay: async (id, secret) => ({ key: await keyring.find(owner, id), text: secret() as string }),
    });
    return reply.code(201).send({ ...keyObject(key), key: text });
  }

  const listSchema = { querystring: PageQuery, response: { 200: Type.Array(KeyObject) } };
  app.get(path, { schema: listSchema }, async (request, reply) => {
    const { owner } = await manager(request);
    const page = readPage(request.query);
    const { keys, total } = await keyring.list(owner, page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return keys.map(keyObject);
  });

  app.post(path, { schema: { body, response: { 201: NewKeyObject } } }, async (request, reply) => {
    const caller = await manager(request);
    const order = readOrder(request.body, clock);
    return sendNewKey(request, reply, caller, (extraRows) => keyring.create(caller.by, caller.owner, order, extraRows));
  });

  const rotateSchema = { params: idParams, body: RotateBody, response: { 201: NewKeyObject } };
  app.post(`${path}/:id/rotate`, { schema: rotateSchema }, async (request, reply) => {
    const caller = await manager(request);
    const { id } = request.params;
    const overlapSeconds = request.body.overlap_seconds ?? 0;
    return sendNewKey(request, reply, { ...caller, objectId: id }, (extraRows) =>
      keyring.rotate(caller.by, caller.owner, id, overlapSeconds, extraRows),
    );
  });

  app.delete(`${path}/:id`, { schema: { params: idParams, response: { 200: KeyObject } } }, async (request) => {
    const { by, owner } = await manager(request);
    return keyObject(await keyring.revoke(by, owner, request.params.id));
  });
}

const CAN_SPEND: readonly KeyKind[] = ['secret_api', 'wallet_admin'];

/** @throws Refusal naming the field. */
function readOrder(body: KeyBody, clock: Clock): KeyOrder {
  const kind = body.kind ?? 'secret_api';
  const budget = readBudget(body);
  const maxPaymentMsat = body.max_payment_msat as Msat | undefined;
  const limits = budget || maxPaymentMsat !== undefined ? { budget, maxPaymentMsat } : undefined;
  if (limits && !CAN_SPEND.includes(kind))
    throw new Refusal(
      'validation_failed',
      `\`budget_msat\` and \`max_payment_msat\` must be left out for a ${kind} key: it spends nothing.`,
    );
  return { kind, label: plainText('label', body.label ?? ''), expiresAt: readExpiresAt(body, clock), limits };
}

function readExpiresAt({ expiry, expires_at }: KeyBody, clock: Clock): number | undefined {
  const now = unixSeconds(clock);
  if (expiry !== undefined && expires_at !== undefined)
    throw new Refusal('validation_failed', '`expiry` and `expires_at` exclude each other: send one of them.');
  if (expires_at !== undefined && expires_at <= now)
    throw new Refusal('validation_failed', '`expires_at` must be in the future, in Unix seconds.');
  return expiry === undefined ? expires_at : now + expiry;
}

function readBudget({ budget_msat, budget_period }: KeyBody): { amountMsat: Msat; period: BudgetPeriod } | undefined {
  if (budget_msat === undefined && budget_period === undefined) return undefined;
  if (budget_msat === undefined || budget_period === undefined)
    throw new Refusal(
      'validation_failed',
      `\`budget_msat\` and \`budget_period\` go together: send both. The period is one of ${BUDGET_PERIODS.join(', ')}.`,
    );
  return { amountMsat: budget_msat as Msat, period: budget_period };
}
