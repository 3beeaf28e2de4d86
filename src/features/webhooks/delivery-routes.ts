import { Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice } from '../../http/fields.ts';
import { EXAMPLE } from '../../http/openapi/example-values.ts';
import { requires } from '../../http/openapi/route-schema.ts';
import { readPage, setCursorHeaders } from '../../http/responses/paging.ts';
import type { History } from '../transactions/history.ts';
import { UnknownCursor } from './log-place.ts';
import { OF_WEBHOOK, WebhookParams, type WebhookRouteDependencies, webhookOwner } from './routes.ts';
import { DeliveryObject, ReplayObject, renderDelivery } from './webhook-object.ts';
import { DELIVERY_STATES } from './webhooks.ts';

const Time = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, unit: 'Unix seconds', description });

const ReplayBody = Type.Object(
  {
    after: Type.Optional(Type.String({ maxLength: 64, description: 'All events that follow the event with this id' })),
    from: Type.Optional(Time('Events from this time, in Unix seconds; with `to`, instead of `after`')),
    to: Type.Optional(Time('Events up to this time, in Unix seconds')),
  },
  { additionalProperties: false, examples: [{ from: EXAMPLE.now, to: EXAMPLE.now + 3600 }] },
);

/** A POST without fields. */
const NoFields = Type.Object({}, { additionalProperties: false, examples: [{}] });

const DeliveryParams = Type.Object({
  ...WebhookParams.properties,
  delivery: Type.String({ description: 'The id of the delivery, `whd_…`', examples: [EXAMPLE.delivery] }),
});

const PageOfDeliveries = Type.Object({
  after: Type.Optional(Type.String({ maxLength: 64, description: 'Returns the deliveries that follow the one with this id in the list' })),
  'per-page': Type.Optional(Type.Integer({ minimum: 1, description: 'The number of deliveries. Default: 50, at most 500' })),
});

const DeliveryQuery = Type.Object({
  status: Type.Optional(choice(DELIVERY_STATES, { description: 'Only deliveries with this status' })),
  ...PageOfDeliveries.properties,
});

const testSchema = {
  ...OF_WEBHOOK,
  operationId: 'testWebhook',
  summary: 'Send a test event',
  description: 'Sends an event `webhook_test` to this endpoint, once. Read the delivery for its outcome.',
  body: NoFields,
  response: { 201: DeliveryObject },
  exampleChanges: { 201: { event_name: 'webhook_test', wallet_id: null, status: 'queued', attempts: 0, ended_at: null, log: [] } },
};

const replaySchema = {
  ...OF_WEBHOOK,
  operationId: 'replayWebhook',
  summary: 'Deliver events again',
  description: 'Sends a range of events again, with the same ids. Send `after`, or `from` and `to`. At most ten replays wait.',
  body: ReplayBody,
  response: { 201: ReplayObject },
  errorStatuses: [410],
};

const deliveriesSchema = {
  ...OF_WEBHOOK,
  operationId: 'listDeliveries',
  summary: 'List the deliveries of a webhook',
  description: 'Newest first. Deliveries are kept as long as events.',
  querystring: DeliveryQuery,
  response: { 200: Type.Array(DeliveryObject) },
};

const lightningSchema = {
  tags: OF_WEBHOOK.tags,
  ...requires('account'),
  operationId: 'listDeliveriesOfLightningTransaction',
  summary: 'List the deliveries of a Lightning transaction',
  description: 'The deliveries of the events of an invoice or a payment to all webhooks of the account, newest first.',
  params: Type.Object({
    id: Type.String({ description: 'The `lntx_` id, or the payment hash in hex', examples: [EXAMPLE.lightningTransaction] }),
  }),
  querystring: PageOfDeliveries,
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
  operationId: 'redeliver',
  summary: 'Deliver an event again',
  body: NoFields,
  description: 'Creates another delivery of the event, with the same event id. It does not wait for other events of the wallet.',
  params: DeliveryParams,
  response: { 201: DeliveryObject },
  exampleChanges: { 201: { status: 'queued', attempts: 0, ended_at: null, log: [] } },
};

/** The deliveries of a webhook: tests, replays and redeliveries. */
export function webhookDeliveryRoutes(app: App, deps: WebhookRouteDependencies & { history: Pick<History, 'lightning'> }): void {
  const { access, runIdempotent, webhooks, history } = deps;

  app.post('/v1/webhooks/:id/test', { schema: testSchema }, async (request, reply) => {
    const { credential, accountId } = await webhookOwner(access, request);
    const { id } = request.params;
    const scope = { credential, objectId: id };
    const delivery = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => webhooks.test(accountId, id, (made) => rows(made.id)),
      replay: (made) => webhooks.findDelivery(accountId, id, made),
    });
    return reply.code(201).send(renderDelivery(delivery));
  });

  app.post('/v1/webhooks/:id/replay', { schema: replaySchema }, async (request, reply) => {
    const { credential, accountId } = await webhookOwner(access, request);
    const { id } = request.params;
    const range = readRange(request.body);
    const scope = { credential, objectId: id };
    const replay = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => webhooks.replay(accountId, id, range, (made) => rows(made.id)).catch(throwExpired),
      replay: async (made) => ({ id: made, webhookId: id }),
    });
    return reply.code(201).send({ id: replay.id, webhook_id: replay.webhookId });
  });

  app.get('/v1/webhooks/:id/deliveries', { schema: deliveriesSchema, config: { closedQuery: true } }, async (request, reply) => {
    const webhook = await webhooks.find(await access.account(request), request.params.id);
    const { limit } = readPage(request.query);
    const { after, status } = request.query;
    const listed = await webhooks.deliveries(webhook, { after, state: status, limit });
    setCursorHeaders(request, reply, limit, listed);
    return listed.map(renderDelivery);
  });

  app.get('/v1/lntx/:id/deliveries', { schema: lightningSchema, config: { closedQuery: true } }, async (request, reply) => {
    const accountId = await access.account(request);
    const found = await history.lightning(request.params.id, { accountId, walletId: undefined });
    if (!found) throw new Refusal('not_found');
    const { limit } = readPage(request.query);
    const listed = await webhooks.deliveriesOfLightning(accountId, found.transaction.id, { after: request.query.after, limit });
    setCursorHeaders(request, reply, limit, listed);
    return listed.map(renderDelivery);
  });

  app.get('/v1/webhooks/:id/deliveries/:delivery', { schema: deliverySchema }, async (request) => {
    const { id, delivery } = request.params;
    return renderDelivery(await webhooks.findDelivery(await access.account(request), id, delivery));
  });

  app.post('/v1/webhooks/:id/deliveries/:delivery/redeliver', { schema: redeliverSchema }, async (request, reply) => {
    const { credential, accountId } = await webhookOwner(access, request);
    const { id, delivery: deliveryId } = request.params;
    const scope = { credential, objectId: `${id} ${deliveryId}` };
    const delivery = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => webhooks.redeliver(accountId, id, deliveryId, (made) => rows(made.id)),
      replay: (made) => webhooks.findDelivery(accountId, id, made),
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
