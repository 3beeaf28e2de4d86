import { type Command, InvalidArgumentError } from 'commander';
import type { AlertChannel } from '../../client/satchel.js';
import { CHANNEL_NAMES } from '../features/notifications/channel.ts';
import type { Column } from './output.ts';
import { serviceAction, withKey } from './service.ts';
import { moment } from './table.ts';
import { EXIT, noun, verb } from './verb.ts';

const COLUMNS: readonly Column<AlertChannel>[] = [
  { name: 'channel', text: ({ channel }) => channel },
  { name: 'recipient', text: ({ recipient }) => recipient },
  { name: 'last message', text: ({ last_sent_at: at }) => (at === null ? 'none' : moment(at)) },
  { name: 'failing since', text: ({ failing_since: at }) => (at === null ? '' : moment(at)) },
  { name: 'reason', text: ({ failure }) => failure ?? '' },
];

const IF_NONE = 'No channel is configured. Set SMTP_URL and ALERT_EMAIL_TO, or TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID.';

/** `satchel alerts`: lists the channels that send alerts to operators, and tests them. */
export function addAlerts(program: Command): void {
  const alerts = noun(program, 'alerts', 'Test the channels that send alerts to operators', 'alerts test');

  withKey(verb(alerts, { name: 'channels', summary: 'List the channels and what they have sent', example: 'alerts channels' })).action(
    serviceAction(async ({ service, output }) => {
      const channels = await service.operator.listAlertChannels();
      if (output.isJson) await output.print(channels, '');
      else await output.list(channels, COLUMNS, IF_NONE);
      return EXIT.done;
    }),
  );

  const test = verb(alerts, {
    name: 'test',
    summary: 'Send a test message',
    details: 'Without a channel: through each that is configured. Exit code 1: a message was not sent.',
    example: 'alerts test email',
  }).argument('[channel]', CHANNEL_NAMES.join(' or '), parseName);
  withKey(test).action(
    serviceAction(async ({ service, output, args: [name] }) => {
      const configured = await service.operator.listAlertChannels();
      const names = CHANNEL_NAMES.filter((one) => (name === undefined ? configured.some(({ channel }) => channel === one) : one === name));
      const tested: AlertChannel[] = [];
      for (const channel of names) tested.push(await service.operator.testAlertChannel({ channel }));
      if (output.isJson) await output.print(tested, '');
      else await output.print(tested, tested.map(describe).join('\n') || IF_NONE);
      return tested.length > 0 && tested.every(({ failing_since: since }) => since === null) ? EXIT.done : EXIT.refused;
    }),
  );
}

function parseName(text: string): string {
  if (CHANNEL_NAMES.some((name) => name === text)) return text;
  throw new InvalidArgumentError(`Expected ${CHANNEL_NAMES.join(' or ')}.`);
}

function describe({ channel, recipient, failure }: AlertChannel): string {
  return failure === null ? `Sent by ${channel} to ${recipient}.` : `Not sent by ${channel}: ${failure}`;
}
