import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { EventType } from '../../events/event-types.ts';
import { UnknownCursor } from '../../feed/log.ts';
import { Refusal } from '../../kernel/refusal.ts';
import { DELIVERY_STATES, type Webhook, type Webhooks } from '../../webhooks/webhooks.ts';
import type { App } from '../app-type.ts';
import type { Access } from '../auth/access.ts';
import { walletFilter } from '../auth/account-scope.ts';
import { ChangedLabel, choice, eventTypes, plainText, UserLabel } from '../fields.ts';
import type { IdempotentHandler } from '../idempotent.ts';
import {
  DeliveryObject,
  NewWebhookObject,
  ReplayObject,
  renderDelivery,
  renderWebhook,
  WebhookHealthObject,
  WebhookObject,
} from '../objects/webhook.ts';
import { EXAMPLE } from '../openapi/example-values.ts';
import { requires } from '../openapi/route-schema.ts';
import { PageQuery, readPage, setCursorHeaders, setPageHeaders } from '../responses/paging.ts';

const MAX_URL = 2048;
const SOME_EVENTS = ['wallet_receive', 'wallet_send'];

const Url = Type.String({
  maxLength: MAX_URL,
  description: 'Where events are sent: https, without a user name. Private addresses and http only where the operator allows them',
  examples: ['https://shop.example/satchel'],
});

const EventTypes = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 50,
  rule: 'a list of names of events, such as wallet_receive',
  description: 'The names of the events to send; in a form, separated by commas. Default: all',
  examples: [SOME_EVENTS],
});

const NewWebhookBody = Type.Object(
  {
    url: Url,
    event_types: Type.Optional(EventTypes),
    wallet_id: walletFilter('events'),
    user_label: Type.Optional(UserLabel),
  },
  { additionalProperties: false, examples: [{ url: 'https://shop.example/satchel', user_label: 'shop' }] },
);

const WebhookChangeBody = Type.Object(
  {
    url: Type.Optional(Url),
    event_types: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        ...EventTypes,
        description: 'The names of the events to send; an empty list: all',
      }),
    ),
    user_label: Type.Optional(ChangedLabel),
    status: Type.Optional(
      choice(['active', 'paused'], {
        mayBeEmpty: false,
        description: '`paused`: events wait. `active` also resumes a webhook that the service disabled; what waits is sent at once',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ status: 'paused' }] },
);

const RotateBody = Type.Object(
  {
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30 * 86_400,
        unit: 'seconds',
        description: 'How long deliveries have a signature of the old secret, too, in seconds. Default: 0',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ overlap_seconds: 86_400 }] },
);

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

const IdParams = Type.Object({ id: Type.String({ description: 'The id of the webhook, `whk_…`', examples: [EXAMPLE.webhook] }) });

const DeliveryParams = Type.Object({
  ...IdParams.properties,
  delivery: Type.String({ description: 'The id of the delivery, `whd_…`', examples: [EXAMPLE.delivery] }),
});

const DeliveryQuery = Type.Object({
  status: Type.Optional(choice(DELIVERY_STATES, { description: 'Only deliveries with this status' })),
  after: Type.Optional(Type.String({ maxLength: 64, description: 'Returns the deliveries that follow the one with this id in the list' })),
  'per-page': Type.Optional(Type.Integer({ minimum: 1, description: 'The number of deliveries. Default: 50, at most 500' })),
});

const SHOWN_ONCE = 'The response contains the signing secret; no later response does.';
const ONE = { tags: ['Webhooks'], ...requires('account'), params: IdParams };

const listSchema = {
  tags: ['Webhooks'],
  ...requires('account'),
  operationId: 'listWebhooks',
  summary: 'List the webhooks of the account',
  querystring: PageQuery,
  response: { 200: Type.Array(WebhookObject) },
};

const createSchema = {
  tags: ['Webhooks'],
  ...requires('account'),
  errorStatuses: [404],
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description: `Events from now on are sent to the URL. ${SHOWN_ONCE}`,
  body: NewWebhookBody,
  response: { 201: NewWebhookObject },
};

const getSchema = {
  ...ONE,
  operationId: 'getWebhook',
  summary: 'Read a webhook',
  description: 'With the number of events that wait.',
  response: { 200: WebhookHealthObject },
};

