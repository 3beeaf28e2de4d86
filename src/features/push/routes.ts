import { type Static, Type } from 'typebox';
import type { App, RouteContext } from '../../http/app-type.ts';
import { plainText, requestBody } from '../../http/fields.ts';
import { MANAGES, requires } from '../../http/openapi/route-schema.ts';
import { namedObject, oneOf } from '../../http/responses/response-types.ts';
import type { Push } from './push.ts';
import { MAX_ENDPOINT, MAX_SUBSCRIPTIONS, PUSH_STATUSES, RENEWAL_DAYS } from './subscriptions.ts';

const SubscriptionObject = namedObject('PushSubscription', {
  id: Type.String({ description: 'The id of the subscription, `psub_…`' }),
  account_id: Type.String({ description: 'The account whose payments are reported' }),
  push_service: Type.String({ description: 'The address of the push service of the browser, without its path, which is a secret' }),
  status: oneOf(PUSH_STATUSES, { description: '`ended`: with its session or key. The browser renews it after the next login' }),
  language: Type.String({ description: 'The language of the notifications' }),
  user_agent: Type.String({ description: 'The browser, as it names itself' }),
  created_at: Type.Integer({ description: 'Unix seconds' }),
  renewed_at: Type.Integer({ description: `When the browser sent it last, in Unix seconds. It ends ${RENEWAL_DAYS} days later` }),
});

const PushObject = namedObject('Push', {
  public_key: Type.String({ description: 'The key of the service, in base64url: the `applicationServerKey` of `PushManager.subscribe`' }),
  subscriptions: Type.Array(SubscriptionObject, {
    description: 'The browsers of the account that show notifications, or did before their sessions ended',
  }),
});

const OF_ACCOUNT = { tags: ['Events'], ...requires('account') };

const readSchema = {
  ...OF_ACCOUNT,
  operationId: 'getPush',
  summary: 'Read the key for notifications, and the browsers that show them',
  response: { 200: PushObject },
};

const addSchema = {
  ...OF_ACCOUNT,
  ...MANAGES,
  operationId: 'addPushSubscription',
  summary: 'Show notifications of payments in a browser',
  description:
    'Subscribes a browser to notifications of payments to the wallets of the account (Push API). The fields are those of its `PushSubscription`. ' +
    'Another request of the same browser renews the subscription, which keeps its id. It ends when the session or the key of the request is ' +
    `revoked, and continues after the session expires. An account has up to ${MAX_SUBSCRIPTIONS}; the one that was renewed least recently is replaced.`,
  body: requestBody({
    endpoint: Type.String({
      minLength: 1,
      maxLength: MAX_ENDPOINT,
      description: 'Its address at the push service. It is stored encrypted',
    }),
    p256dh: Type.String({
      pattern: '^[A-Za-z0-9_-]{87}$',
      rule: 'the key p256dh, in base64url',
      description: 'Its key `p256dh`, in base64url',
    }),
    auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$', rule: 'the key auth, in base64url', description: 'Its key `auth`, in base64url' }),
    language: Type.Optional(
      Type.String({
        pattern: '^[a-z]{2}$',
        rule: 'the code of a language, such as en',
        description: 'The language of its notifications. Default: `en`',
      }),
    ),
  }),
  response: { 201: SubscriptionObject },
};

const deleteSchema = {
  ...OF_ACCOUNT,
  ...MANAGES,
  params: Type.Object({ id: Type.String({ description: 'The id of the subscription, `psub_…`' }) }),
  operationId: 'deletePushSubscription',
  summary: 'Show no more notifications in a browser',
  description: 'Returns what it was.',
  response: { 200: SubscriptionObject },
};

/** The browsers that show a notification when a wallet is paid. */
export function pushRoutes(app: App, { access, runIdempotent, push }: RouteContext & { readonly push: Push }): void {
  const { subscriptions, publicKey } = push;

  app.get('/v1/push', { schema: readSchema }, async (request): Promise<Static<typeof PushObject>> => {
    return { public_key: publicKey, subscriptions: await subscriptions.list(await access.account(request)) };
  });

  app.post('/v1/push-subscriptions', { schema: addSchema }, async (request, reply) => {
    const credential = await access.secretApiKey(request);
    const { p256dh, auth, language = 'en' } = request.body;
    const endpoint = plainText('endpoint', request.body.endpoint);
    const added = { endpoint, p256dh, auth, language, userAgent: request.headers['user-agent'] ?? '' };
    const subscription = await runIdempotent(
      request,
      reply,
      { credential },
      {
        make: ({ rows }) => subscriptions.add(credential.key, added, (id) => rows(id)),
        replay: (id) => subscriptions.find(credential.key.accountId, id),
      },
    );
    return reply.code(201).send(subscription);
  });

  app.delete('/v1/push-subscriptions/:id', { schema: deleteSchema }, async (request) => {
    const { key } = await access.secretApiKey(request);
    return subscriptions.remove(key, request.params.id);
  });
}
