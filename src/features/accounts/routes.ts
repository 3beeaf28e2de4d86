import { type Static, Type } from 'typebox';
import { ACCOUNT_STATUSES, STATUS_MEANING } from '../../core/accounts/account-states.ts';
import { type AccountChanges, type AccountDirectory, ROLES } from '../../core/accounts/directory.ts';
import type { SetupLink } from '../../core/accounts/setup-links.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Rates } from '../../core/rates/rates.ts';
import { currencyCode } from '../../http/amounts.ts';
import type { App, RouteContext } from '../../http/app-type.ts';
import { choice, Email, emailText, plainText, requestBody } from '../../http/fields.ts';
import type { OutcomeWriter } from '../../http/idempotent.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { CsvListQuery, sendList } from '../../http/responses/list.ts';
import { AccountObject, NewAccountObject, renderSecrets, renderSetupLink, SetupLinkObject } from './account-object.ts';

const MAX_WALLETS = 1_000_000;

const fields = {
  role: Type.Optional(choice(ROLES, { description: 'An `operator` also manages the accounts. A new account is a `member` by default' })),
  email: Type.Optional(Email),
  max_wallets: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_WALLETS,
      unit: 'wallets',
      description: 'The most wallets that the account may have. It keeps those that it has. 0: no limit, the default',
    }),
  ),
  share_millionths: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000,
      unit: 'millionths',
      description:
        'Of a sub-account: the share of the fees of its wallets that goes to `revenue_wallet_id`, in millionths. 0: none, the default',
    }),
  ),
  revenue_wallet_id: Type.Optional(
    Type.String({ maxLength: 64, description: 'A wallet of an account above this one, which gets the share, `wal_…`' }),
  ),
  reason: Type.Optional(Type.String({ maxLength: 500, description: 'Why, for the record of changes' })),
};

const NewAccountBody = requestBody({
  ...fields,
  parent_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Makes a sub-account of this account, whose limits and fees apply to it, too. It never changes',
    }),
  ),
  invite: Type.Optional(Type.Boolean({ description: 'Creates a setup link for the owner instead of a secret API key. Default: false' })),
});

const SetupLinkBody = requestBody({ reason: fields.reason });

const AccountChangeBody = requestBody({
  status: Type.Optional(
    choice(ACCOUNT_STATUSES, {
      description: `\`active\`: the account may do everything. ${STATUS_MEANING}. Pending payments continue, and what a node has received is credited, in every state. Needs a \`reason\``,
    }),
  ),
  ...fields,
});

const IdParams = Type.Object({ id: Type.String({ description: 'The id of the account, `acc_…`' }) });

/** Each change by an operator has one effect. */
const NEEDS_KEY = { needsIdempotencyKey: true };

const COMMON = { tags: ['Accounts'], ...requires('operator'), ...MANAGES };

const ownSchema = {
  operationId: 'getAccount',
  tags: ['Accounts'],
  summary: 'Read your account and its public API key',
  ...requires('account'),
  response: { 200: AccountObject },
};

const subAccountsSchema = {
  operationId: 'listSubAccounts',
  tags: ['Accounts'],
  summary: 'List the accounts below your account',
  description: 'Those directly below it. You can read and set their limits.',
  ...requires('account'),
  querystring: CsvListQuery,
  response: { 200: Type.Array(AccountObject) },
};

const changeOwnSchema = {
  operationId: 'changeOwnAccount',
  tags: ['Accounts'],
  summary: 'Choose the currency of your account',
  description: 'The dashboard shows amounts also in this currency. No amount depends on it.',
  ...requires('account'),
  ...MANAGES,
  body: requestBody({
    currency: Type.String({
      pattern: '^([A-Z]{3})?$',
      rule: 'an ISO 4217 code in capital letters, such as EUR',
      clearable: true,
      description: 'The ISO 4217 code of the currency, one of those of `GET /v1/rates`. null or an empty text: none',
    }),
  }),
  response: { 200: AccountObject },
};

const listSchema = {
  ...COMMON,
  operationId: 'listAccounts',
  summary: 'List all accounts',
  querystring: CsvListQuery,
  response: { 200: Type.Array(AccountObject) },
};

const createSchema = {
  ...COMMON,
  operationId: 'createAccount',
  summary: 'Create an account',
  description: 'The response contains the first keys of the account, or with `invite` a setup link; no later response does.',
  body: NewAccountBody,
  response: { 201: NewAccountObject },
  errorStatuses: [409],
};

