import { Type } from 'typebox';
import type { App } from '../../http/app-type.ts';
import { choice } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { PageQuery, readPage, setPageHeaders } from '../../http/responses/list.ts';
import type { OperatorRouteModules } from './action-handler.ts';
import { OperatorPaymentObject, renderOperatorPayment, renderUnmatchedSettlement, UnmatchedSettlementObject } from './money-object.ts';
import { listPendingPayments } from './pending.ts';
import { LimitObject, type LimitSettings, renderLimits } from './service-object.ts';
import { listUnmatchedSettlements } from './unmatched-settlements.ts';

const COMMON = { tags: ['Operator'], ...requires('operator') };

const SuspenseQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(choice(['open', 'all'], { description: '`all`: also what was credited or returned. Default: `open`' })),
});

const PaymentQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(
    choice(['stuck', 'pending'], { description: '`stuck`: pending for longer than STUCK_PAYMENT_SECONDS. Default: `stuck`' }),
  ),
});

const suspenseSchema = {
  ...COMMON,
  operationId: 'listSuspense',
  summary: 'List money that arrived for no wallet',
  description: 'Newest first, with what operators did with it.',
  querystring: SuspenseQuery,
  response: { 200: Type.Array(UnmatchedSettlementObject) },
};

const paymentsSchema = {
  ...COMMON,
  operationId: 'listPendingPayments',
  summary: 'List stuck or pending payments of all wallets',
  description: 'Oldest first. They end by themselves when the node reports an outcome. Never refund one by hand before.',
  querystring: PaymentQuery,
  response: { 200: Type.Array(OperatorPaymentObject) },
};

const limitsSchema = {
  ...COMMON,
  operationId: 'listLimits',
  summary: 'List the limits in force',
  description: 'Settings of this instance. docs/configuration.md describes them. Limits of accounts and keys are in those objects.',
  response: { 200: Type.Array(LimitObject) },
};

/** Money in suspense, and pending payments. */
export function operatorMoneyRoutes(app: App, deps: OperatorRouteModules, limitSettings: LimitSettings): void {
  const { access, database } = deps;

  app.get('/v1/operator/suspense', { schema: suspenseSchema }, async (request, reply) => {
    await access.operator(request);
    const page = readPage(request.query);
    const { items, total } = await listUnmatchedSettlements(database, request.query.status === 'all', page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return items.map(renderUnmatchedSettlement);
  });

  app.get('/v1/operator/payments', { schema: paymentsSchema }, async (request, reply) => {
    await access.operator(request);
    const page = readPage(request.query);
    const { items, total } = await listPendingPayments(deps, request.query.status ?? 'stuck', page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return items.map(renderOperatorPayment);
  });

  app.get('/v1/operator/limits', { schema: limitsSchema }, async (request) => {
    await access.operator(request);
    return renderLimits(limitSettings);
  });
}
