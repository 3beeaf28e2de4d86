import { type Static, Type } from 'typebox';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { App } from '../../http/app-type.ts';
import { choice, requestBody } from '../../http/fields.ts';
import { namedObject, nullable, oneOf } from '../../http/responses/response-types.ts';
import { changeOnce, NEEDS_KEY, OPERATOR, type OperatorRouteModules, time } from '../operator/operator-route.ts';
import { CHANNEL_NAMES, type Channel, type ChannelName } from './channel.ts';
import type { ChannelState, Notifications } from './notifications.ts';

const AlertChannelObject = namedObject('AlertChannel', {
  channel: oneOf(CHANNEL_NAMES, { description: 'How alerts are sent' }),
  recipient: Type.String({ description: 'The addresses of the e-mails, or the chat' }),
  status: oneOf(['unused', 'working', 'failing'], {
    description: '`unused`: no message was sent yet. `failing`: the last message was not sent, or not to all recipients',
  }),
  last_sent_at: time('When a message was last sent; null before the first one'),
  failing_since: time('Since when messages fail; null if the last one was sent'),
  failure: nullable(Type.String({ description: 'Why the last message was not sent; null if it was' })),
});

const listSchema = {
  ...OPERATOR,
  operationId: 'listAlertChannels',
  summary: 'List the channels that send alerts',
  description: 'Those of the settings of the service: e-mail and Telegram.',
  response: { 200: Type.Array(AlertChannelObject) },
};

const testSchema = {
  ...OPERATOR,
  operationId: 'testAlertChannel',
  summary: 'Send a test message',
  description:
    'Sends a message through a channel at once, and returns the state of the channel after that. If the message was not sent, `status` is ' +
    '`failing`, and `failure` has the reason. 409 `action_refused`: the channel is not configured.',
  body: requestBody({ channel: choice(CHANNEL_NAMES, { description: 'Which channel' }) }),
  response: { 200: AlertChannelObject },
  errorStatuses: [409],
};

const SETTINGS: Readonly<Record<ChannelName, string>> = {
  email: 'SMTP_URL and ALERT_EMAIL_TO',
  telegram: 'TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID',
};

/** The channels that send alerts to operators: operators read their states and test them. */
export function notificationRoutes(app: App, modules: OperatorRouteModules & { readonly notifications: Notifications }): void {
  const { access, notifications } = modules;

  /** @throws Refusal `action_refused` for a channel that is not configured */
  function requireChannel(name: string): Channel {
    const channel = notifications.find(name);
    if (channel) return channel;
    const settings = SETTINGS[name as ChannelName];
    throw new Refusal('action_refused', `The channel \`${name}\` is not configured. Set ${settings}, and restart the service.`);
  }

  app.get('/v1/operator/alert-channels', { schema: listSchema }, async (request) => {
    await access.operator(request);
    return (await notifications.list()).map(renderChannel);
  });

  app.post('/v1/operator/alert-channels/test', { schema: testSchema, config: NEEDS_KEY }, async (request, reply) => {
    const credential = await access.operator(request);
    const { channel: name } = request.body;
    let isFirst = false;
    const id = await changeOnce(modules, request, reply, { credential, objectId: name }, async () => {
      isFirst = true;
      return requireChannel(name).name;
    });
    const channel = requireChannel(id);
    // A repeated request sends nothing, and gets the present state.
    return renderChannel(isFirst ? await notifications.test(channel) : await notifications.stateOf(channel));
  });
}

function renderChannel({ name, recipient, last_sent_at, failing_since, failure }: ChannelState): Static<typeof AlertChannelObject> {
  const status = failing_since !== null ? 'failing' : last_sent_at === null ? 'unused' : 'working';
  return { channel: name as ChannelName, recipient, status, last_sent_at, failing_since, failure };
}
