import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { floorSat, type Msat, satToMsat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { CreatedLink, NewLink, WithdrawLinks, WithdrawRequest } from '../../lnurl/withdraw/withdraw-links.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import type { Access, WalletAuthorization } from '../auth/access.ts';
import { described, Expiry, KeyParams, LinkFeeLimit, Memo, memoText, NumSatoshis, PassThru, passThruText } from '../fields.ts';
import type { IdempotentHandler, OutcomeWriter } from '../idempotent.ts';
import { nullable } from '../objects/response-types.ts';
import { EXAMPLE } from '../openapi/example-values.ts';
import { PUBLIC, requires } from '../openapi/route-schema.ts';

const linkFields = {
  num_satoshis: Type.Optional(
    described(NumSatoshis, 'The most that one claim can withdraw, in whole satoshis. Default: the spendable balance now'),
  ),
  memo: Type.Optional(described(Memo, 'The description that the claiming wallet shows. At most 639 bytes in UTF-8')),
  expiry: Type.Optional(described(Expiry, 'How long the link can be claimed, in seconds. Without it the link does not expire')),
  uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'How often the link can be claimed. Default: 1' })),
  fee_limit_msat: Type.Optional(LinkFeeLimit),
};

const LinkBody = Type.Object(
  { ...linkFields, passThru: Type.Optional(PassThru) },
  { additionalProperties: false, examples: [{ num_satoshis: 300, memo: 'gift' }] },
);

const LinkQuery = Type.Object(
  {
    ...linkFields,
    passThru: Type.Optional(Type.String({ maxLength: 8192, description: 'A JSON object of your own, or its base64' })),
    public: Type.Optional(Type.String({ maxLength: 8, description: 'Sent by a published client; ignored' })),
  },
  { examples: [{ num_satoshis: 300, memo: 'gift' }] },
);

const CALLBACK = 'https://wallets.example.com/v1/user/wallet/waklw_ATA7…/lnurl-process';

const LinkObject = Type.Object(
  {
    id: Type.String({ description: 'The id of the link, `lnurlw_…`', examples: ['lnurlw_0Vbb5fXm00qB6nYtJs8cD5'] }),
    lnurl: Type.String({ description: 'The link as an LNURL (LUD-01), in upper case', examples: ['LNURL1DP68GURN8GHJ7…'] }),
    ott: Type.String({ description: 'The token of the link. Only this response contains it', examples: [EXAMPLE.token] }),
    url: Type.String({
      description: 'The address that the LNURL encodes',
      examples: [`${CALLBACK}?ott=${EXAMPLE.token}&num_satoshis=300`],
    }),
    wallet_id: Type.String({ description: 'The wallet that pays, `wal_…`', examples: [EXAMPLE.wallet] }),
    num_satoshis: Type.Integer({ description: 'The most that one claim can withdraw, in whole satoshis', examples: [300] }),
    uses: Type.Integer({ description: 'How often the link can be claimed', examples: [1] }),
    fee_limit_msat: Type.Integer({
      description: 'The most that routing of one claim may cost, in millisatoshis, in addition to the amount',
      examples: [3000],
    }),
    memo: Type.String({ description: 'The description that the claiming wallet shows', examples: ['gift'] }),
    created_at: Type.Integer({ description: 'Unix seconds', examples: [EXAMPLE.now] }),
    expires_at: nullable(Type.Integer({ description: 'Unix seconds; null when the link does not expire' })),
  },
  { title: 'WithdrawLink' },
);

const LINK = {
  tags: ['LNURL'],
  ...requires('wallet_withdraw'),
  params: KeyParams,
};
const LINK_TEXT =
  'The holder of the link can withdraw from the wallet: up to `num_satoshis` per claim, `uses` times. The link holds no money. It offers at ' +
  'most the amount that leaves `fee_limit_msat` of the balance for routing.';

const createSchema = {
  ...LINK,
  operationId: 'createWithdrawLink',
  summary: 'Create a withdraw link',
  description: LINK_TEXT,
  body: LinkBody,
  response: { 201: LinkObject },
};

