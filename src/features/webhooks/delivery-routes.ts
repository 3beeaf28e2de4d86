import { Type } from 'typebox';
import { UnknownCursor } from '../../core/journal/event-log.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice, requestBody } from '../../http/fields.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { CsvListQuery, ListQuery, sendList } from '../../http/responses/list.ts';
import type { History } from '../transactions/history.ts';
import { OF_WEBHOOK, WebhookParams, type WebhookRouteContext } from './routes.ts';
import { DELIVERY_STATES, DeliveryObject, deliveryId, ReplayObject, renderDelivery } from './webhook-object.ts';

const Time = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, unit: 'Unix seconds', description });

/** A POST without fields. */
const NoFields = requestBody({});

const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  delivery: Type.String({ description: 'The id of the delivery, `whd_…`' }),
});

const testSchema = {
  ...OF_WEBHOOK,
  ...MANAGES,
  errorStatuses: [409],
  operationId: 'testWebhook',
  summary: 'Send a test event',
  description: 'Sends an event `webhook_test` to this endpoint, once. Read the delivery for its outcome.',
  body: NoFields,
  response: { 201: DeliveryObject },
};

const replaySchema = {
  ...OF_WEBHOOK,
  ...MANAGES,
  operationId: 'replayWebhook',
  summary: 'Deliver events again',
  description: 'Sends a range of events again, with the same ids. Send `after`, or `from` and `to`. At most ten replays wait.',
  body: requestBody({
    after: Type.Optional(Type.String({ maxLength: 64, description: 'All events that follow the event with this id' })),
    from: Type.Optional(Time('Events from this time, in Unix seconds; with `to`, instead of `after`')),
    to: Type.Optional(Time('Events up to this time, in Unix seconds')),
  }),
  response: { 201: ReplayObject },
  errorStatuses: [409, 410],
};

const deliveriesSchema = {
  ...OF_WEBHOOK,
  operationId: 'listDeliveries',
  summary: 'List the deliveries of a webhook',
  description: 'Deliveries are kept as long as events.',
  querystring: Type.Object({
    status: Type.Optional(choice(DELIVERY_STATES, { description: 'Only deliveries with this status' })),
    ...CsvListQuery.properties,
  }),
  response: { 200: Type.Array(DeliveryObject) },
};

const accountSchema = {
  tags: OF_WEBHOOK.tags,
  ...requires('account'),
  operationId: 'listDeliveriesOfAccount',
  summary: 'List the deliveries of all webhooks of the account',
  description: 'Without those of deleted webhooks. Deliveries are kept as long as events.',
  querystring: deliveriesSchema.querystring,
  response: { 200: Type.Array(DeliveryObject) },
};

const lightningSchema = {
  tags: OF_WEBHOOK.tags,
  ...requires('account'),
  operationId: 'listDeliveriesOfLightningTransaction',
  summary: 'List the deliveries of a Lightning transaction',
  description: 'The deliveries of the events of an invoice or a payment to all webhooks of the account.',
  params: Type.Object({
    id: Type.String({ description: 'The `lntx_` id, or the payment hash in hex' }),
  }),
  querystring: ListQuery,
  response: { 200: Type.Array(DeliveryObject) },
};

const deliverySchema = {
  ...OF_WEBHOOK,
  operationId: 'getDelivery',
  summary: 'Read a delivery',
  params: DeliveryParams,
  response: { 200: DeliveryObject },
};

const redeliverSchema = {
  ...OF_WEBHOOK,
  ...MANAGES,
  errorStatuses: [409],
  operationId: 'redeliver',
  summary: 'Deliver an event again',
  body: NoFields,
  description: 'Creates another delivery of the event, with the same event id. It does not wait for other events of the wallet.',
  params: DeliveryParams,
  response: { 201: DeliveryObject },
};

/** The deliveries of a webhook: tests, replays and redeliveries. */
export function webhookDeliveryRoutes(app: App, deps: WebhookRouteContext & { history: Pick<History, 'lightning'> }): void {
  const { access, runIdempotent, webhooks, history } = deps;

  app.post('/v1/webhooks/:id/test', { schema: testSchema }, async (request, reply) => {
    const credential = await access.secretApiKey(request);
    const { key } = credential;
    const { id } = request.params;
    const scope = { credential, objectId: id };
    const delivery = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => webhooks.test(key, id, (made) => rows(deliveryId(made))),
      replay: (made) => webhooks.findDelivery(key.accountId, id, made),
    });
    return reply.code(201).send(renderDelivery(delivery));
  });

  app.post('/v1/webhooks/:id/replay', { schema: replaySchema }, async (request, reply) => {
    const credential = await access.secretApiKey(request);
    const { id } = request.params;
    const range = readRange(request.body);
    const scope = { credential, objectId: id };
    const replayId = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => webhooks.replay(credential.key, id, range, rows).catch(throwExpired),
      replay: async (made) => made,
    });
    return reply.code(201).send({ id: replayId, webhook_id: id });
  });

  app.get('/v1/webhooks/:id/deliveries', { schema: deliveriesSchema, config: { closedQuery: true } }, async (request, reply) => {
    const { id } = await webhooks.find(await access.account(request), request.params.id);
    return sendList(request, reply, webhooks.deliveries(id, request.query.status), renderDelivery);
  });

  app.get('/v1/webhook-deliveries', { schema: accountSchema, config: { closedQuery: true } }, async (request, reply) => {
    const deliveries = webhooks.deliveriesOfAccount(await access.account(request), request.query.status);
    return sendList(request, reply, deliveries, renderDelivery);
  });

  app.get('/v1/lntx/:id/deliveries', { schema: lightningSchema, config: { closedQuery: true } }, async (request, reply) => {
    const accountId = await access.account(request);
    const found = requireFound(await history.lightning(request.params.id, { accountId, walletId: undefined }));
    return sendList(request, reply, webhooks.deliveriesOfLightning(accountId, found.transaction.id), renderDelivery);
  });

  app.get('/v1/webhooks/:id/deliveries/:delivery', { schema: deliverySchema }, async (request) => {
    const { id, delivery } = request.params;
    return renderDelivery(await webhooks.findDelivery(await access.account(request), id, delivery));
  });

  app.post('/v1/webhooks/:id/deliveries/:delivery/redeliver', { schema: redeliverSchema }, async (request, reply) => {
    const credential = await access.secretApiKey(request);
    const { key } = credential;
    const { id, delivery: earlier } = request.params;
    const scope = { credential, objectId: `${id} ${earlier}` };
    const delivery = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => webhooks.redeliver(key, id, earlier, (made) => rows(deliveryId(made))),
      replay: (made) => webhooks.findDelivery(key.accountId, id, made),
    });
    return reply.code(201).send(renderDelivery(delivery));
  });
}

function readRange({ after, from, to }: { after?: string; from?: number; to?: number }) {
  if (after !== undefined && from === undefined && to === undefined) return { after };
  if (after === undefined && from !== undefined && to !== undefined && from <= to) return { from, to };
  throw new Refusal('validation_failed', 'Send `after`, or `from` and `to` with `from` not after `to`.');
}

function throwExpired(error: unknown): never {
  if (error instanceof UnknownCursor)
    throw new Refusal('cursor_expired', 'The log does not have the event of `after`. Send `from` and `to`, or the id of another event.');
  throw error;
}
