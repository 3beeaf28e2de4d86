import { expect, it } from 'vitest';
import type { AlertDetails } from '../../src/core/alerts/alert-details.ts';
import type { AlertKind } from '../../src/core/alerts/alert-kinds.ts';
import type { ShownAlert } from '../../src/core/alerts/alert-sentences.ts';
import { type Alert, createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database } from '../../src/core/db/database.ts';
import { type AlertMessage, type Channel, ChannelError, type ChannelName } from '../../src/features/notifications/channel.ts';
import { createNotifications } from '../../src/features/notifications/notifications.ts';
import { onBothDatabases } from '../support/ledger.ts';

const PUBLIC_URL = 'https://wallet.example.com';
const FAR = new AbortController().signal;
const MINUTE = 60;
const HOUR = 3600;

/** A channel that stores messages, or fails as a test says. */
function channelOf(name: ChannelName = 'email') {
  const sent: AlertMessage[] = [];
  const channel = {
    name,
    recipient: 'ops@example.com',
    sent,
    failure: undefined as ChannelError | undefined,
    partial: undefined as string | undefined,
    tries: 0,
    async send(message: AlertMessage) {
      channel.tries += 1;
      if (channel.failure) throw channel.failure;
      sent.push(message);
      return channel.partial;
    },
  };
  return channel satisfies Channel;
}

const NOTHING = {
  wallet_id: null,
  wallet_label: null,
  ln_node_id: null,
  node_alias: null,
  lntx_id: null,
  account_id: null,
  amount_msat: null,
  charged_msat: null,
  in_flight_msat: null,
  count: null,
  since: null,
  name: null,
  status: null,
  reason: null,
};

async function render(alerts: readonly Alert[]): Promise<ShownAlert[]> {
  return alerts.map((alert) => ({ ...alert, details: { ...NOTHING, ...(JSON.parse(alert.details) as object) } }));
}

/** The notifications of an instance, whose clock a test moves. */
function serviceOn(database: Database, channels: readonly Channel[] = [channelOf()], clock = { seconds: 100_000, nowMs: () => 0 }) {
  clock.nowMs = () => clock.seconds * 1000;
  const log = { info() {}, warn() {}, error() {} };
  const alerts = createAlerts(database, clock, log);
  const notifications = createNotifications({ database, alerts, clock, log, channels, publicUrl: PUBLIC_URL, render });
  /** Moves the clock in steps of two seconds, as the job does, or in longer ones. */
  async function pass(seconds: number): Promise<void> {
    const step = seconds > 10 * MINUTE ? 30 : seconds > MINUTE ? 10 : 2;
    for (let passed = 0; passed < seconds; passed += step) {
      clock.seconds += step;
      for (const { name } of channels) await notifications.run(name, FAR);
    }
  }
  const raise = (kind: AlertKind, subject: string, details: AlertDetails = {}) => alerts.raise({ kind, subject, message: 'text', details });
  return { alerts, notifications, clock, pass, raise };
}

