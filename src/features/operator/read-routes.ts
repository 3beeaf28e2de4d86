import { Type } from 'typebox';
import { RECORD_KINDS } from '../../core/accounts/operator-records.ts';
import { listInMemory } from '../../core/kernel/list.ts';
import { requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice } from '../../http/fields.ts';
import { ListQuery, readListPage, sendList } from '../../http/responses/list.ts';
import { ActionObject, findRecord, listRecords } from './action-object.ts';
import { ChannelsObject } from './channels-object.ts';
import { BalanceSampleObject, HISTORY_PERIODS, readHistory } from './cover-object.ts';
import { idParams, OPERATOR, type OperatorRouteModules } from './operator-route.ts';
import { OverviewObject, readOverview } from './overview-object.ts';
import { InstancesObject, LimitObject, type LimitSettings, listLimits, readInstances } from './service-object.ts';

/** Larger times have no id. */
const MAX_SECONDS = 100_000_000_000;

const overviewSchema = {
  ...OPERATOR,
  operationId: 'getOperatorOverview',
  summary: 'Read the figures of the nodes and the ledger',
  description:
    'The ledger is read now. Balances of nodes are those of the last reconciliation; `assets_at` has their time. A node that does not ' +
    'answer within two seconds is `unavailable`.',
  response: { 200: OverviewObject },
};

const channelsSchema = {
  ...OPERATOR,
  operationId: 'listNodeChannels',
  summary: 'Read the channels of a node',
  description:
    'Reads the channels from the node now. They show why a payment has no route, and how much can be received. 503 `node_unavailable`: the ' +
    'node did not answer within twelve seconds, or reported an error. The message has the reason.',
  params: idParams('node, `lnd_…`'),
  querystring: Type.Object({
    ...ListQuery.properties,
    // The ids of some nodes are an outpoint.
    after: Type.Optional(Type.String({ maxLength: 128, description: 'Returns the channels that follow the one with this id' })),
    order: Type.Optional(
      choice(['asc', 'desc'], {
        description: '`desc`: active ones first, and of each status the largest first. `asc`: the reverse. Default: `desc`',
      }),
    ),
  }),
  response: { 200: ChannelsObject },
};

const historySchema = {
  ...OPERATOR,
  operationId: 'listBalanceSamples',
  summary: 'Read assets, liabilities and cover over time',
  description: 'Oldest first. Reconciliations take the samples; hours in which none ran are absent.',
  querystring: Type.Object({
    period: Type.Optional(
      choice(HISTORY_PERIODS, {
        description: 'How far back. `day` and `week` have a sample per hour, `month` one per 6 hours, `year` one per day. Default: `month`',
      }),
    ),
  }),
  response: { 200: Type.Array(BalanceSampleObject) },
};

/** PostgreSQL cannot compare NUL. */
const ACCOUNT_ID = { maxLength: 64, pattern: '^acc_[0-9A-Za-z]+$', rule: 'the id of an account, `acc_…`' };

const actionsSchema = {
  ...OPERATOR,
  operationId: 'listOperatorActions',
  summary: 'List what operators requested',
  description:
    'The audit log, newest first: every change of accounts, notes, money in suspense, payments, nodes, wallets, alerts and the fiat rate. Entries are ' +
    'never changed or deleted. Filters can be combined.',
  querystring: Type.Object({
    ...ListQuery.properties,
    account_id: Type.Optional(Type.String({ ...ACCOUNT_ID, description: 'Only those that concern this account' })),
    actor_id: Type.Optional(Type.String({ ...ACCOUNT_ID, description: 'Only those of the operator with this account' })),
    kind: Type.Optional(choice(RECORD_KINDS, { description: 'Only those of this kind' })),
    from: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_SECONDS, unit: 'Unix seconds', description: 'Only those from this time on' }),
    ),
    until: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MAX_SECONDS, unit: 'Unix seconds', description: 'Only those before this time' }),
    ),
  }),
  response: { 200: Type.Array(ActionObject) },
};

const actionSchema = {
  ...OPERATOR,
  operationId: 'getOperatorAction',
  summary: 'Read an action',
  description: 'Read it until `status` is not `pending`.',
  params: idParams('action, `opa_…`'),
  response: { 200: ActionObject },
};

const instancesSchema = {
  ...OPERATOR,
  operationId: 'getInstances',
  summary: 'Read the instances of the service and their leases',
  description: 'A lease is a background job that one instance at a time runs. On SQLite there is one instance, and no lease.',
  response: { 200: InstancesObject },
};

const limitsSchema = {
  ...OPERATOR,
  operationId: 'listLimits',
  summary: 'List the limits in force',
  description: 'Settings of this instance. docs/configuration.md describes them. Limits of accounts and keys are in those objects.',
  response: { 200: Type.Array(LimitObject) },
};

/** What operators read about the service, its nodes, and what was requested. */
export function operatorReadRoutes(app: App, modules: OperatorRouteModules, limitSettings: LimitSettings): void {
  const { access, database, operator, instances } = modules;

  app.get('/v1/operator/overview', { schema: overviewSchema }, async (request) => {
    await access.operator(request);
    return readOverview(modules);
  });

  app.get('/v1/operator/nodes/:id/channels', { schema: channelsSchema }, async (request, reply) => {
    await access.operator(request);
    const list = requireFound(await operator.channels(request.params.id));
    const channels = listInMemory(list.channels, ({ id }) => id);
    return { ...list, channels: [...(await readListPage(request, reply, channels))] };
  });

  app.get('/v1/operator/history', { schema: historySchema }, async (request) => {
    await access.operator(request);
    return readHistory(modules, request.query.period ?? 'month');
  });

  app.get('/v1/operator/actions', { schema: actionsSchema }, async (request, reply) => {
    await access.operator(request);
    const { account_id: accountId, actor_id: actor, kind, from, until } = request.query;
    return sendList(request, reply, listRecords(database, { accountId, actor, kind, from, until }), (record) => record);
  });

  app.get('/v1/operator/actions/:id', { schema: actionSchema }, async (request) => {
    await access.operator(request);
    return requireFound(await findRecord(database, request.params.id));
  });

  app.get('/v1/operator/instances', { schema: instancesSchema }, async (request) => {
    await access.operator(request);
    return readInstances(instances, request.ip);
  });

  app.get('/v1/operator/limits', { schema: limitsSchema }, async (request) => {
    await access.operator(request);
    return listLimits(limitSettings);
  });
}
