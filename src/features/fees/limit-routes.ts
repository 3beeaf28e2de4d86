import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccountDirectory } from '../../core/accounts/directory.ts';
import type { Database } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { MAX_MSAT } from '../../core/kernel/money.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { type LimitFields, type Limits, usageOf } from '../../core/limits/limits.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../http/app-type.ts';
import type { Credential } from '../../http/auth/access.ts';
import { KeyParams, plainText, requestBody } from '../../http/fields.ts';
import type { OutcomeWriter } from '../../http/idempotent.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable } from '../../http/responses/response-types.ts';
import { changeLimits } from './limit-changes.ts';

const MEANINGS = {
  max_balance_msat: 'The most that the balance may be. Money that arrives beyond it is credited, with an alert',
  max_payment_msat: 'The most that one payment or transfer may be, without fees',
  max_receive_msat: 'The most that one invoice may be for. Money that arrives beyond it is credited, with an alert',
  max_out_day_msat: 'The most that may be sent per day (UTC), without fees. Pending payments count',
  max_out_month_msat: 'The most that may be sent per month (UTC), without fees. Pending payments count',
  max_payments_per_minute: 'The most payments and transfers that may be started per minute',
  max_pending: 'The most payments that may be pending',
} as const;

type LimitName = keyof typeof MEANINGS;

const NAMES = Object.keys(MEANINGS) as LimitName[];

const unitOf = (name: LimitName) => (name.endsWith('_msat') ? 'millisatoshis' : 'payments');

const limitField = (name: LimitName) =>
  Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_MSAT,
      unit: unitOf(name),
      description: `${MEANINGS[name]}. Without it there is no such limit`,
    }),
  );

const LimitBody = requestBody({
  max_balance_msat: limitField('max_balance_msat'),
  max_payment_msat: limitField('max_payment_msat'),
  max_receive_msat: limitField('max_receive_msat'),
  max_out_day_msat: limitField('max_out_day_msat'),
  max_out_month_msat: limitField('max_out_month_msat'),
  max_payments_per_minute: limitField('max_payments_per_minute'),
  max_pending: limitField('max_pending'),
  reason: Type.Optional(Type.String({ maxLength: 500, description: 'Why, for the audit log of operators' })),
});

const shownLimit = (name: LimitName) => nullable(Type.Integer({ description: `${MEANINGS[name]}. Null: no such limit` }));

export const LimitsObject = namedObject('Limits', {
  owner_id: Type.String({ description: 'The account or the wallet' }),
  max_balance_msat: shownLimit('max_balance_msat'),
  max_payment_msat: shownLimit('max_payment_msat'),
  max_receive_msat: shownLimit('max_receive_msat'),
  max_out_day_msat: shownLimit('max_out_day_msat'),
  max_out_month_msat: shownLimit('max_out_month_msat'),
  max_payments_per_minute: shownLimit('max_payments_per_minute'),
  max_pending: shownLimit('max_pending'),
  out_day_msat: Type.Integer({ description: 'What counts against the limit per day now, in millisatoshis. 0 until a limit is first set' }),
  out_month_msat: Type.Integer({
    description: 'What counts against the limit per month now, in millisatoshis. 0 until a limit is first set',
  }),
  payments_this_minute: Type.Integer({ description: 'The payments and transfers of the present minute' }),
  pending_payments: Type.Integer({ description: 'The pending payments' }),
});

type LimitRouteContext = RouteContext & {
  readonly directory: AccountDirectory;
  readonly database: Database;
  readonly wallets: Wallets;
  readonly spendingLimits: Limits;
  readonly clock: Clock;
};

const NEEDS_OPERATOR_OR_PARENT = 'This needs a secret API key (sak_) or a session of an operator, or of an account above this one.';

const SET_DESCRIPTION =
  'Replaces all limits: one that is absent is removed. What was sent since the beginning of the day and the month counts.';

/** Routes of limits. Operators and the accounts above limit accounts; operators and the owner of an account limit its wallets. */
export function limitRoutes(app: App, deps: LimitRouteContext): void {
  accountLimitRoutes(app, deps);
  walletLimitRoutes(app, deps);
  for (const base of WALLET_BASES) ownLimitRoute(app, deps, base);
}

function accountLimitRoutes(app: App, deps: LimitRouteContext): void {
  const { access, directory } = deps;
  const common = schemaOf('account');

  /** Returns the account if the caller is an operator or an account above it. @throws Refusal `forbidden`, `not_found` */
  async function limitedAccount({ key }: Credential, id: string) {
    const isOperator = await directory.isOperator(key.accountId);
    if (!isOperator && !(await directory.isAbove(key.accountId, id))) throw new Refusal('forbidden', NEEDS_OPERATOR_OR_PARENT);
    return { id: (await directory.find(id)).id, isOperator };
  }

  const getSchema = { ...common, operationId: 'getAccountLimits', summary: 'Read the limits of an account' };
  app.get('/v1/accounts/:id/limits', { schema: getSchema }, async (request) =>
    render(deps, (await limitedAccount(await access.keyManager(request), request.params.id)).id),
  );

  const setSchema = {
    ...common,
    operationId: 'setAccountLimits',
    summary: 'Set the limits of an account',
    description: `${SET_DESCRIPTION} They apply to the sum of all accounts below it, too.`,
    body: LimitBody,
  };
  app.put('/v1/accounts/:id/limits', { schema: setSchema }, async (request, reply) => {
    const credential = await access.keyManager(request);
    const { id, isOperator } = await limitedAccount(credential, request.params.id);
    return change(deps, request, reply, { credential, id, accountId: id, body: request.body, isOperator });
  });
}