const createByGetSchema = {
  ...LINK,
  operationId: 'makeWithdrawLink',
  summary: 'Create a withdraw link by GET',
  description: `Like createWithdrawLink, for clients that can only send GET. ${LINK_TEXT}`,
  querystring: LinkQuery,
  response: { 200: LinkObject },
};

const LnurlError = Type.Object(
  { status: Type.Literal('ERROR', { description: 'Always `ERROR`' }), reason: Type.String({ description: 'The reason, for people' }) },
  { title: 'LnurlError', description: 'The request was rejected, in the form of LNURL' },
);

const LnurlOk = Type.Object(
  { status: Type.Literal('OK', { description: 'Always `OK`' }) },
  { title: 'LnurlOk', description: 'With `pr`: the invoice is being paid, or this link has paid it' },
);

const WithdrawOffer = Type.Object(
  {
    tag: Type.Literal('withdrawRequest', { description: 'The kind of LNURL' }),
    callback: Type.String({ description: 'The address to which the claiming wallet sends `k1` and `pr`' }),
    k1: Type.String({ description: 'A value to send back with `pr`' }),
    defaultDescription: Type.String({ description: 'The memo of the link' }),
    minWithdrawable: Type.Integer({ description: 'The smallest amount in millisatoshis' }),
    maxWithdrawable: Type.Integer({ description: 'The largest amount in millisatoshis' }),
    balanceCheck: Type.Optional(
      Type.String({
        description: 'The address to read later what can be withdrawn (LUD-14). Absent when the request had no `ott`',
      }),
    ),
  },
  { title: 'WithdrawOffer', description: 'Without `pr`: step 1 of LUD-03' },
);

const processSchema = {
  operationId: 'processWithdrawLink',
  tags: ['LNURL'],
  summary: 'Claim a withdraw link',
  description:
    'The address of the link (LUD-03), which the claiming wallet calls. Without `pr` it returns what can be withdrawn. With `pr` it pays that ' +
    'invoice; the same `pr` again returns OK and pays nothing more. Every error is HTTP 200 in the form of LNURL.',
  ...PUBLIC,
  params: Type.Object({
    key: Type.String({
      description: 'The `waklw_` key of the wallet. It identifies the wallet and is not a secret',
      examples: ['waklw_ATA7…'],
    }),
  }),
  querystring: Type.Object({
    ott: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'The token of the link', examples: [EXAMPLE.token] })),
    num_satoshis: Type.Optional(
      described(NumSatoshis, 'A lower limit for this claim, in whole satoshis; it cannot raise the limit of the link'),
    ),
    k1: Type.Optional(Type.String({ maxLength: 128, description: 'The `k1` of step 1. It identifies the link when `ott` is absent' })),
    pr: Type.Optional(Type.String({ maxLength: 8000, description: 'The BOLT11 invoice to pay (step 2)' })),
    balanceNotify: Type.Optional(
      Type.String({ maxLength: 2048, description: 'Accepted because other wallets may send it (LUD-15), and not called' }),
    ),
  }),
  // For a union the serializer would have to validate every response.
  response: { 200: Type.Object({}, { additionalProperties: true }) },
  documentedResponse: { 200: Type.Union([WithdrawOffer, LnurlOk, LnurlError]) },
  exampleChanges: {
    200: {
      tag: 'withdrawRequest',
      callback: `${CALLBACK}?ott=${EXAMPLE.token}`,
      k1: '8108e65e6f2933516edd2af9fbbadc1d90c565fe8bf84b204de6eb3c6effe8bc',
      defaultDescription: 'gift',
      minWithdrawable: 1000,
      maxWithdrawable: 300_000,
      balanceCheck: `${CALLBACK}?ott=Qznz1OFjKrV_6ABSVXQZKnD_Th27UaIYyzhB33oV0HU`,
    },
  },
};

export interface LnurlWithdrawRouteDependencies {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
  readonly links: WithdrawLinks;
}

