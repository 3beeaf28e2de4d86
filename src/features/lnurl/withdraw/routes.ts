import { type Static, type TObject, Type } from 'typebox';
import { ID_LENGTH } from '../../../core/kernel/ids.ts';
import { isJsonObject, parseJson } from '../../../core/kernel/json.ts';
import { Refusal } from '../../../core/kernel/refusal.ts';
import type { Rates } from '../../../core/rates/rates.ts';
import { FIAT_AMOUNT, optionalAnyAmount, type RequestedAmount } from '../../../http/amounts.ts';
import { type App, type RouteContext, WALLET_BASES } from '../../../http/app-type.ts';
import type { Access, WalletAuthorization } from '../../../http/auth/access.ts';
import { filteredWallet, walletFilter } from '../../../http/auth/account-scope.ts';
import {
  choice,
  described,
  Expiry,
  KeyParams,
  LinkFeeLimit,
  Memo,
  memoText,
  NumSatoshis,
  PassThru,
  PositiveMsat,
  passThruText,
  passThruWith,
  plainText,
  UserLabel,
} from '../../../http/fields.ts';
import type { OutcomeWriter } from '../../../http/idempotent.ts';
import { requires } from '../../../http/openapi/route-schema.ts';
import { inexactNumber, inexactRefusal } from '../../../http/requests/json-numbers.ts';
import { CsvListQuery, ListQuery, sendList } from '../../../http/responses/list.ts';
import { NewWithdrawLinkObject, renderWithdrawLink, WithdrawLinkObject, WithdrawLinkTotalObject } from './withdraw-link-object.ts';
import type { LinkTerms } from './withdraw-links.sql.ts';
import type { LinkSecrets, WithdrawLinks } from './withdraw-links.ts';

const linkFields = {
  num_satoshis: described(NumSatoshis, 'The most that one claim can withdraw, in whole satoshis. Default: the spendable balance now'),
  ...FIAT_AMOUNT,
  expiry: described(Expiry, 'How long the link can be claimed, in seconds. Without it the link does not expire'),
  uses: Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'How often the link can be claimed. Default: 1' }),
  fee_limit_msat: LinkFeeLimit,
  memo: described(Memo, 'The description that the claiming wallet shows. At most 639 bytes in UTF-8'),
  user_label: described(UserLabel, 'A label for the owner, which the claiming wallet does not see. Transactions have it, or else the memo'),
  daily_limit_msat: described(
    PositiveMsat,
    'The millisatoshis that the claims of one day (UTC) may cost, with routing fees. Claims in flight count with their fee limit, failed ' +
      'claims do not count. Default: no limit',
  ),
};

const { uses: _uses, expiry: _expiry, ...sharedFields } = linkFields;
const permanentFields = {
  ...sharedFields,
  num_satoshis: described(
    NumSatoshis,
    'The most that one claim can withdraw, in whole satoshis. Default: the spendable balance at the claim',
  ),
  fee_limit_msat: described(
    LinkFeeLimit,
    'The most that routing of one claim may cost, in millisatoshis, in addition to the amount. Default: 1 % of the amount of the claim, at ' +
      'least 1000',
  ),
};

const queryFields = {
  passThru: Type.String({ maxLength: 8192, description: 'A JSON object of your own, or its base64' }),
  public: Type.String({ maxLength: 8, description: 'Sent by a published client; ignored' }),
};

/** As long as every id of a link. */
const SOME_LINK_ID = `lnurlw_${'0'.repeat(ID_LENGTH)}`;

const LINK = { tags: ['LNURL'], ...requires('wallet_withdraw'), params: KeyParams };

/** The two kinds of links: one with a number of uses, and one that is permanent. Each can be created by POST and by GET. */
const KINDS = [
  {
    path: 'lnurl/withdraw',
    isPermanent: false,
    fields: linkFields,
    operation: 'createWithdrawLink',
    operationByGet: 'makeWithdrawLink',
    summary: 'Create a withdraw link',
    description:
      'The holder of the link can withdraw from the wallet: up to `num_satoshis` per claim, `uses` times. The link holds no money. It offers at ' +
      'most the amount that leaves the fee limit of the balance for routing.',
  },
  {
    path: 'lnurl/withdraw-static',
    isPermanent: true,
    fields: permanentFields,
    operation: 'createPermanentWithdrawLink',
    operationByGet: 'makePermanentWithdrawLink',
    summary: 'Create a permanent withdraw link',
    description:
      'The link can be claimed without an end until it is revoked: up to `num_satoshis` per claim and `daily_limit_msat` per day (UTC). It ' +
      'offers at most the amount that leaves the fee limit of the balance and of the daily limit for routing.',
  },
];

