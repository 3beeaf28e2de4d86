import { type Static, Type } from 'typebox';
import type { CurrencyState, Rates } from '../../core/rates/rates.ts';
import type { App, RouteContext } from '../../http/app-type.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';

const RateObject = namedObject('Rate', {
  currency: Type.String({ description: 'The ISO 4217 code of a currency in which amounts can be sent' }),
  rate: nullable(Type.String({ description: 'The price of one bitcoin as decimal text; null before the first one' })),
  rate_at: nullable(Type.Integer({ description: 'When it was read, in Unix seconds; null before the first one' })),
  rate_source: nullable(
    Type.String({ description: 'The hosts of the providers that agreed on it, separated by spaces; null before the first one' }),
  ),
  status: oneOf(['valid', 'stale', 'missing'], {
    description: '`valid`: amounts are converted with it. `stale`: too old for that. `missing`: there was none yet',
  }),
});

const listSchema = {
  operationId: 'listRates',
  tags: ['Service'],
  summary: 'Read the rates',
  description:
    'Returns the price of one bitcoin in each currency that the operator has configured; none if there are no currencies. A rate that has ' +
    'jumped is not here until it is confirmed.',
  ...requires('any_key'),
  response: { 200: Type.Array(RateObject) },
};

/** The rates with which amounts in a currency are converted. */
export function rateRoutes(app: App, { access, rates }: RouteContext & { readonly rates: Rates }): void {
  app.get('/v1/rates', { schema: listSchema }, async (request) => {
    await access.anyKey(request);
    return (await rates.list()).map(renderRate);
  });
}

function renderRate({ currency, rate, status }: CurrencyState): Static<typeof RateObject> {
  const { rate: price = null, rate_at = null, rate_source = null } = rate ?? {};
  return { currency, rate: price, rate_at, rate_source, status };
}
