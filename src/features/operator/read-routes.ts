import { Type } from 'typebox';
import { ALERT_STATES } from '../../core/alerts/alerts.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice } from '../../http/fields.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { PageQuery, readPage, setPageHeaders } from '../../http/responses/list.ts';
import { ReconciliationObject } from '../reconcile/reconciliation-object.ts';
import { findReconciliation, listReconciliations } from '../reconcile/requests.ts';
import { idParams, type OperatorRouteModules } from './action-handler.ts';
import { findRecord, listRecords } from './actions.ts';
import { ChannelsObject, renderChannels } from './channels-object.ts';
import { AlertObject, renderAlert } from './checks-object.ts';
import { ActionObject, renderAction } from './money-object.ts';
import { readHistory, readOverview } from './overview.ts';
import { BalanceSampleObject, HistoryQuery, OverviewObject, renderOverview } from './overview-object.ts';
import { InstancesObject, renderInstances } from './service-object.ts';

const COMMON = { tags: ['Operator'], ...requires('operator') };

const AlertQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(choice(ALERT_STATES, { description: 'Which alerts. Default: `open`' })),
});

const overviewSchema = {
  ...COMMON,
  operationId: 'getOperatorOverview',
  summary: 'Read the figures of the nodes and the ledger',
  description:
    'The ledger is read now. Balances of nodes are those of the last reconciliation; `assets_at` has their time. A node that does not ' +
    'answer within two seconds is `unavailable`.',
  response: { 200: OverviewObject },
};

const channelsSchema = {
  ...COMMON,
  operationId: 'listNodeChannels',
  summary: 'Read the channels of a node',
  description:
    'Reads the channels from the node now. They show why a payment has no route, and how much can be received. 503 `node_unavailable`: the ' +
    'node did not answer within twelve seconds, or reported an error. The message has the reason.',
  params: idParams('node, `lnd_…`'),
  querystring: PageQuery,
  response: { 200: ChannelsObject },
};

const historySchema = {
  ...COMMON,
  operationId: 'listBalanceSamples',
  summary: 'Read assets and liabilities over time',
  description: 'Oldest first. Reconciliations take the samples; hours in which none ran are absent.',
  querystring: HistoryQuery,
  response: { 200: Type.Array(BalanceSampleObject) },
};

const alertsSchema = {
  ...COMMON,
  operationId: 'listAlerts',
  summary: 'List alerts',
  description: 'Newest first.',
  querystring: AlertQuery,
  response: { 200: Type.Array(AlertObject) },
};

const reconciliationsSchema = {
  ...COMMON,
  operationId: 'listReconciliations',
  summary: 'List reconciliations',
  description: 'Newest first. The service keeps about ten.',
  querystring: PageQuery,
  response: { 200: Type.Array(ReconciliationObject) },
};

const reconciliationSchema = {
  ...COMMON,
  operationId: 'getReconciliation',
  summary: 'Read a reconciliation',
  params: idParams('reconciliation, `rec_…`'),
  response: { 200: ReconciliationObject },
};

const actionsSchema = {
  ...COMMON,
  operationId: 'listOperatorActions',
  summary: 'List what operators requested',
  description: 'Newest first: actions on money in suspense, payments, nodes and wallets, and changes of the fiat rate.',
  querystring: PageQuery,
  response: { 200: Type.Array(ActionObject) },
};

const actionSchema = {
  ...COMMON,
  operationId: 'getOperatorAction',
  summary: 'Read an action',
  description: 'Read it until `status` is not `pending`.',
  params: idParams('action, `opa_…`'),
  response: { 200: ActionObject },
};

const instancesSchema = {
  ...COMMON,
  operationId: 'getInstances',
  summary: 'Read the instances of the service and their leases',
  description: 'A lease is a background job that one instance at a time runs. On SQLite there is one instance, and no lease.',
  response: { 200: InstancesObject },
};

/** What operators read. */
export function operatorReadRoutes(app: App, deps: OperatorRouteModules): void {
  const { access, alerts, operator, instances } = deps;

  app.get('/v1/operator/overview', { schema: overviewSchema }, async (request) => {
    await access.operator(request);
    return renderOverview(await readOverview(deps));
  });

  app.get('/v1/operator/nodes/:id/channels', { schema: channelsSchema }, async (request, reply) => {
    await access.operator(request);
    const list = await operator.channels(request.params.id);
    if (!list) throw new Refusal('not_found');
    const page = readPage(request.query);
    setPageHeaders(request, reply, page, list.channels.length);
    return renderChannels(request.params.id, list, list.channels.slice(page.offset, page.offset + page.limit));
  });

  app.get('/v1/operator/history', { schema: historySchema }, async (request) => {
    await access.operator(request);
    return readHistory(deps, request.query.period ?? 'month');
  });

  app.get('/v1/operator/alerts', { schema: alertsSchema }, async (request, reply) => {
    await access.operator(request);
    const page = readPage(request.query);
    const { items, total } = await alerts.list(request.query.status ?? 'open', page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return items.map(renderAlert);
  });

  app.get('/v1/operator/instances', { schema: instancesSchema }, async (request) => {
    await access.operator(request);
    return renderInstances(await instances.list());
  });
  recordRoutes(app, deps);
}

/** Reconciliations and actions. */
function recordRoutes(app: App, { access, database }: OperatorRouteModules): void {
  app.get('/v1/operator/reconciliations', { schema: reconciliationsSchema }, async (request, reply) => {
    await access.operator(request);
    const page = readPage(request.query);
    const { reconciliations: items, total } = await listReconciliations(database, page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return items;
  });

  app.get('/v1/operator/reconciliations/:id', { schema: reconciliationSchema }, async (request) => {
    await access.operator(request);
    const found = await findReconciliation(database, request.params.id);
    if (!found) throw new Refusal('not_found');
    return found;
  });

  app.get('/v1/operator/actions', { schema: actionsSchema }, async (request, reply) => {
    await access.operator(request);
    const page = readPage(request.query);
    const { items, total } = await listRecords(database, page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return items.map(renderAction);
  });

  app.get('/v1/operator/actions/:id', { schema: actionSchema }, async (request) => {
    await access.operator(request);
    const found = await findRecord(database, request.params.id);
    if (!found) throw new Refusal('not_found');
    return renderAction(found);
  });
}