function walletLimitRoutes(app: App, deps: LimitRouteContext): void {
  const { access, directory, wallets } = deps;
  const common = schemaOf('wallet');

  /** Returns the wallet if it is of the caller's account, or the caller is an operator. @throws Refusal `not_found` */
  async function ownWallet(credential: Credential, id: string) {
    const wallet = requireFound(await wallets.find(id));
    const isOwner = wallet.accountId === credential.key.accountId;
    if (!isOwner && !(await directory.isOperator(credential.key.accountId))) throw new Refusal('not_found');
    return { wallet, isOperator: !isOwner };
  }

  const getSchema = { ...common, operationId: 'getWalletLimits', summary: 'Read the limits of a wallet' };
  app.get('/v1/wallets/:id/limits', { schema: getSchema }, async (request) =>
    render(deps, (await ownWallet(await access.keyManager(request), request.params.id)).wallet.id),
  );

  const setSchema = {
    ...common,
    operationId: 'setWalletLimits',
    summary: 'Set the limits of a wallet',
    description: `${SET_DESCRIPTION} The owner of the account can change them, too: what must bind the owner is a limit of the account.`,
    body: LimitBody,
  };
  app.put('/v1/wallets/:id/limits', { schema: setSchema }, async (request, reply) => {
    const credential = await access.keyManager(request);
    const { wallet, isOperator } = await ownWallet(credential, request.params.id);
    return change(deps, request, reply, { credential, id: wallet.id, accountId: wallet.accountId, body: request.body, isOperator });
  });
}

function ownLimitRoute(app: App, deps: LimitRouteContext, base: string): void {
  const { access, spendingLimits } = deps;
  const schema = {
    operationId: 'listWalletLimits',
    tags: ['Wallets'],
    summary: 'List the limits that apply to a wallet',
    description: 'Those of the wallet, and for an API key of the account those of the account, as far as they have any.',
    ...requires('wallet_read'),
    params: KeyParams,
    response: { 200: Type.Array(LimitsObject) },
  };
  app.get(`${base}/limits`, { schema }, async (request) => {
    const { wallet, credential } = await access.authorizeWallet(request, 'wallet_read');
    // The figures of the account are the sums of all its wallets.
    const shown = credential.key.walletId === undefined ? [wallet.id, wallet.accountId] : [wallet.id];
    const owners = await spendingLimits.ownersOf(wallet.id);
    return Promise.all(owners.filter((id) => shown.includes(id)).map((id) => render(deps, id)));
  });
}

function schemaOf(noun: 'account' | 'wallet') {
  return {
    tags: ['Accounts'],
    ...MANAGES,
    ...requires('account'),
    params: Type.Object({ id: Type.String({ description: `The id of the ${noun}` }) }),
    response: { 200: LimitsObject },
  };
}

const UNUSED = { out_day_msat: 0, out_month_msat: 0, payments_this_minute: 0, pending_payments: 0 };

async function render({ spendingLimits, clock }: LimitRouteContext, id: string): Promise<Static<typeof LimitsObject>> {
  const [row] = await spendingLimits.find([id]);
  const limits = Object.fromEntries(NAMES.map((name) => [name, row?.[name] ?? null])) as LimitFields;
  return { owner_id: id, ...limits, ...(row ? usageOf(row, unixSeconds(clock)) : UNUSED) };
}

interface LimitRequest {
  readonly credential: Credential;
  readonly id: string;
  readonly accountId: string;
  readonly body: Static<typeof LimitBody>;
  readonly isOperator: boolean;
}

/** Sets the limits, once per Idempotency-Key. Returns them as the API does. */
async function change(
  deps: LimitRouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { credential, id, accountId, body, isOperator }: LimitRequest,
): Promise<Static<typeof LimitsObject>> {
  const limits = Object.fromEntries(NAMES.map((name) => [name, body[name] ?? null])) as LimitFields;
  const reason = plainText('reason', body.reason ?? '').trim();
  const order = { by: credential.key, origin: request.ip, reason, ownerId: id, accountId, limits, isOperator };
  const make = async ({ rows }: OutcomeWriter) => {
    await changeLimits(deps, order, rows(id));
    return id;
  };
  await deps.runIdempotent(request, reply, { credential, objectId: id }, { make, replay: async (made) => made });
  return render(deps, id);
}
