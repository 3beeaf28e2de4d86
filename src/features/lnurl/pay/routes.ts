import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { Refusal } from '../../../core/kernel/refusal.ts';
import { type App, WALLET_BASES } from '../../../http/app-type.ts';
import type { Access, WalletAuthorization } from '../../../http/auth/access.ts';
import { KeyParams } from '../../../http/fields.ts';
import type { IdempotentHandler } from '../../../http/idempotent.ts';
import { EXAMPLE } from '../../../http/openapi/example-values.ts';
import { requires } from '../../../http/openapi/route-schema.ts';
import { CursorQuery, readPage, rejectPageWithAfter, setCursorHeaders, setPageHeaders } from '../../../http/responses/paging.ts';
import type { WholePayLink } from './pay-link.ts';
import { PayLinkObject, renderPayLink } from './pay-link-object.ts';
import type { PayLinkOwner, PayLinks } from './pay-links.ts';
import { LinkBody, LinkChangeBody, toChanges } from './settings-object.ts';

const IdParams = Type.Object({ id: Type.String({ description: 'The `lnurlp_` id of the pay link', examples: [EXAMPLE.payLink] }) });

const LINK = { tags: ['LNURL'], ...requires('wallet_withdraw') };

const createSchema = {
  ...LINK,
  operationId: 'createPayLink',
  summary: 'Create a pay link or a Lightning address',
  description:
    'Payments of the link are credited to the wallet, as often as it is paid. With `lnurlp_identifier` the link is also a Lightning address.',
  params: KeyParams,
  body: LinkBody,
  response: { 201: PayLinkObject },
};

const ofWalletSchema = {
  tags: ['LNURL'],
  ...requires('wallet_read'),
  operationId: 'listWalletPayLinks',
  summary: 'List the pay links of a wallet',
  description: 'Newest first, without images.',
  params: KeyParams,
  querystring: CursorQuery,
  response: { 200: Type.Array(PayLinkObject) },
};

const ofAccountSchema = {
  tags: ['LNURL'],
  ...requires('account'),
  operationId: 'listPayLinks',
  summary: 'List the pay links of the account',
  description: 'Newest first, without images.',
  querystring: CursorQuery,
  response: { 200: Type.Array(PayLinkObject) },
};

const getSchema = {
  tags: ['LNURL'],
  ...requires('any_key'),
  operationId: 'getPayLink',
  summary: 'Read a pay link',
  description: 'A public API key sees it without `lnurlp_successAction` and `passThru`.',
  params: IdParams,
  response: { 200: PayLinkObject },
};

const CHANGE_TEXT = 'Changes the fields that are sent. Invoices that payers have requested before stay valid.';

const changeSchema = {
  ...LINK,
  operationId: 'changePayLink',
  summary: 'Change a pay link',
  description: CHANGE_TEXT,
  params: IdParams,
  body: LinkChangeBody,
  response: { 200: PayLinkObject },
};

const changeByPostSchema = {
  ...changeSchema,
  operationId: 'updatePayLink',
  summary: 'Change a pay link by POST',
  description: `Like changePayLink, for old clients. ${CHANGE_TEXT}`,
};

const deleteSchema = {
  ...LINK,
  operationId: 'deletePayLink',
  summary: 'Deactivate a pay link',
  description: 'The link can no longer be paid. Its name stays reserved for the account. `status` of changePayLink activates it again.',
  params: IdParams,
  response: { 200: PayLinkObject },
  exampleChanges: { 200: { statusType: { type: 'lnurl', name: 'lnurl_inactive', display_name: 'Inactive' } } },
};

export interface LnurlPayRouteDependencies {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
  readonly payLinks: PayLinks;
}

