import type { ShownAlert } from '../../core/alerts/alert-sentences.ts';
import type { Alert } from '../../core/alerts/alerts.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import type { Channel, ChannelName } from './channel.ts';
import { createDelivery, type DeliveryOptions } from './delivery.ts';
import { type DueAlerts, findDue } from './due.ts';
import { composeMessage, type Notice, testMessage } from './message.ts';
import * as sql from './notifications.sql.ts';

export type ChannelState = sql.ChannelRow & Pick<Channel, 'recipient'>;

export interface NotificationOptions extends DeliveryOptions {
  /** The channels that the operator has configured. */
  readonly channels: readonly Channel[];
  readonly publicUrl: string;
  /** Returns alerts with the present names of their wallets and nodes. */
  readonly render: (alerts: readonly Alert[]) => Promise<readonly ShownAlert[]>;
  readonly timing?: Partial<NotificationTiming> | undefined;
}

/** In seconds. Tests shorten them. */
export interface NotificationTiming {
  /** How long a message waits for further alerts. */
  readonly gather: number;
  /** Between two messages. */
  readonly between: number;
}

const TIMING: NotificationTiming = { gather: 10, between: 60 };

export type Notifications = ReturnType<typeof createNotifications>;

/**
 * Sends alerts to operators. The messages are derived from the stored alerts and from rows that record the alerts already sent. These rows are
 * written after each message, so a crash in between repeats the message.
 */
export function createNotifications({ channels, publicUrl, render, timing, ...options }: NotificationOptions) {
  const { database, clock } = options;
  const { gather, between } = { ...TIMING, ...timing };
  const delivery = createDelivery(options);
  const removed = new Set<ChannelName>();

  async function noticesOf(due: readonly DueAlerts[]): Promise<Notice[]> {
    const last = due.map((group) => group.at(-1) ?? group[0]);
    const shown = await render(last);
    return shown.map((alert, index) => ({
      alert,
      resolvedAt: last[index]?.cleared_at ?? null,
      times: (due[index] ?? []).filter(({ notice }) => notice === null).length,
    }));
  }

  /** Closes the alert about a channel that the operator has removed from the settings. Runs once. */
  async function clearRemoved(name: ChannelName): Promise<void> {
    if (!removed.has(name)) await delivery.clearFailing(name);
    removed.add(name);
  }

  async function stateOf(channel: Channel): Promise<ChannelState> {
    return { ...(await delivery.readState(channel)), recipient: channel.recipient };
  }

  return {
    /** Sends the due alerts through a channel as one message. Only one instance at a time may call it. */
    async run(name: ChannelName, signal: AbortSignal): Promise<void> {
      const channel = channels.find((one) => one.name === name);
      if (!channel) return clearRemoved(name);
      const state = await delivery.readState(channel);
      const now = unixSeconds(clock);
      if (now < state.next_at) return;
      const due = await findDue(database, state, { now, gather });
      if (due.length === 0) return;
      const message = composeMessage(await noticesOf(due), { publicUrl, nowMs: clock.nowMs() });
      const sentAt = unixSeconds(clock);
      await delivery.send(channel, {
        message,
        signal,
        between,
        async onSent(tx) {
          for (const { id, cleared_at } of due.flat())
            await tx.run(sql.storeNotice, name, id, cleared_at === null ? 'raised' : 'resolved', sentAt);
        },
      });
    },

    find: (name: string): Channel | undefined => channels.find((one) => one.name === name),

    stateOf,

    /** Returns the states of the configured channels. */
    list: (): Promise<ChannelState[]> => Promise.all(channels.map(stateOf)),

    /** Sends a test message through a channel. @returns its state after that */
    async test(channel: Channel): Promise<ChannelState> {
      await delivery.readState(channel);
      await delivery.send(channel, { message: testMessage(publicUrl), signal: new AbortController().signal, between: 0 });
      return stateOf(channel);
    },
  };
}
