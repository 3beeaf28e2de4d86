import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { MAX_MSAT, type Msat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { LinkChanges } from '../../lnurl/pay/link-settings.ts';
import { MAX_IMAGE_LENGTH } from '../../lnurl/pay/metadata.ts';
import type { WholePayLink } from '../../lnurl/pay/pay-link.ts';
import type { PayLinkOwner, PayLinks } from '../../lnurl/pay/pay-links.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import type { Access, WalletAuthorization } from '../auth/access.ts';
import { ChangedLabel, choice, described, KeyParams, memoText, PassThru, passThruText, plainText, UserLabel } from '../fields.ts';
import type { IdempotentHandler } from '../idempotent.ts';
import { PayLinkObject, renderPayLink } from '../objects/pay-link.ts';
import { EXAMPLE } from '../openapi/example-values.ts';
import { requires } from '../openapi/route-schema.ts';
import { CursorQuery, readPage, rejectPageWithAfter, setCursorHeaders, setPageHeaders } from '../responses/paging.ts';

const SendableMsat = Type.Integer({ minimum: 1000, maximum: MAX_MSAT, unit: 'millisatoshis' });
const ShortDesc = Type.String({ minLength: 1, maxLength: 639 });

const linkFields = {
  lnurlp_minSendable_msat: Type.Optional(
    described(SendableMsat, 'The smallest payment in millisatoshis, at least 1000. Default of a new link: 1000'),
  ),
  lnurlp_maxSendable_msat: Type.Optional(
    described(SendableMsat, 'The largest payment in millisatoshis. Default of a new link: 100000000000, one bitcoin'),
  ),
  lnurlp_short_desc: Type.Optional(
    described(ShortDesc, 'What payers read before they pay, at most 639 bytes in UTF-8. Default of a new link: `Lightning payment`'),
  ),
  lnurlp_long_desc: Type.Optional(
    Type.String({ maxLength: 2000, clearable: true, description: 'A longer text for payers (LUD-20). null or an empty text removes it' }),
  ),
  lnurlp_image: Type.Optional(
    Type.String({
      maxLength: MAX_IMAGE_LENGTH,
      clearable: true,
      description: `An image for payers: PNG or JPEG in base64, at most ${MAX_IMAGE_LENGTH} characters. null or an empty text removes it`,
    }),
  ),
  lnurlp_commentAllowed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 500,
      unit: 'characters',
      description: "The maximum length of a payer's comment (LUD-12), in characters; 0: no comments. Default of a new link: 255",
    }),
  ),
  lnurlp_payerData: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Which data payers may or must send (LUD-18): `name`, `email`, `identifier`, `pubkey`, each with `{"mandatory": true}` or ' +
          '`{"mandatory": false}`. `{}` removes it',
        examples: [{ name: { mandatory: false } }],
      },
    ),
  ),
  lnurlp_successAction: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'What payers see after they have paid: `{"tag": "message", "message"}` or `{"tag": "url", "description", "url"}` (LUD-09), with a ' +
          'URL of this service, or `{"tag": "aes", "description", "text"}` (LUD-10), whose text only the payer can read. `{}` removes it',
        examples: [{ tag: 'message', message: 'Thank you' }],
      },
    ),
  ),
  lnurlp_identifier: Type.Optional(
    Type.String({
      maxLength: 64,
      clearable: true,
      description:
        'The name of a Lightning address: a-z, 0-9, `-`, `_` and `.`. It is unique in its domain and stays reserved for the account. null or ' +
        'an empty text removes it from the link',
      examples: ['alma'],
    }),
  ),
  lnurlp_domain: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'The domain of the Lightning address: the host of PUBLIC_URL, which is the default, or one of ADDRESS_DOMAINS',
    }),
  ),
  passThru: Type.Optional(
    described(
      PassThru,
      'A JSON object of your own, at most 900 bytes. Each payment of the link gets it in its `passThru`. `{}` removes it',
    ),
  ),
};

const LinkBody = Type.Object(
  { ...linkFields, user_label: Type.Optional(UserLabel) },
  {
    additionalProperties: false,
    examples: [{ lnurlp_minSendable_msat: 1000, lnurlp_maxSendable_msat: 5_000_000, lnurlp_short_desc: 'tips', lnurlp_identifier: 'alma' }],
  },
);

const LinkChangeBody = Type.Object(
  {
    ...linkFields,
    user_label: Type.Optional(ChangedLabel),
    status: Type.Optional(choice(['active', 'inactive'], { description: '`inactive`: the link cannot be paid' })),
  },
  { additionalProperties: false, examples: [{ lnurlp_short_desc: 'tips', status: 'active' }] },
);

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

/** With a comment and data of the payer, `passThru` has at most 4 kB. */
const PASS_THRU_BYTES = 900;

/** @throws Refusal naming the field. */
function toChanges(body: Static<typeof LinkChangeBody>): LinkChanges {
  const passThru = passThruText(body.passThru);
  if (passThru !== undefined && Buffer.byteLength(passThru) > PASS_THRU_BYTES)
    throw new Refusal('validation_failed', `\`passThru\` of a pay link must be at most ${PASS_THRU_BYTES} bytes of JSON.`);
  const { lnurlp_short_desc: shortDesc } = body;
  const text = (name: 'user_label' | 'lnurlp_long_desc') => (body[name] === undefined ? undefined : plainText(name, body[name]));
  return {
    status: body.status,
    userLabel: text('user_label'),
    shortDesc: shortDesc === undefined ? undefined : memoText(shortDesc, 'lnurlp_short_desc'),
    longDesc: text('lnurlp_long_desc'),
    image: body.lnurlp_image,
    minMsat: body.lnurlp_minSendable_msat as Msat | undefined,
    maxMsat: body.lnurlp_maxSendable_msat as Msat | undefined,
    commentLength: body.lnurlp_commentAllowed,
    payerData: body.lnurlp_payerData,
    successAction: body.lnurlp_successAction,
    passThru,
    name: body.lnurlp_identifier,
    domain: body.lnurlp_domain,
  };
}
