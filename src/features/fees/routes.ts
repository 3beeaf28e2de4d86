import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import type { AccountDirectory } from '../../core/accounts/directory.ts';
import type { Database } from '../../core/db/database.ts';
import type { FeeRules, Fees } from '../../core/fees/fees.ts';
import { invariant } from '../../core/kernel/assert.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { requireFound } from '../../core/kernel/refusal.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import type { App, RouteContext } from '../../http/app-type.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import type { OutcomeWriter } from '../../http/idempotent.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { changeFees } from './fee-changes.ts';
import { FeeScheduleObject, FeeVersionObject, RulesBody, readRules, renderSchedule, renderVersion } from './fee-object.ts';
import { type QuoteRouteContext, quoteRoutes } from './quote-routes.ts';

const Reason = Type.Optional(Type.String({ maxLength: 500, description: 'Why, for the record of versions and the audit log' }));

const SetBody = requestBody({ rules: RulesBody, reason: Reason });

type FeeRouteContext = RouteContext &
  QuoteRouteContext & {
    readonly directory: AccountDirectory;
    readonly database: Database;
    readonly wallets: Wallets;
    readonly fees: Fees;
    readonly clock: Clock;
  };

/** An account or a wallet, which may have fees. */
interface Owner {
  readonly path: string;
  readonly noun: 'account' | 'wallet';
  /** Returns the account of the owner. @throws Refusal `not_found` */
  accountOf(id: string): Promise<string>;
}

/** Routes of the fees that the service charges. Operators set them; each wallet reads its own. */
export function feeRoutes(app: App, deps: FeeRouteContext): void {
  const { directory, wallets } = deps;
  ownerRoutes(app, deps, { path: '/v1/accounts', noun: 'account', accountOf: async (id) => (await directory.find(id)).id });
  const walletAccount = async (id: string) => requireFound(await wallets.find(id)).accountId;
  ownerRoutes(app, deps, { path: '/v1/wallets', noun: 'wallet', accountOf: walletAccount });
  quoteRoutes(app, deps);
}

function ownerRoutes(app: App, deps: FeeRouteContext, { path, noun, accountOf }: Owner): void {
  const { access, fees, wallets } = deps;
  const name = noun === 'account' ? 'Account' : 'Wallet';
  const common = {
    tags: ['Accounts'],
    ...requires('operator'),
    ...MANAGES,
    params: Type.Object({ id: Type.String({ description: `The id of the ${noun}` }) }),
  };
  const getSchema = {
    ...common,
    operationId: `get${name}Fees`,
    summary: `Read the fees of ${noun === 'account' ? 'an account' : 'a wallet'}`,
    description:
      noun === 'account'
        ? 'Returns the schedule of the account itself. Its wallets may have others.'
        : 'Returns the schedule that applies to the wallet: its own, or else that of its account, or of the nearest account above.',
    response: { 200: FeeScheduleObject },
  };
  const setSchema = {
    ...common,
    operationId: `set${name}Fees`,
    summary: `Set the fees of ${noun === 'account' ? 'an account' : 'a wallet'}`,
    description:
      'Stores a new version that replaces the whole schedule. It applies within a second to payments that start and money that arrives from then ' +
      'on. A payment that has started pays the fee with which it started.',
    body: SetBody,
    response: { 200: FeeScheduleObject },
  };
  const removeSchema = {
    ...common,
    operationId: `remove${name}Fees`,
    summary: `Remove the fees of ${noun === 'account' ? 'an account' : 'a wallet'}`,
    description: 'Stores a new version without a schedule, so that the one above applies, if there is one.',
    response: { 200: FeeScheduleObject },
  };
  const versionsSchema = {
    ...common,
    operationId: `list${name}FeeVersions`,
    summary: `List the versions of the fees of ${noun === 'account' ? 'an account' : 'a wallet'}`,
    querystring: ListQuery,
    response: { 200: Type.Array(FeeVersionObject) },
  };

  app.get(`${path}/:id/fees`, { schema: getSchema }, async (request) => {
    await access.operator(request);
    const { id } = request.params;
    await accountOf(id);
    return renderSchedule(noun === 'account' ? await fees.find(id) : await fees.ofWallet(requireFound(await wallets.find(id)).id));
  });

  app.get(`${path}/:id/fees/versions`, { schema: versionsSchema }, async (request, reply) => {
    await access.operator(request);
    const { id } = request.params;
    await accountOf(id);
    return sendList(request, reply, fees.listVersions(id), renderVersion);
  });

  app.put(`${path}/:id/fees`, { schema: setSchema, config: NEEDS_KEY }, async (request, reply) =>
    change(deps, request, reply, accountOf, {
      rules: readRules(request.body.rules),
      reason: request.body.reason,
    }),
  );

  app.delete(`${path}/:id/fees`, { schema: removeSchema, config: NEEDS_KEY }, async (request, reply) =>
    change(deps, request, reply, accountOf, { rules: undefined, reason: undefined }),
  );
}

const NEEDS_KEY = { needsIdempotencyKey: true };

type ChangeRequest = FastifyRequest<{ Params: { id: string } }>;

/** Stores a new version once per Idempotency-Key, and returns it as the API does. */
async function change(
  deps: FeeRouteContext,
  request: ChangeRequest,
  reply: FastifyReply,
  accountOf: Owner['accountOf'],
  { rules, reason }: { readonly rules: FeeRules | undefined; readonly reason: string | undefined },
): Promise<Static<typeof FeeScheduleObject>> {
  const { access, runIdempotent, fees } = deps;
  const credential = await access.operator(request);
  const { id: ownerId } = request.params;
  const order = {
    by: credential.key,
    origin: request.ip,
    reason: plainText('reason', reason ?? '').trim(),
    ownerId,
    accountId: await accountOf(ownerId),
    rules,
  };
  const make = ({ rows }: OutcomeWriter) => changeFees(deps, order, rows);
  const id = await runIdempotent(request, reply, { credential, objectId: ownerId }, { make, replay: async (made) => made });
  const schedule = await fees.findById(id);
  invariant(schedule, `the fee schedule ${id} is gone`);
  return renderSchedule(schedule.rules ? schedule : undefined);
}