const OF_LINK = {
  ...LINK,
  params: Type.Object({ ...KeyParams.properties, id: Type.String({ description: 'The id of the link, `lnurlw_…`' }) }),
  response: { 200: WithdrawLinkObject },
};

const listSchema = {
  ...LINK,
  operationId: 'listWithdrawLinks',
  summary: 'List the withdraw links of a wallet',
  description: 'Without their tokens.',
  querystring: ListQuery,
  response: { 200: Type.Array(WithdrawLinkObject) },
};

const FILTERS = {
  status: Type.Optional(
    choice(['active', 'ended'], {
      description: '`ended`: only links that are used up, expired or revoked, or whose key is no longer valid. `active`: only the others',
    }),
  ),
  wallet_id: walletFilter('links'),
};

const accountListSchema = {
  tags: LINK.tags,
  ...requires('account'),
  operationId: 'listWithdrawLinksOfAccount',
  summary: 'List the withdraw links of all wallets of the account',
  description: 'Without their tokens.',
  querystring: Type.Object({ ...CsvListQuery.properties, ...FILTERS }),
  response: { 200: Type.Array(WithdrawLinkObject) },
  errorStatuses: [404],
};

const totalSchema = {
  tags: LINK.tags,
  ...requires('account'),
  operationId: 'getWithdrawLinkTotal',
  summary: 'Read the sums over the withdraw links of the account',
  description: 'The sums over all links that the list returns with the same `status` and `wallet_id`.',
  querystring: Type.Object(FILTERS),
  response: { 200: WithdrawLinkTotalObject },
  errorStatuses: [404],
};

const readSchema = {
  ...OF_LINK,
  operationId: 'getWithdrawLink',
  summary: 'Read a withdraw link',
  description: 'Returns the limits, the uses and the claimed amounts of the link, without its token.',
};

const revokeSchema = {
  ...OF_LINK,
  operationId: 'revokeWithdrawLink',
  summary: 'Revoke a withdraw link',
  description: 'All further claims are rejected. A claim in flight continues. Revoking a link again changes nothing.',
};

type Kind = (typeof KINDS)[number];
/** What requests for both kinds can have. A permanent link ignores `uses` and `expiry`. */
type LinkFields = Partial<Static<TObject<typeof linkFields>>>;