onBothDatabases('notifications of alerts', (open) => {
  it('send the sentence of the dashboard with a link to the place where the alert is handled', async () => {
    const channel = channelOf();
    const { pass, raise } = serviceOn(await open(), [channel]);
    await raise('payment_stuck', 'lntx_1', { amount_msat: 1_234_567_890, since: 100_000 - 89 * MINUTE });
    await pass(MINUTE);
    expect(channel.sent).toEqual([
      {
        subject: '[wallet.example.com] A payment has been pending for 1 h 29 min.',
        text:
          'A payment has been pending for 1 h 29 min.\n' +
          '1\u202f234\u202f567 sats of a wallet. It ends when the node reports the outcome; never refund it by hand.\n' +
          'Show payment: https://wallet.example.com/operator/payments/lntx_1\n\nSatchel, https://wallet.example.com',
      },
    ]);
  });

  it('send alerts of a burst as one message of bounded length, and the next ones at most once a minute', async () => {
    const channel = channelOf();
    const { pass, raise } = serviceOn(await open(), [channel]);
    for (let i = 0; i < 40; i++) await raise('payment_stuck', `lntx_${i}`, { reason: 'x'.repeat(1000) });
    await pass(14);
    expect(channel.sent).toHaveLength(1);
    await raise('node_silent', 'lnd_1');
    await pass(MINUTE - 10);
    expect(channel.sent).toHaveLength(1);
    await pass(20);
    expect(channel.sent).toHaveLength(2);
    expect(channel.sent[0]?.text.length).toBeLessThan(4096);
    expect(channel.sent[0]?.text).toMatch(/\nAnd \d+ more: https:\/\/wallet\.example\.com\/operator\n/);
    expect(channel.sent[0]?.subject).toMatch(/^\[wallet\.example\.com\] 40 alerts\. A payment/);
    expect(channel.sent[1]?.subject).toContain('The node does not answer.');
    await pass(3 * MINUTE);
    expect(channel.sent).toHaveLength(2);
  });

  it('report that an alert was resolved after they reported that it was raised', async () => {
    const channel = channelOf();
    const { pass, raise, alerts } = serviceOn(await open(), [channel]);
    await raise('node_silent', 'lnd_1');
    await pass(20);
    await alerts.clear('node_silent', 'lnd_1');
    await pass(2 * MINUTE);
    expect(channel.sent.map(({ text }) => text.split('\n')[0])).toEqual([
      'The node does not answer.',
      'Resolved: The node does not answer.',
    ]);
  });

  it('report an alert once that was raised and resolved between two messages', async () => {
    const channel = channelOf();
    const { pass, raise, alerts } = serviceOn(await open(), [channel]);
    await pass(2);
    await raise('node_silent', 'lnd_1');
    await alerts.clear('node_silent', 'lnd_1');
    await pass(3 * MINUTE);
    expect(channel.sent.map(({ text }) => text.split('\n')[0])).toEqual(['Resolved: The node does not answer.']);
  });

  it('lose nothing when the service stops between an alert and its message', async () => {
    const database = await open();
    const first = serviceOn(database);
    await first.raise('node_silent', 'lnd_1');
    await first.pass(2);
    const channel = channelOf();
    const second = serviceOn(database, [channel], first.clock);
    await second.pass(20);
    expect(channel.sent).toHaveLength(1);
  });

  it('are repeated when the service crashes after a message and before it has stored that it was sent', async () => {
    const database = await open();
    const channel = channelOf();
    const send = channel.send;
    channel.send = async (message) => {
      await send(message);
      throw new Error('a crash');
    };
    const first = serviceOn(database, [channel]);
    await first.raise('node_silent', 'lnd_1');
    await expect(first.pass(20)).rejects.toThrow('a crash');
    channel.send = send;
    await serviceOn(database, [channel], first.clock).pass(2 * MINUTE);
    expect(channel.sent).toHaveLength(2);
    expect(channel.sent[1]).toEqual(channel.sent[0]);
  });

  it('are repeated after failures with growing waits, and raise an alert that is not sent through the channel itself', async () => {
    const [email, telegram] = [channelOf('email'), channelOf('telegram')];
    const { pass, raise, alerts, notifications } = serviceOn(await open(), [email, telegram]);
    email.failure = new ChannelError('The mail server is away.');
    await raise('node_silent', 'lnd_1');
    await pass(HOUR);
    expect(email.tries).toBeGreaterThanOrEqual(7);
    expect(email.tries).toBeLessThanOrEqual(11);
    expect((await alerts.listOpen()).map(({ kind, subject }) => [kind, subject])).toEqual([
      ['node_silent', 'lnd_1'],
      ['alert_channel_failing', 'email'],
    ]);
    expect(telegram.sent.map(({ text }) => text.split('\n')[0])).toEqual(['The node does not answer.', 'Alerts cannot be sent by e-mail.']);
    expect(await notifications.list()).toMatchObject([
      { name: 'email', failure: 'The mail server is away.', last_sent_at: null },
      { name: 'telegram', failure: null, failing_since: null },
    ]);
    email.failure = undefined;
    await pass(20 * MINUTE);
    expect(email.sent.map(({ text }) => text.split('\n')[0])).toEqual(['The node does not answer.']);
    expect((await alerts.listOpen()).map(({ kind }) => kind)).toEqual(['node_silent']);
    expect(telegram.sent.at(-1)?.text).toContain('Resolved: Alerts cannot be sent by e-mail.');
    expect(await notifications.list()).toMatchObject([{ failure: null, failing_since: null }, {}]);
  });

  it('wait as long as the service of the channel asks, at most an hour', async () => {
    const channel = channelOf();
    const { pass, raise } = serviceOn(await open(), [channel]);
    channel.failure = new ChannelError('Too many requests.', 500);
    await raise('node_silent', 'lnd_1');
    await pass(400);
    expect(channel.tries).toBe(1);
    channel.failure = new ChannelError('Too many requests.', 10 ** 9);
    await pass(200);
    expect(channel.tries).toBe(2);
    channel.failure = undefined;
    await pass(HOUR);
    expect(channel.sent).toHaveLength(1);
  });

  it('report an alert that flaps at most three times an hour as raised', async () => {
    const channel = channelOf();
    const { pass, raise, alerts } = serviceOn(await open(), [channel]);
    for (let i = 0; i < 15; i++) {
      await raise('node_silent', 'lnd_1');
      await pass(2 * MINUTE);
      await alerts.clear('node_silent', 'lnd_1');
      await pass(2 * MINUTE);
    }
    expect(channel.sent.length).toBeLessThanOrEqual(6);
    await raise('node_silent', 'lnd_1');
    await pass(HOUR);
    expect(channel.sent.at(-1)?.text).toMatch(/^The node does not answer\. \(raised \d+ times\)\n/);
  });

  it('do not report alerts that were resolved before the channel was configured', async () => {
    const database = await open();
    const before = serviceOn(database, []);
    await before.raise('node_silent', 'lnd_1');
    await before.raise('suspense_not_empty', 'suspense');
    await before.alerts.clear('node_silent', 'lnd_1');
    before.clock.seconds += 100;
    const channel = channelOf();
    const { pass } = serviceOn(database, [channel], before.clock);
    await pass(MINUTE);
    expect(channel.sent.map(({ text }) => text.split('\n')[0])).toEqual(['Money arrived for no wallet.']);
  });

  it('send a test message at once, which ends the wait after failures', async () => {
    const channel = channelOf();
    const { pass, raise, notifications } = serviceOn(await open(), [channel]);
    channel.failure = new ChannelError('The mail server is away.');
    await raise('node_silent', 'lnd_1');
    await pass(20 * MINUTE);
    expect(await notifications.test(channel)).toMatchObject({ failure: 'The mail server is away.' });
    channel.failure = undefined;
    expect(await notifications.test(channel)).toMatchObject({ failure: null, failing_since: null, last_sent_at: expect.any(Number) });
    await pass(2);
    expect(channel.sent.map(({ subject }) => subject)).toEqual([
      '[wallet.example.com] A test message',
      '[wallet.example.com] The node does not answer.',
    ]);
  });

  it('are sent, and are shown as failing, when a recipient was refused', async () => {
    const channel = channelOf();
    const { pass, raise, notifications, alerts } = serviceOn(await open(), [channel]);
    channel.partial = 'The mail server refused the recipient b@example.com.';
    await raise('node_silent', 'lnd_1');
    await pass(2 * MINUTE);
    expect(channel.sent).toHaveLength(1);
    expect(await notifications.list()).toMatchObject([{ failure: channel.partial, last_sent_at: expect.any(Number) }]);
    expect(await alerts.openSubjects('alert_channel_failing')).toEqual(['email']);
  });

  it('close the alert about a channel that was removed from the settings', async () => {
    const database = await open();
    const { raise, alerts, clock } = serviceOn(database);
    await raise('alert_channel_failing', 'email');
    await serviceOn(database, [], clock).notifications.run('email', FAR);
    expect(await alerts.listOpen()).toEqual([]);
  });
});