const changeSchema = {
  ...ONE,
  operationId: 'updateWebhook',
  summary: 'Change, pause or resume a webhook',
  description: 'Another instance notices the change within a few seconds.',
  body: WebhookChangeBody,
  response: { 200: WebhookObject },
  exampleChanges: { 200: { status: 'paused' } },
};

const deleteSchema = {
  ...ONE,
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'With its deliveries. What waits is not sent.',
  response: { 200: WebhookObject },
};

const testSchema = {
  ...ONE,
  operationId: 'testWebhook',
  summary: 'Send a test event',
  description: 'Sends an event `webhook_test` to this endpoint, once. Read the delivery for its outcome.',
  body: NoFields,
  response: { 201: DeliveryObject },
  exampleChanges: { 201: { event_name: 'webhook_test', wallet_id: null, status: 'queued', attempts: 0, ended_at: null, log: [] } },
};

const rotateSchema = {
  ...ONE,
  operationId: 'rotateWebhookSecret',
  summary: 'Replace the signing secret',
  description: `${SHOWN_ONCE} For \`overlap_seconds\`, deliveries have a signature of both secrets.`,
  body: RotateBody,
  response: { 201: NewWebhookObject },
};

const replaySchema = {
  ...ONE,
  operationId: 'replayWebhook',
  summary: 'Deliver events again',
  description: 'Sends a range of events again, with the same ids. Send `after`, or `from` and `to`. At most ten replays wait.',
  body: ReplayBody,
  response: { 201: ReplayObject },
  errorStatuses: [410],
};

const deliveriesSchema = {
  ...ONE,
  operationId: 'listDeliveries',
  summary: 'List the deliveries of a webhook',
  description: 'Newest first. Deliveries are kept as long as events.',
  querystring: DeliveryQuery,
  response: { 200: Type.Array(DeliveryObject) },
};

const deliverySchema = {
  ...ONE,
  operationId: 'getDelivery',
  summary: 'Read a delivery',
  params: DeliveryParams,
  response: { 200: DeliveryObject },
};

const redeliverSchema = {
  ...ONE,
  operationId: 'redeliver',
  summary: 'Deliver an event again',
  body: NoFields,
  description: 'Creates another delivery of the event, with the same event id. It does not wait for other events of the wallet.',
  params: DeliveryParams,
  response: { 201: DeliveryObject },
  exampleChanges: { 201: { status: 'queued', attempts: 0, ended_at: null, log: [] } },
};

export interface WebhookRouteDependencies {
  readonly access: Access;
  readonly runIdempotent: IdempotentHandler;
  readonly webhooks: Webhooks;
}

export function webhookRoutes(app: App, deps: WebhookRouteDependencies): void {
  manageRoutes(app, deps);
  secretRoutes(app, deps);
  deliveryRoutes(app, deps);
}

function manageRoutes(app: App, { access, webhooks }: WebhookRouteDependencies): void {
  app.get('/v1/webhooks', { schema: listSchema, config: { closedQuery: true } }, async (request, reply) => {
    const accountId = await access.account(request);
    const page = readPage(request.query);
    const { webhooks: listed, total } = await webhooks.list(accountId, page.limit, page.offset);
    setPageHeaders(request, reply, page, total);
    return listed.map(renderWebhook);
  });

  app.get('/v1/webhooks/:id', { schema: getSchema }, async (request) => {
    const webhook = await webhooks.find(await access.account(request), request.params.id);
    return { ...renderWebhook(webhook), waiting: await webhooks.countWaiting(webhook) };
  });

  app.patch('/v1/webhooks/:id', { schema: changeSchema }, async (request) => {
    const accountId = await access.account(request);
    const { url, event_types, user_label, status } = request.body;
    return renderWebhook(
      await webhooks.change(accountId, request.params.id, {
        url: url === undefined ? undefined : plainText('url', url),
        eventTypes: event_types === undefined ? undefined : (readEventTypes(event_types) ?? null),
        userLabel: user_label === undefined ? undefined : plainText('user_label', user_label),
        status,
      }),
    );
  });

  app.delete('/v1/webhooks/:id', { schema: deleteSchema }, async (request) => {
    const accountId = await access.account(request);
    return renderWebhook(await webhooks.remove(accountId, request.params.id));
  });
}

