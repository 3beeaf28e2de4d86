import { Type } from 'typebox';
import type { App, RouteContext } from '../../http/app-type.ts';
import { walletFilter } from '../../http/auth/account-scope.ts';
import { ChangedLabel, choice, eventTypes, plainText, requestBody, UserLabel } from '../../http/fields.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { ListQuery, sendList } from '../../http/responses/list.ts';
import { NewWebhookObject, renderWebhook, WebhookHealthObject, WebhookObject } from './webhook-object.ts';
import type { WebhookRow } from './webhooks.sql.ts';
import type { Webhooks } from './webhooks.ts';

const MAX_URL = 2048;

const Url = Type.String({
  maxLength: MAX_URL,
  description: 'Where events are sent: https, without a user name. Private addresses and http only where the operator allows them',
});

const EventTypes = Type.Array(Type.String({ maxLength: 64 }), {
  maxItems: 50,
  rule: 'a list of names of events, such as wallet_receive',
  description: 'The names of the events to send; in a form, separated by commas. Default: all',
});

export const WebhookParams = Type.Object({
  id: Type.String({ description: 'The id of the webhook, `whk_…`' }),
});

const SHOWN_ONCE = 'The response contains the signing secret; no later response does.';

/** What the schemas of the routes of one webhook share. */
export const OF_WEBHOOK = { tags: ['Webhooks'], ...requires('account'), params: WebhookParams };

const listSchema = {
  tags: ['Webhooks'],
  ...requires('account'),
  operationId: 'listWebhooks',
  summary: 'List the webhooks of the account',
  querystring: ListQuery,
  response: { 200: Type.Array(WebhookObject) },
};

const createSchema = {
  tags: ['Webhooks'],
  ...requires('account'),
  ...MANAGES,
  errorStatuses: [409, 404],
  operationId: 'createWebhook',
  summary: 'Create a webhook',
  description: `Events from now on are sent to the URL. ${SHOWN_ONCE}`,
  body: requestBody({
    url: Url,
    event_types: Type.Optional(EventTypes),
    wallet_id: walletFilter('events'),
    user_label: Type.Optional(UserLabel),
  }),
  response: { 201: NewWebhookObject },
};

const getSchema = {
  ...OF_WEBHOOK,
  operationId: 'getWebhook',
  summary: 'Read a webhook',
  description: 'With the number of events that wait.',
  response: { 200: WebhookHealthObject },
};

const changeSchema = {
  ...OF_WEBHOOK,
  ...MANAGES,
  operationId: 'updateWebhook',
  summary: 'Change, pause or resume a webhook',
  description: 'Another instance notices the change within a few seconds.',
  body: requestBody({
    url: Type.Optional(Url),
    event_types: Type.Optional({ ...EventTypes, description: 'The names of the events to send; an empty list: all' }),
    user_label: Type.Optional(ChangedLabel),
    status: Type.Optional(
      choice(['active', 'paused'], {
        mayBeEmpty: false,
        description: '`paused`: events wait. `active` also resumes a webhook that the service disabled; what waits is sent at once',
      }),
    ),
  }),
  response: { 200: WebhookObject },
};

const deleteSchema = {
  ...OF_WEBHOOK,
  ...MANAGES,
  operationId: 'deleteWebhook',
  summary: 'Delete a webhook',
  description: 'With its deliveries. What waits is not sent.',
  response: { 200: WebhookObject },
};

const rotateSchema = {
  ...OF_WEBHOOK,
  ...MANAGES,
  operationId: 'rotateWebhookSecret',
  summary: 'Replace the signing secret',
  description: `${SHOWN_ONCE} For \`overlap_seconds\`, deliveries have a signature of both secrets.`,
  body: requestBody({
    overlap_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 30 * 86_400,
        unit: 'seconds',
        description: 'How long deliveries have a signature of the old secret, too, in seconds. Default: 0',
      }),
    ),
  }),
  response: { 201: NewWebhookObject },
};

export interface WebhookRouteContext extends RouteContext {
  readonly webhooks: Webhooks;
}

export function webhookRoutes(app: App, deps: WebhookRouteContext): void {
  manageRoutes(app, deps);
  secretRoutes(app, deps);
}

function manageRoutes(app: App, { access, webhooks }: WebhookRouteContext): void {
  app.get('/v1/webhooks', { schema: listSchema, config: { closedQuery: true } }, async (request, reply) => {
    return sendList(request, reply, webhooks.list(await access.account(request)), renderWebhook);
  });

  app.get('/v1/webhooks/:id', { schema: getSchema }, async (request) => {
    const webhook = await webhooks.find(await access.account(request), request.params.id);
    return { ...renderWebhook(webhook), waiting: await webhooks.countWaiting(webhook.id) };
  });

  app.patch('/v1/webhooks/:id', { schema: changeSchema }, async (request) => {
    const { key } = await access.secretApiKey(request);
    const { url, event_types, user_label, status } = request.body;
    const changes = {
      ...(url !== undefined && { url: plainText('url', url) }),
      ...(event_types && { event_types: storedTypes(event_types) }),
      ...(user_label !== undefined && { user_label: plainText('user_label', user_label) }),
      ...(status && { status }),
    };
    return renderWebhook(await webhooks.change(key, request.params.id, changes));
  });

  app.delete('/v1/webhooks/:id', { schema: deleteSchema }, async (request) => {
    const { key } = await access.secretApiKey(request);
    return renderWebhook(await webhooks.remove(key, request.params.id));
  });
}

/** The routes whose response contains a secret. */
function secretRoutes(app: App, { access, runIdempotent, webhooks }: WebhookRouteContext): void {
  const render = ({ webhook, secret }: { webhook: WebhookRow; secret: string }) => ({ ...renderWebhook(webhook), secret });
  const replayed = (accountId: string) => async (id: string, secret: () => unknown) => ({
    webhook: await webhooks.find(accountId, id),
    secret: secret() as string,
  });

  app.post('/v1/webhooks', { schema: createSchema }, async (request, reply) => {
    const credential = await access.secretApiKey(request);
    const { url, event_types, wallet_id, user_label = '' } = request.body;
    const wallet = wallet_id === undefined ? undefined : await access.walletByIdOrKey(request, wallet_id, 'wallet_tx_read');
    const settings = {
      wallet_id: wallet?.id ?? null,
      url: plainText('url', url),
      event_types: storedTypes(event_types ?? []),
      user_label: plainText('user_label', user_label),
    };
    const made = await runIdempotent(
      request,
      reply,
      { credential, hasSecret: true },
      {
        make: ({ rows }) => webhooks.create(credential.key, settings, ({ webhook, secret }) => rows(webhook.id, secret)),
        replay: replayed(credential.key.accountId),
      },
    );
    return reply.code(201).send(render(made));
  });

  app.post('/v1/webhooks/:id/rotate-secret', { schema: rotateSchema }, async (request, reply) => {
    const credential = await access.secretApiKey(request);
    const { id } = request.params;
    const overlapSeconds = request.body.overlap_seconds ?? 0;
    const made = await runIdempotent(
      request,
      reply,
      { credential, objectId: id, hasSecret: true },
      {
        make: ({ rows }) => webhooks.rotateSecret(credential.key, id, overlapSeconds, ({ webhook, secret }) => rows(webhook.id, secret)),
        replay: replayed(credential.key.accountId),
      },
    );
    return reply.code(201).send(render(made));
  });
}

/** Returns the names as they are stored: with spaces between; null for an empty list, which means all. */
function storedTypes(names: readonly string[]): string | null {
  return eventTypes('event_types', names).join(' ') || null;
}