/** The routes of the owner of withdraw links. */
export function withdrawLinkRoutes(
  app: App,
  { access, runIdempotent, links, rates }: RouteContext & { readonly links: WithdrawLinks; readonly rates: Rates },
): void {
  async function createLink(
    { wallet, guards, credential }: WalletAuthorization,
    fields: LinkFields,
    isPermanent: boolean,
    passThru: object | undefined,
    outcome?: OutcomeWriter,
  ): Promise<Static<typeof NewWithdrawLinkObject>> {
    const readAmount = optionalAnyAmount(rates, fields);
    const { link, secrets } = await links.create({
      wallet,
      terms: readTerms(fields, isPermanent, passThru, await readAmount?.()),
      expirySeconds: isPermanent ? undefined : fields.expiry,
      guards,
      // A link outlives the session in which it was created.
      madeBy: credential.key.isSession ? undefined : credential.key,
      extraRows: (id, created) => outcome?.rows(id, created) ?? [],
    });
    return { ...renderWithdrawLink(link), ...secrets };
  }

  function createRoutes(base: string, { path, isPermanent, fields, operation, operationByGet, summary, description }: Kind): void {
    const createSchema = {
      ...LINK,
      operationId: operation,
      summary,
      description,
      body: Type.Partial(Type.Object({ ...fields, passThru: PassThru }), { additionalProperties: false }),
      response: { 201: NewWithdrawLinkObject },
    };
    app.post(`${base}/${path}`, { schema: createSchema }, async (request, reply) => {
      const authorized = await access.authorizeWallet(request, 'wallet_withdraw');
      const { credential, wallet } = authorized;
      const { passThru, ...sent } = request.body;
      const scope = { credential, walletId: wallet.id, hasSecret: true };
      const link = await runIdempotent(request, reply, scope, {
        make: (outcome) => createLink(authorized, sent, isPermanent, passThru, outcome),
        // The token is the link: it is stored for this replay only, encrypted.
        replay: async (id, secret) => ({ ...(secret() as LinkSecrets), ...renderWithdrawLink(await links.find(wallet.id, id)) }),
      });
      return reply.code(201).send(link);
    });

    const createByGetSchema = {
      ...LINK,
      operationId: operationByGet,
      summary: `${summary} by GET`,
      description: `Like ${operation}, for clients that can only send GET. ${description}`,
      querystring: Type.Partial(Type.Object({ ...fields, ...queryFields })),
      response: { 200: NewWithdrawLinkObject },
    };
    const byGet = { schema: createByGetSchema, exposeHeadRoute: false, config: { hasSideEffect: true } };
    app.get(`${base}/${path}`, byGet, async (request) => {
      const authorized = await access.authorizeWallet(request, 'wallet_withdraw');
      const { passThru, ...sent } = request.query;
      return createLink(authorized, sent, isPermanent, decodePassThru(passThru));
    });
  }

  for (const base of WALLET_BASES) {
    for (const kind of KINDS) createRoutes(base, kind);

    app.get(`${base}/lnurl/withdraws`, { schema: listSchema }, async (request, reply) => {
      const wallet = await access.wallet(request, 'wallet_withdraw');
      return sendList(request, reply, links.list(wallet.id), renderWithdrawLink);
    });

    app.get(`${base}/lnurl/withdraws/:id`, { schema: readSchema }, async (request) => {
      const wallet = await access.wallet(request, 'wallet_withdraw');
      return renderWithdrawLink(await links.find(wallet.id, request.params.id));
    });

    app.delete(`${base}/lnurl/withdraws/:id`, { schema: revokeSchema }, async (request) => {
      const { wallet, guards } = await access.authorizeWallet(request, 'wallet_withdraw');
      return renderWithdrawLink(await links.revoke(wallet.id, request.params.id, guards));
    });
  }
  accountRoutes(app, links, access);
}

/** The links of all wallets of an account. */
function accountRoutes(app: App, links: WithdrawLinks, access: Access): void {
  app.get('/v1/lnurl/withdraws/summary', { schema: totalSchema }, async (request) => {
    const accountId = await access.account(request);
    const { status } = request.query;
    const walletId = (await filteredWallet(access, request, 'wallet_read'))?.id;
    return links.totalOfAccount({ accountId, walletId }, status);
  });

  app.get('/v1/lnurl/withdraws', { schema: accountListSchema }, async (request, reply) => {
    const accountId = await access.account(request);
    const { status } = request.query;
    const walletId = (await filteredWallet(access, request, 'wallet_read'))?.id;
    return sendList(request, reply, links.listOfAccount({ accountId, walletId }, status), renderWithdrawLink);
  });
}

function readTerms(fields: LinkFields, isPermanent: boolean, passThru: object | undefined, amount: RequestedAmount | undefined): LinkTerms {
  // The payments of its claims also have the id of the link.
  if (passThru) passThruWith(passThru, { lnurlw_id: SOME_LINK_ID });
  return {
    max_msat: amount?.amountMsat ?? null,
    fiat: amount?.fiat === undefined ? null : JSON.stringify(amount.fiat),
    fee_limit_msat: fields.fee_limit_msat ?? null,
    uses: isPermanent ? null : (fields.uses ?? 1),
    daily_limit_msat: fields.daily_limit_msat ?? null,
    memo: memoText(fields.memo),
    user_label: plainText('user_label', fields.user_label ?? ''),
    pass_thru: passThruText(passThru) ?? null,
  };
}

/** Reads the `passThru` of a query: published clients send JSON or its base64. @throws Refusal */
function decodePassThru(text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  const json = text.trimStart().startsWith('{') ? text : Buffer.from(text, 'base64').toString('utf8');
  const value = parseJson(json);
  const inexact = value === undefined ? undefined : inexactNumber(json);
  if (inexact !== undefined) throw inexactRefusal(`passThru.${inexact}`);
  if (isJsonObject(value)) return value;
  throw new Refusal('validation_failed', 'Query parameter `passThru` must be a JSON object, or the base64 of one.');
}
