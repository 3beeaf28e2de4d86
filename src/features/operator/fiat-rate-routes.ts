import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { operatorGuards } from '../../core/accounts/directory.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import type { Credential } from '../../http/auth/access.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { nullable } from '../../http/responses/response-types.ts';
import { callerName, NEEDS_KEY, type OperatorRouteModules } from './action-handler.ts';
import { changeFiatRate, type FiatRate, findChangedRate, isCurrency, PER_BTC_PATTERN, readFiatRate } from './fiat-rate.ts';

const CURRENCY_RULE = 'an ISO 4217 code in capital letters, such as EUR';

const RateBody = Type.Object(
  {
    currency: Type.String({
      pattern: '^[A-Z]{3}$',
      rule: CURRENCY_RULE,
      description: 'The currency: an ISO 4217 code in capital letters',
    }),
    per_btc: Type.String({
      pattern: PER_BTC_PATTERN,
      rule: 'a string with a decimal number above 0 such as 61234.50, with at most 15 digits before the point and 8 after it',
      description: 'The price of one bitcoin: a decimal number above 0 as a string, with at most 15 digits before the point and 8 after it',
    }),
  },
  { additionalProperties: false },
);

const FiatRateObject = Type.Object(
  {
    currency: nullable(Type.String({ description: 'The ISO 4217 code of the currency; null if no rate is set' })),
    per_btc: nullable(Type.String({ description: 'The price of one bitcoin as a decimal string; null if no rate is set' })),
    set_at: nullable(Type.Integer({ description: 'When it was set, in Unix seconds; null if no rate is set' })),
  },
  { title: 'FiatRate' },
);

const FOR_DISPLAY = 'The rate is only for display: amounts, limits and fees never depend on it.';

const getSchema = {
  operationId: 'getFiatRate',
  tags: ['Service'],
  summary: 'Read the fiat rate',
  description: `Returns the rate that the operator has set. All fields are null if no rate is set. ${FOR_DISPLAY}`,
  ...requires('any_key'),
  response: { 200: FiatRateObject },
};

const OPERATOR = { tags: ['Operator'], ...requires('operator'), response: { 200: FiatRateObject } };

const setSchema = {
  ...OPERATOR,
  operationId: 'setFiatRate',
  summary: 'Set the fiat rate',
  description: `Replaces the rate and restarts its age. The change is recorded among the actions of operators. ${FOR_DISPLAY}`,
  body: RateBody,
};

const removeSchema = {
  ...OPERATOR,
  operationId: 'removeFiatRate',
  summary: 'Remove the fiat rate',
  description: 'The change is recorded among the actions of operators, even if there was no rate.',
};

/** The fiat rate: operators set it, and every key and session can read it. */
export function fiatRateRoutes(app: App, { access, runIdempotent, database, clock }: OperatorRouteModules): void {
  app.get('/v1/fiat-rate', { schema: getSchema }, async (request) => {
    await access.anyKey(request);
    return renderFiatRate(await readFiatRate(database));
  });

  /** A repeated request changes nothing, and gets the rate that the first one has set. */
  async function change(request: FastifyRequest, reply: FastifyReply, credential: Credential, rate: Omit<FiatRate, 'setAt'> | undefined) {
    const guards = operatorGuards(credential.key);
    const caller = { requestedBy: callerName(credential), now: unixSeconds(clock) };
    const id = await runIdempotent(
      request,
      reply,
      { credential },
      {
        make: ({ rows }) => changeFiatRate(database, rate, caller, { guards, extraRows: rows }),
        replay: async (made) => made,
      },
    );
    return renderFiatRate(await findChangedRate(database, id));
  }

  app.put('/v1/operator/fiat-rate', { schema: setSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { currency, per_btc: perBtc } = request.body;
    if (!isCurrency(currency)) throw new Refusal('validation_failed', `\`currency\` must be ${CURRENCY_RULE}.`);
    return change(request, reply, credential, { currency, perBtc });
  });

  app.delete('/v1/operator/fiat-rate', { schema: removeSchema, config: NEEDS_KEY }, async (request, reply) =>
    change(request, reply, await access.operator(request), undefined),
  );
}

function renderFiatRate(rate: FiatRate | undefined): Static<typeof FiatRateObject> {
  return { currency: rate?.currency ?? null, per_btc: rate?.perBtc ?? null, set_at: rate?.setAt ?? null };
}