export function lnurlWithdrawRoutes(app: App, deps: LnurlWithdrawRouteDependencies): void {
  for (const base of WALLET_BASES) {
    createRoutes(app, deps, base);
    processRoute(app, deps.links, base);
  }
}

function createRoutes(app: App, { access, runIdempotent, links }: LnurlWithdrawRouteDependencies, base: string): void {
  async function create(
    { wallet, guards, credential }: WalletAuthorization,
    fields: LinkFields,
    passThru: object | undefined,
    outcome?: OutcomeWriter,
  ) {
    const order: NewLink = {
      wallet,
      maxMsat: fields.num_satoshis === undefined ? undefined : satToMsat(fields.num_satoshis),
      memo: memoText(fields.memo),
      passThru: passThruText(passThru),
      expirySeconds: fields.expiry,
      uses: fields.uses ?? 1,
      feeLimitMsat: fields.fee_limit_msat as Msat | undefined,
      guards,
      madeBy: credential.key,
    };
    const extraRows = (made: CreatedLink) => outcome?.rows(made.id, linkObject(order, made)) ?? [];
    return linkObject(order, await links.create({ ...order, extraRows }));
  }

  app.post(`${base}/lnurl/withdraw`, { schema: createSchema }, async (request, reply) => {
    const authorized = await access.authorizeWallet(request, 'wallet_withdraw');
    const { credential, wallet } = authorized;
    const link = await runIdempotent(
      request,
      reply,
      { credential, walletId: wallet.id, hasSecret: true },
      {
        make: (memory) => create(authorized, request.body, request.body.passThru, memory),
        // The token is the link: it is stored for this replay only, encrypted.
        replay: async (_id, secret) => secret() as Static<typeof LinkObject>,
      },
    );
    return reply.code(201).send(link);
  });

  app.get(
    `${base}/lnurl/withdraw`,
    { schema: createByGetSchema, exposeHeadRoute: false, config: { hasSideEffect: true } },
    async (request) => {
      const authorized = await access.authorizeWallet(request, 'wallet_withdraw');
      return create(authorized, request.query, decodePassThru(request.query.passThru));
    },
  );
}

function linkObject({ wallet, uses, memo }: NewLink, made: CreatedLink): Static<typeof LinkObject> {
  const { id, lnurl, token: ott, url, feeLimitMsat: fee_limit_msat, createdAt: created_at } = made;
  const num_satoshis = floorSat(made.maxMsat);
  const expires_at = made.expiresAt ?? null;
  return { id, lnurl, ott, url, wallet_id: wallet.id, num_satoshis, uses, fee_limit_msat, memo, created_at, expires_at };
}

interface LinkFields {
  num_satoshis?: number;
  memo?: string;
  expiry?: number;
  uses?: number;
  fee_limit_msat?: number;
}

function processRoute(app: App, links: WithdrawLinks, base: string): void {
  app.get(
    `${base}/lnurl-process`,
    { schema: processSchema, exposeHeadRoute: false, config: { lnurl: true, hasSideEffect: true } },
    async (request) => {
      const withdraw = toWithdrawRequest(request);
      const { pr } = request.query;
      if (pr === undefined) return links.parameters(withdraw);
      await links.withdraw(withdraw, pr);
      return { status: 'OK' };
    },
  );
}

function toWithdrawRequest(
  request: FastifyRequest<{ Params: { key: string }; Querystring: { ott?: string; num_satoshis?: number; k1?: string } }>,
): WithdrawRequest {
  const { ott: token, num_satoshis: numSatoshis, k1 } = request.query;
  return { pathKey: request.params.key, token, numSatoshis, k1 };
}

/** Reads the `passThru` of a query: published clients send JSON or its base64. @throws Refusal */
function decodePassThru(text: string | undefined): object | undefined {
  if (text === undefined) return undefined;
  const json = text.trimStart().startsWith('{') ? text : Buffer.from(text, 'base64').toString('utf8');
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Rejected below, like JSON that is no object.
  }
  throw new Refusal('validation_failed', 'Query parameter `passThru` must be a JSON object, or the base64 of one.');
}
