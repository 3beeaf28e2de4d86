import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { type AccountDirectory, operatorGuards } from '../../core/accounts/directory.ts';
import { type FieldChange, recordIn, requesterOfKey } from '../../core/accounts/operator-records.ts';
import type { Database } from '../../core/db/database.ts';
import { writeRows } from '../../core/db/row-write.ts';
import { FEE_DIRECTIONS, type ServiceFeeRule } from '../../core/fees/fee-rule.ts';
import { type FeeRules, type Fees, insertSchedule, type NewSchedule } from '../../core/fees/fees.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { requireFound } from '../../core/kernel/refusal.ts';
import { requireGuards } from '../../core/ledger/ledger.ts';
import type { Wallets } from '../../core/wallets/wallets.ts';
import type { App, RouteContext } from '../../http/app-type.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import type { OutcomeWriter } from '../../http/idempotent.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { FeeScheduleObject, FeeVersionObject, RulesBody, readRules, renderSchedule, renderVersion } from './fee-object.ts';
import { type QuoteRouteContext, quoteRoutes } from './quote-routes.ts';

const Reason = Type.Optional(Type.String({ maxLength: 500, description: 'Why, for the record of versions' }));

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
      reason: plainText('reason', request.body.reason ?? ''),
    }),
  );

  app.delete(`${path}/:id/fees`, { schema: removeSchema, config: NEEDS_KEY }, async (request, reply) =>
    change(deps, request, reply, accountOf, { rules: undefined, reason: '' }),
  );
}

const NEEDS_KEY = { needsIdempotencyKey: true };

type ChangeRequest = FastifyRequest<{ Params: { id: string } }>;

/** Returns the directions with other fees than before, for the audit log. */
function changedRules(before: FeeRules | undefined, after: FeeRules | undefined): FieldChange[] {
  const textOf = (rule: ServiceFeeRule | undefined) => (rule ? JSON.stringify(rule) : null);
  return FEE_DIRECTIONS.map((field) => ({ field, before: textOf(before?.[field]), after: textOf(after?.[field]) })).filter(
    (change) => change.before !== change.after,
  );
}

/** Stores a new version once per Idempotency-Key, and returns it as the API does. */
async function change(
  { access, runIdempotent, database, fees, clock }: FeeRouteContext,
  request: ChangeRequest,
  reply: FastifyReply,
  accountOf: Owner['accountOf'],
  changed: Pick<NewSchedule, 'rules' | 'reason'>,
): Promise<Static<typeof FeeScheduleObject>> {
  const credential = await access.operator(request);
  const { id: ownerId } = request.params;
  const accountId = await accountOf(ownerId);
  const requester = requesterOfKey(credential.key, request.ip, changed.reason);
  const order = { ...changed, ownerId, accountId, madeBy: requester.requestedBy };
  const record = {
    ...requester,
    kind: changed.rules ? ('set_fees' as const) : ('remove_fees' as const),
    subject: ownerId,
    accountId,
    changes: changedRules((await fees.find(ownerId))?.rules, changed.rules),
  };
  const id = await runIdempotent(
    request,
    reply,
    { credential, objectId: ownerId },
    {
      make: ({ rows }: OutcomeWriter) =>
        database.transaction(async (tx) => {
          const made = await insertSchedule(tx, clock, order);
          // After the exclusive lock of the account: an operator may change its own, and requests that first share its row deadlock.
          await requireGuards(tx, operatorGuards(credential.key));
          await recordIn(tx, { ...record, target: made }, unixSeconds(clock));
          await writeRows(tx, rows(made));
          return made;
        }),
      replay: async (made) => made,
    },
  );
  fees.forget();
  const schedule = await fees.findById(id);
  invariant(schedule, `the fee schedule ${id} is gone`);
  return renderSchedule(schedule.rules ? schedule : undefined);
}
