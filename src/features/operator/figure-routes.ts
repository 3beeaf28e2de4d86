import { type Static, Type } from 'typebox';
import type { App } from '../../http/app-type.ts';
import { choice } from '../../http/fields.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { countFailures, type Flow, presentHour, readFlow } from './flows.ts';
import { liquidityRoutes } from './liquidity.ts';
import { amount, OPERATOR, type OperatorRouteModules } from './operator-route.ts';

const HOURS = { day: 24, month: 30 * 24, year: 365 * 24 } as const;
const PERIODS = Object.keys(HOURS) as (keyof typeof HOURS)[];
const SHOWN_REASONS = 10;

const FlowFields = {
  in_msat: amount('What the nodes received for wallets, without transfers and payments between wallets'),
  in_count: Type.Integer({ description: 'The number of these receipts' }),
  out_msat: amount('What wallets paid over Lightning, without fees, transfers and payments between wallets'),
  out_count: Type.Integer({ description: 'The number of these payments, which succeeded in the period' }),
  routing_msat: amount('The routing fees that wallets paid'),
  earned_msat: amount('The fees of the service, without the shares of other accounts'),
};

const FiguresObject = namedObject('PaymentFigures', {
  status: oneOf(['complete', 'computing'], {
    description: '`computing`: the hours of the period are being computed for the first time, and the sums are null',
  }),
  from: Type.Integer({ description: 'The beginning of the period, a whole hour, in Unix seconds' }),
  until: Type.Integer({ description: 'The end of the period: the end of the present hour' }),
  flow: nullable(Type.Object(FlowFields), { description: 'The payments over Lightning that were booked in the period' }),
  before: nullable(Type.Object(FlowFields), { description: 'The figures of the preceding period of the same length' }),
  failed_count: Type.Integer({ description: 'The payments over Lightning that were started in the period and have failed' }),
  failures: Type.Array(
    Type.Object({
      reason: Type.String({ description: 'The reason, as in the payment' }),
      count: Type.Integer({ description: 'The number of payments' }),
    }),
    { description: `The most frequent reasons, at most ${SHOWN_REASONS}` },
  ),
});

const schema = {
  ...OPERATOR,
  operationId: 'getPaymentFigures',
  summary: 'Read the figures of payments over Lightning',
  description: 'Of all wallets. The cost depends on the hours of the period and on the payments that failed, not on all payments.',
  querystring: Type.Object({
    period: Type.Optional(
      choice(PERIODS, { description: 'The last 24 hours, 30 days or 365 days, the present hour included. Default: `day`' }),
    ),
  }),
  response: { 200: FiguresObject },
};

/** Figures of payments and liquidity: operators read them. */
export function figureRoutes(app: App, modules: OperatorRouteModules): void {
  liquidityRoutes(app, modules);
  const { access, database, clock } = modules;

  app.get('/v1/operator/figures', { schema }, async (request): Promise<Static<typeof FiguresObject>> => {
    await access.operator(request);
    const seconds = 3600 * HOURS[request.query.period ?? 'day'];
    const until = presentHour(clock) + 3600;
    const from = until - seconds;
    const [flow, before, failures] = await Promise.all([
      readFlow(modules, from, until),
      readFlow(modules, from - seconds, from),
      countFailures(database, from, until),
    ]);
    return {
      status: flow && before ? 'complete' : 'computing',
      from,
      until,
      flow: flow ? (flow satisfies Flow) : null,
      before: before ?? null,
      failed_count: failures.reduce((sum, { count }) => sum + count, 0),
      failures: failures.slice(0, SHOWN_REASONS),
    };
  });
}