/** The routes whose response contains a secret. */
function secretRoutes(app: App, { access, runIdempotent, webhooks }: WebhookRouteDependencies): void {
  const render = ({ webhook, secret }: { webhook: Webhook; secret: string }) => ({ ...renderWebhook(webhook), secret });
  const replayed = (accountId: string) => async (id: string, secret: () => unknown) => ({
    webhook: await webhooks.find(accountId, id),
    secret: secret() as string,
  });

  app.post('/v1/webhooks', { schema: createSchema }, async (request, reply) => {
    const { credential, accountId } = await caller(access, request);
    const { url, event_types, wallet_id, user_label = '' } = request.body;
    const wallet = wallet_id === undefined ? undefined : await access.walletByIdOrKey(request, wallet_id, 'wallet_tx_read');
    const eventTypes = event_types === undefined ? undefined : readEventTypes(event_types);
    const order = {
      accountId,
      walletId: wallet?.id,
      url: plainText('url', url),
      eventTypes,
      userLabel: plainText('user_label', user_label),
    };
    const made = await runIdempotent(
      request,
      reply,
      { credential, hasSecret: true },
      {
        make: ({ rows }) => webhooks.create(order, ({ webhook, secret }) => rows(webhook.id, secret)),
        replay: replayed(accountId),
      },
    );
    return reply.code(201).send(render(made));
  });

  app.post('/v1/webhooks/:id/rotate-secret', { schema: rotateSchema }, async (request, reply) => {
    const { credential, accountId } = await caller(access, request);
    const { id } = request.params;
    const overlapSeconds = request.body.overlap_seconds ?? 0;
    const made = await runIdempotent(
      request,
      reply,
      { credential, objectId: id, hasSecret: true },
      {
        make: ({ rows }) => webhooks.rotateSecret(accountId, id, overlapSeconds, ({ webhook, secret }) => rows(webhook.id, secret)),
        replay: replayed(accountId),
      },
    );
    return reply.code(201).send(render(made));
  });
}

function deliveryRoutes(app: App, { access, runIdempotent, webhooks }: WebhookRouteDependencies): void {
  app.post('/v1/webhooks/:id/test', { schema: testSchema }, async (request, reply) => {
    const { credential, accountId } = await caller(access, request);
    const { id } = request.params;
    const scope = { credential, objectId: id };
    const delivery = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => webhooks.test(accountId, id, (made) => rows(made.id)),
      replay: (made) => webhooks.findDelivery(accountId, id, made),
    });
    return reply.code(201).send(renderDelivery(delivery));
  });

  app.post('/v1/webhooks/:id/replay', { schema: replaySchema }, async (request, reply) => {
    const { credential, accountId } = await caller(access, request);
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

  app.get('/v1/webhooks/:id/deliveries/:delivery', { schema: deliverySchema }, async (request) => {
    const { id, delivery } = request.params;
    return renderDelivery(await webhooks.findDelivery(await access.account(request), id, delivery));
  });

  app.post('/v1/webhooks/:id/deliveries/:delivery/redeliver', { schema: redeliverSchema }, async (request, reply) => {
    const { credential, accountId } = await caller(access, request);
    const { id, delivery: deliveryId } = request.params;
    const scope = { credential, objectId: `${id} ${deliveryId}` };
    const delivery = await runIdempotent(request, reply, scope, {
      make: ({ rows }) => webhooks.redeliver(accountId, id, deliveryId, (made) => rows(made.id)),
      replay: (made) => webhooks.findDelivery(accountId, id, made),
    });
    return reply.code(201).send(renderDelivery(delivery));
  });
}

async function caller(access: Access, request: FastifyRequest) {
  const credential = await access.secretApiKey(request);
  return { credential, accountId: credential.key.accountId };
}

/** Returns undefined for an empty list, which means all. */
function readEventTypes(names: readonly string[]): readonly EventType[] | undefined {
  const types = eventTypes('event_types', names);
  return types.length === 0 ? undefined : types;
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
