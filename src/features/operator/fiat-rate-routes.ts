import { type Static, Type } from 'typebox';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { requestBody } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable } from '../../http/responses/response-types.ts';
import { changeFiatRate } from './fiat-rate.ts';
import * as sql from './operator.sql.ts';
import { changeOnce, NEEDS_KEY, OPERATOR, type OperatorRouteModules, Reason, requesterOf } from './operator-route.ts';

/** Above 0, with at most 15 digits before and 8 after the point. It has one form: no sign, no exponent, no leading zeros. */
export const PER_BTC_PATTERN = '^(?=.*[1-9])(0|[1-9][0-9]{0,14})(\\.[0-9]{1,8})?$';

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const CURRENCY_RULE = 'an ISO 4217 code in capital letters, such as EUR';

/** The price of a bitcoin that the operator has set. It is only for display: no amount, limit or fee is ever computed from it. */
const FiatRateObject = namedObject('FiatRate', {
  currency: nullable(Type.String({ description: 'The ISO 4217 code of the currency; null if no rate is set' })),
  per_btc: nullable(Type.String({ description: 'The price of one bitcoin as a decimal string; null if no rate is set' })),
  set_at: nullable(Type.Integer({ description: 'When it was set, in Unix seconds; null if no rate is set' })),
});

const FOR_DISPLAY = 'The rate is only for display: amounts, limits and fees never depend on it.';

const getSchema = {
  operationId: 'getFiatRate',
  tags: ['Service'],
  summary: 'Read the fiat rate',
  description: `Returns the rate that the operator has set. All fields are null if no rate is set. ${FOR_DISPLAY}`,
  ...requires('any_key'),
  response: { 200: FiatRateObject },
};

const CHANGE = { ...OPERATOR, response: { 200: FiatRateObject } };

const setSchema = {
  ...CHANGE,
  operationId: 'setFiatRate',
  summary: 'Set the fiat rate',
  description: `Replaces the rate and restarts its age. The change is recorded among the actions of operators. ${FOR_DISPLAY}`,
  body: requestBody({
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
    reason: Type.Optional(Reason),
  }),
};

const removeSchema = {
  ...CHANGE,
  operationId: 'removeFiatRate',
  summary: 'Remove the fiat rate',
  description: 'The change is recorded among the actions of operators, even if there was no rate.',
};

type FiatRate = Static<typeof FiatRateObject>;

const NO_RATE: FiatRate = { currency: null, per_btc: null, set_at: null };

/** The fiat rate: operators set it, and every key and session can read it. */
export function fiatRateRoutes(app: App, modules: OperatorRouteModules): void {
  const { access, database, clock } = modules;

  app.get('/v1/fiat-rate', { schema: getSchema }, async (request) => {
    await access.anyKey(request);
    return (await database.first(sql.findRate)) ?? NO_RATE;
  });

  // A repeated request changes nothing, and gets the rate that the first one has set.
  app.put('/v1/operator/fiat-rate', { schema: setSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { currency, per_btc, reason } = request.body;
    if (!CURRENCIES.has(currency)) throw new Refusal('validation_failed', `\`currency\` must be ${CURRENCY_RULE}.`);
    const change = { currency, per_btc, set_at: unixSeconds(clock), requester: requesterOf(request, credential, reason) };
    const id = await changeOnce(modules, request, reply, { credential }, (tx) => changeFiatRate(tx, change));
    return (await database.first(sql.findRateChange, id)) ?? NO_RATE;
  });

  app.delete('/v1/operator/fiat-rate', { schema: removeSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const change = { currency: null, per_btc: null, set_at: unixSeconds(clock), requester: requesterOf(request, credential, undefined) };
    await changeOnce(modules, request, reply, { credential }, (tx) => changeFiatRate(tx, change));
    return NO_RATE;
  });
}