/** The routes by which owners manage pay links. */
export function lnurlPayRoutes(app: App, deps: LnurlPayRouteDependencies): void {
  const { access, runIdempotent, payLinks } = deps;

  for (const base of WALLET_BASES) {
    app.post(`${base}/lnurlp`, { schema: createSchema }, async (request, reply) => {
      const { wallet, guards, credential } = await access.authorizeWallet(request, 'wallet_withdraw');
      const changes = toChanges(request.body);
      const link = await runIdempotent(
        request,
        reply,
        { credential, walletId: wallet.id },
        { make: ({ rows }) => payLinks.create(wallet, changes, { guards, extraRows: rows }), replay: (id) => requireLink(payLinks, id) },
      );
      return reply.code(201).send(renderPayLink(link));
    });

    app.get(`${base}/lnurlp`, { schema: ofWalletSchema }, async (request, reply) => {
      const wallet = await access.wallet(request, 'wallet_read');
      return sendList(payLinks, request, reply, { walletId: wallet.id });
    });
  }

  app.get('/v1/lnurlp', { schema: ofAccountSchema }, async (request, reply) => {
    const accountId = await access.account(request);
    return sendList(payLinks, request, reply, { accountId });
  });

  linkRoutes(app, deps);
}

/** The routes of one link. */
function linkRoutes(app: App, { access, runIdempotent, payLinks }: LnurlPayRouteDependencies): void {
  /** @throws Refusal `not_found` for an unknown link and for one of another account. */
  async function authorize(request: FastifyRequest<{ Params: { id: string } }>): Promise<WalletAuthorization & { link: WholePayLink }> {
    await access.anyKey(request);
    const link = await payLinks.find(request.params.id);
    const authorized = await access.authorizeWalletId(request, link?.walletId, 'wallet_withdraw');
    return { ...authorized, link: link as WholePayLink };
  }

  app.get('/v1/lnurlp/:id', { schema: getSchema }, async (request) => {
    const key = await access.anyKey(request);
    const link = await payLinks.find(request.params.id);
    if (link?.accountId !== key.accountId || (key.walletId !== undefined && key.walletId !== link.walletId)) throw new Refusal('not_found');
    if (key.kind === 'public_api') return { ...renderPayLink(link), lnurlp_successAction: null, passThru: null };
    return renderPayLink(link);
  });

  app.patch('/v1/lnurlp/:id', { schema: changeSchema }, async (request) => {
    const { link, guards } = await authorize(request);
    return renderPayLink(await payLinks.change(link.id, toChanges(request.body), { guards }));
  });

  app.post('/v1/lnurlp/:id', { schema: changeByPostSchema }, async (request, reply) => {
    const { link, wallet, guards, credential } = await authorize(request);
    const changes = toChanges(request.body);
    const changed = await runIdempotent(
      request,
      reply,
      { credential, walletId: wallet.id, objectId: link.id },
      { make: ({ rows }) => payLinks.change(link.id, changes, { guards, extraRows: rows }), replay: (id) => requireLink(payLinks, id) },
    );
    return renderPayLink(changed);
  });

  app.delete('/v1/lnurlp/:id', { schema: deleteSchema }, async (request) => {
    const { link, guards } = await authorize(request);
    return renderPayLink(await payLinks.change(link.id, { status: 'inactive' }, { guards }));
  });
}

async function requireLink(payLinks: PayLinks, id: string): Promise<WholePayLink> {
  const link = await payLinks.find(id);
  if (!link) throw new Error(`pay link ${id} is gone`);
  return link;
}

async function sendList(
  payLinks: PayLinks,
  request: FastifyRequest<{ Querystring: Static<typeof CursorQuery> }>,
  reply: FastifyReply,
  owner: PayLinkOwner,
) {
  rejectPageWithAfter(request.query);
  const page = readPage(request.query);
  const { after } = request.query;
  if (after === undefined) {
    const { links, total } = await payLinks.list(owner, page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return links.map(renderPayLink);
  }
  const known = await payLinks.find(after);
  const isOwn = 'walletId' in owner ? known?.walletId === owner.walletId : known?.accountId === owner.accountId;
  if (!isOwn) throw new Refusal('validation_failed', '`after` must be the id of a pay link of this list.');
  const following = await payLinks.listAfter(owner, page.limit, after);
  setCursorHeaders(request, reply, page.limit, following);
  return following.map(renderPayLink);
}
