import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { invariant } from '../../../core/kernel/assert.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../../http/app-type.ts';
import type { Access, WalletAuthorization } from '../../../http/auth/access.ts';
import { filteredWallet, walletFilter } from '../../../http/auth/account-scope.ts';
import { choice, KeyParams } from '../../../http/fields.ts';
import { MANAGES, requires } from '../../../http/openapi/route-schema.ts';
import { CsvListQuery, ListQuery, sendList } from '../../../http/responses/list.ts';
import { LinkBody, LinkChangeBody } from './link-settings.ts';
import { PayLinkObject, PayLinkTotalObject, renderPayLink } from './pay-link-object.ts';
import type { PayLink, PayLinks } from './pay-links.ts';

const IdParams = Type.Object({ id: Type.String({ description: 'The `lnurlp_` id of the pay link' }) });

const LINK = { tags: ['LNURL'], ...requires('wallet_withdraw') };
const OF_LINK = { ...LINK, params: IdParams, response: { 200: PayLinkObject } };
const LIST = {
  tags: ['LNURL'],
  description: 'Without images.',
  querystring: ListQuery,
  response: { 200: Type.Array(PayLinkObject) },
};

const createSchema = {
  ...LINK,
  ...MANAGES,
  errorStatuses: [409],
  operationId: 'createPayLink',
  summary: 'Create a pay link or a Lightning address',
  description:
    'Payments of the link are credited to the wallet, as often as it is paid. With `lnurlp_identifier` the link is also a Lightning address.',
  params: KeyParams,
  body: LinkBody,
  response: { 201: PayLinkObject },
};

const listOfWalletSchema = {
  ...LIST,
  ...requires('wallet_read'),
  operationId: 'listWalletPayLinks',
  summary: 'List the pay links of a wallet',
  params: KeyParams,
};

const FILTERS = {
  status: Type.Optional(choice(['active', 'inactive'], { description: 'Only links with this status' })),
  wallet_id: walletFilter('links'),
};

const listOfAccountSchema = {
  ...LIST,
  ...requires('account'),
  operationId: 'listPayLinks',
  summary: 'List the pay links of the account',
  querystring: Type.Object({ ...CsvListQuery.properties, ...FILTERS }),
  errorStatuses: [404],
};

const totalSchema = {
  tags: LIST.tags,
  ...requires('account'),
  operationId: 'getPayLinkTotal',
  summary: 'Read the sums over the pay links of the account',
  description: 'The sums over all links that the list returns with the same `status` and `wallet_id`.',
  querystring: Type.Object(FILTERS),
  response: { 200: PayLinkTotalObject },
  errorStatuses: [404],
};

/** What a public API key does not see. */
const HIDDEN = { lnurlp_successAction: null, passThru: null, payments: null, received_msat: null, last_paid_at: null };

const getSchema = {
  ...OF_LINK,
  ...requires('any_key'),
  operationId: 'getPayLink',
  summary: 'Read a pay link',
  description: 'A public API key sees it without `lnurlp_successAction`, `passThru` and what the link has received.',
};

const CHANGE_TEXT = 'Changes the fields that are sent. Invoices that payers have requested before stay valid.';

const changeSchema = {
  ...OF_LINK,
  ...MANAGES,
  errorStatuses: [409],
  operationId: 'changePayLink',
  summary: 'Change a pay link',
  description: CHANGE_TEXT,
  body: LinkChangeBody,
};

const changeByPostSchema = {
  ...changeSchema,
  errorStatuses: [409],
  operationId: 'updatePayLink',
  summary: 'Change a pay link by POST',
  description: `Like changePayLink, for old clients. ${CHANGE_TEXT}`,
};

const deleteSchema = {
  ...OF_LINK,
  ...MANAGES,
  operationId: 'deletePayLink',
  summary: 'Deactivate a pay link',
  description: 'The link can no longer be paid. Its name stays reserved for the account. `status` of changePayLink activates it again.',
};

async function filterOf(access: Access, request: FastifyRequest<{ Querystring: { status?: 'active' | 'inactive'; wallet_id?: string } }>) {
  const accountId = await access.account(request);
  const walletId = (await filteredWallet(access, request, 'wallet_read'))?.id;
  return { accountId, walletId, state: request.query.status };
}

/** The routes by which owners manage pay links. */
export function payLinkRoutes(app: App, modules: RouteContext & { readonly payLinks: PayLinks; readonly publicUrl: string }): void {
  const { access, runIdempotent, payLinks, publicUrl } = modules;
  const render = (link: PayLink) => renderPayLink(link, publicUrl);

  /** @throws Refusal `not_found` for an unknown link and for one of another account. */
  async function authorize(request: FastifyRequest<{ Params: { id: string } }>): Promise<WalletAuthorization> {
    await access.anyKey(request);
    const link = await payLinks.find(request.params.id);
    return access.authorizeWalletId(request, link?.wallet_id, 'wallet_withdraw');
  }

  async function replay(id: string) {
    const link = await payLinks.find(id);
    invariant(link, `pay link ${id} is gone`);
    return render(link);
  }

  for (const base of WALLET_BASES) {
    app.post(`${base}/lnurlp`, { schema: createSchema }, async (request, reply) => {
      const { wallet, guards, credential } = await access.authorizeWallet(request, 'wallet_withdraw');
      const scope = { credential, walletId: wallet.id };
      const link = await runIdempotent(request, reply, scope, {
        make: async ({ rows }) => render(await payLinks.create(wallet, request.body, { guards, extraRows: rows })),
        replay,
      });
      return reply.code(201).send(link);
    });

    app.get(`${base}/lnurlp`, { schema: listOfWalletSchema }, async (request, reply) => {
      const wallet = await access.wallet(request, 'wallet_read');
      return sendList(request, reply, payLinks.listOfWallet(wallet.id), render);
    });
  }

  app.get('/v1/lnurlp', { schema: listOfAccountSchema }, async (request, reply) => {
    return sendList(request, reply, payLinks.listOfAccount(await filterOf(access, request)), render);
  });

  app.get('/v1/lnurlp/summary', { schema: totalSchema }, async (request) => payLinks.totalOfAccount(await filterOf(access, request)));

  app.get('/v1/lnurlp/:id', { schema: getSchema }, async (request) => {
    const key = await access.anyKey(request);
    const link = await payLinks.find(request.params.id);
    if (link?.account_id !== key.accountId || (key.walletId !== undefined && key.walletId !== link.wallet_id))
      throw new Refusal('not_found');
    return key.kind === 'public_api' ? { ...render(link), ...HIDDEN } : render(link);
  });

  app.patch('/v1/lnurlp/:id', { schema: changeSchema }, async (request) => {
    const { guards } = await authorize(request);
    return render(await payLinks.change(request.params.id, request.body, { guards }));
  });

  app.post('/v1/lnurlp/:id', { schema: changeByPostSchema }, async (request, reply) => {
    const { wallet, guards, credential } = await authorize(request);
    const { id } = request.params;
    const scope = { credential, walletId: wallet.id, objectId: id };
    return runIdempotent(request, reply, scope, {
      make: async ({ rows }) => render(await payLinks.change(id, request.body, { guards, extraRows: rows })),
      replay,
    });
  });

  app.delete('/v1/lnurlp/:id', { schema: deleteSchema }, async (request) => {
    const { guards } = await authorize(request);
    return render(await payLinks.change(request.params.id, { status: 'inactive' }, { guards }));
  });
}
