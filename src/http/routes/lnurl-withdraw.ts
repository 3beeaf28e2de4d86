import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { floorSat, type Msat, satToMsat } from '../../kernel/money.ts';
import { Refusal } from '../../kernel/refusal.ts';
import type { CreatedLink, NewLink, WithdrawLinks, WithdrawRequest } from '../../lnurl/withdraw-links.ts';
import { type App, WALLET_BASES } from '../app-type.ts';
import type { Access, WalletAuthorization } from '../auth/access.ts';
import { AmountMsat, Expiry, KeyParams, Memo, memoText, NumSatoshis, PassThru, passThruText } from '../fields.ts';
import type { IdempotentHandler, OutcomeWriter } from '../idempotent.ts';
import { nullable } from '../objects.ts';

const linkFields = {
  num_satoshis: Type.Optional(NumSatoshis),
  memo: Type.Optional(Memo),
  expiry: Type.Optional(Expiry),
  uses: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'How often it can be claimed; 1 unless given' })),
  fee_limit_msat: Type.Optional({
    ...AmountMsat,
    description: 'The most that routing one claim may cost, in millisatoshis. Default: 1 % of the amount, at least 1000',
  }),
};

const LinkBody = Type.Object({ ...linkFields, passThru: Type.Optional(PassThru) }, { additionalProperties: false });

const LinkQuery = Type.Object({
  ...linkFields,
  passThru: Type.Optional(Type.String({ maxLength: 8192, description: 'A JSON object, or its base64' })),
  public: Type.Optional(Type.String({ maxLength: 8, description: 'Sent by a published client; without effect' })),
});

const LinkObject = Type.Object({
  id: Type.String(),
  lnurl: Type.String({ description: 'LUD-01, upper case' }),
  ott: Type.String({ description: 'The one-time token; shown this once' }),
  url: Type.String({ description: 'What the LNURL decodes to' }),
  wallet_id: Type.String(),
  num_satoshis: Type.Integer({ description: 'The most one claim can withdraw' }),
  uses: Type.Integer(),
  fee_limit_msat: Type.Integer({ description: 'The most that routing one claim may cost, in addition to the amount' }),
  memo: Type.String(),
  created_at: Type.Integer(),
  expires_at: nullable(Type.Integer()),
});

const ProcessQuery = Type.Object({
  ott: Type.Optional(Type.String({ minLength: 1, maxLength: 128, description: 'The token of the link' })),
  num_satoshis: Type.Optional(NumSatoshis),
  k1: Type.Optional(Type.String({ maxLength: 128, description: 'The `k1` of step 1. Identifies the link when `ott` is absent' })),
  pr: Type.Optional(Type.String({ maxLength: 8000, description: 'The invoice to pay (step 2)' })),
  balanceNotify: Type.Optional(Type.String({ maxLength: 2048 })),
});

/** LUD-03's parameters, its `{"status":"OK"}`, or the refusal of LUD-03: all of them HTTP 200. */
const ProcessAnswer = Type.Object({}, { additionalProperties: true });

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

  app.post(
    `${base}/lnurl/withdraw`,
    { schema: { params: KeyParams, body: LinkBody, response: { 201: LinkObject } } },
    async (request, reply) => {
      const authorized = await access.authorizeWallet(request, 'wallet_withdraw');
      const { credential, wallet } = authorized;
      const link = await runIdempotent(
        request,
        reply,
        { credential, walletId: wallet.id, hasSecret: true },
        {
          make: (outcome) => create(authorized, request.body, request.body.passThru, outcome),
          // A link is only its token, which nobody else may see.
          replay: async (_id, secret) => secret() as Static<typeof LinkObject>,
        },
      );
      return reply.code(201).send(link);
    },
  );

  app.get(
    `${base}/lnurl/withdraw`,
    {
      schema: { params: KeyParams, querystring: LinkQuery, response: { 200: LinkObject } },
      exposeHeadRoute: false,
      config: { hasSideEffect: true },
    },
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
  const schema = { params: KeyParams, querystring: ProcessQuery, response: { 200: ProcessAnswer } };
  app.get(`${base}/lnurl-process`, { schema, exposeHeadRoute: false, config: { lnurl: true, hasSideEffect: true } }, async (request) => {
    const withdraw = toWithdrawRequest(request);
    const { pr } = request.query;
    if (pr === undefined) return links.parameters(withdraw);
    await links.withdraw(withdraw, pr);
    return { status: 'OK' };
  });
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