const getSchema = {
  ...COMMON,
  operationId: 'getAccountById',
  summary: 'Read an account',
  params: IdParams,
  response: { 200: AccountObject },
};

const changeSchema = {
  ...COMMON,
  operationId: 'changeAccount',
  summary: 'Change an account',
  description:
    'Changes only the fields that are sent. The last active operator remains active and an operator: 409. An account is closed only when its wallets are empty: 409 `action_refused`.',
  params: IdParams,
  body: AccountChangeBody,
  response: { 200: AccountObject },
  errorStatuses: [409],
};

const setupLinkSchema = {
  ...COMMON,
  operationId: 'createSetupLink',
  summary: 'Create a link to set e-mail and password',
  description: 'For an owner who has no password yet, or has lost it. It replaces an earlier link, and can be used once.',
  params: IdParams,
  body: SetupLinkBody,
  response: { 201: SetupLinkObject },
};

type AccountRouteContext = RouteContext & { readonly directory: AccountDirectory; readonly rates: Rates; readonly publicUrl: string };

export function accountRoutes(app: App, { access, runIdempotent, directory, rates, publicUrl }: AccountRouteContext): void {
  app.get('/v1/account', { schema: ownSchema }, async (request) => directory.find(await access.account(request)));

  app.get('/v1/account/sub-accounts', { schema: subAccountsSchema }, async (request, reply) =>
    sendList(request, reply, directory.listSubAccounts(await access.account(request)), (account): Static<typeof AccountObject> => account),
  );

  app.patch('/v1/account', { schema: changeOwnSchema }, async (request) => {
    const { key } = await access.secretApiKey(request);
    const { currency } = request.body;
    if (currency !== '') rates.requireConfigured(currencyCode(currency));
    return directory.setCurrency(key, currency === '' ? undefined : currency);
  });

  app.get('/v1/accounts', { schema: listSchema }, async (request, reply) => {
    await access.operator(request);
    return sendList(request, reply, directory.list(), (account): Static<typeof AccountObject> => account);
  });

  app.get('/v1/accounts/:id', { schema: getSchema }, async (request) => {
    await access.operator(request);
    return directory.find(request.params.id);
  });

  app.post('/v1/accounts', { schema: createSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { invite: isInvited = false, parent_id: parentId, ...body } = request.body;
    const order = { by: credential.key, origin: request.ip, ...readChanges(body), isInvited, parentId };
    const scope = { credential, hasSecret: true };
    const account = await runIdempotent(request, reply, scope, {
      make: async ({ rows }) => {
        const created = await directory.create(order, (made) => rows(made.account.id, renderSecrets(made, publicUrl)));
        return { ...created.account, ...renderSecrets(created, publicUrl) };
      },
      replay: async (id, secrets) => ({ ...(await directory.find(id)), ...(secrets() as ReturnType<typeof renderSecrets>) }),
    });
    return reply.code(201).send(account);
  });

  app.post('/v1/accounts/:id/setup-link', { schema: setupLinkSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id } = request.params;
    const order = { by: credential.key, origin: request.ip, reason: plainText('reason', request.body.reason ?? '') };
    const render = (link: SetupLink) => renderSetupLink(link, publicUrl);
    const scope = { credential, objectId: id, hasSecret: true };
    const link = await runIdempotent(request, reply, scope, {
      make: async ({ rows }) => render(await directory.createSetupLink(id, order, (made) => rows(id, render(made)))),
      replay: async (_id, secret) => secret() as Static<typeof SetupLinkObject>,
    });
    return reply.code(201).send(link);
  });

  app.patch('/v1/accounts/:id', { schema: changeSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { id } = request.params;
    const order = { by: credential.key, origin: request.ip, ...readChanges(request.body) };
    const work = { make: ({ rows }: OutcomeWriter) => directory.change(id, order, rows(id)), replay: directory.find };
    return runIdempotent(request, reply, { credential, objectId: id }, work);
  });
}

/** @throws Refusal naming the field */
function readChanges({ email, reason = '', ...others }: Static<typeof AccountChangeBody>): { changes: AccountChanges; reason: string } {
  if (others.status !== undefined && reason.trim() === '')
    throw new Refusal('validation_failed', '`reason` must not be blank when `status` is sent. State why the account changes its state.');
  return { changes: { ...others, ...(email !== undefined && { email: emailText(email) }) }, reason: plainText('reason', reason) };
}
