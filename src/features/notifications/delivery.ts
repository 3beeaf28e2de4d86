import type { Alerts } from '../../core/alerts/alerts.ts';
import type { Database, Tx } from '../../core/db/database.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import { type AlertMessage, type Channel, ChannelError } from './channel.ts';
import * as sql from './notifications.sql.ts';

export interface DeliveryOptions {
  readonly database: Database;
  readonly alerts: Alerts;
  readonly clock: Clock;
  readonly log: Log;
}

interface Delivery {
  readonly message: AlertMessage;
  readonly signal: AbortSignal;
  /** The seconds until the next message. */
  readonly between: number;
  /** Stores what was sent, in the transaction that records the success. */
  readonly onSent?: (tx: Tx) => Promise<void>;
}

/** In seconds. */
const FIRST_RETRY = 15;
const LAST_RETRY = 900;
const MAX_RETRY_AFTER = 3600;
/** The number of consecutive failures that raise the alert. */
const MAX_FAILURES = 3;
const FAILING = 'alert_channel_failing';

/** Sends messages through channels, stores the states of the channels, and raises or closes the alert about a failing channel. */
export function createDelivery({ database, alerts, clock, log }: DeliveryOptions) {
  /** Returns the state of a channel. The first call stores the channel. */
  async function readState({ name }: Channel): Promise<sql.ChannelRow> {
    const known = await database.first(sql.findChannel, name);
    if (known) return known;
    await database.transaction((tx) => tx.run(sql.addChannel, name, unixSeconds(clock)));
    const added = await database.first(sql.findChannel, name);
    invariant(added, 'the channel was stored');
    return added;
  }

  async function recordFailure(channel: Channel, { message, retryAfterSeconds }: ChannelError): Promise<void> {
    const now = unixSeconds(clock);
    const { failures, failing_since } = await readState(channel);
    const wait = Math.min(FIRST_RETRY * 2 ** Math.min(failures, 10), LAST_RETRY);
    const nextAt = now + Math.max(wait, Math.min(retryAfterSeconds, MAX_RETRY_AFTER));
    await database.transaction((tx) => tx.run(sql.recordFailure, channel.name, now, nextAt, message));
    log.warn({ channel: channel.name, reason: message, failures: failures + 1 }, 'a message about alerts was not sent; it is retried');
    if (failures + 1 >= MAX_FAILURES) await raiseFailing(channel.name, failing_since ?? now, message);
  }

  async function raiseFailing(name: string, since: number, reason: string): Promise<void> {
    if ((await alerts.openSubjects(FAILING)).includes(name)) return;
    await alerts.raise({ kind: FAILING, subject: name, message: reason, details: { since, reason: reason.replace(/\.$/, '') } });
  }

  /** Closes the alert about a failing channel, if it is open. */
  async function clearFailing(name: string): Promise<void> {
    if ((await alerts.openSubjects(FAILING)).includes(name)) await alerts.clear(FAILING, name);
  }

  return {
    readState,
    clearFailing,

    /** Sends a message, and stores whether it was sent. */
    async send(channel: Channel, { message, signal, between, onSent }: Delivery): Promise<void> {
      let partial: string | undefined;
      try {
        partial = await channel.send(message, signal);
      } catch (error) {
        if (!(error instanceof ChannelError)) throw error;
        // The service is stopping. It sends the message after the next start.
        if (!signal.aborted) await recordFailure(channel, error);
        return;
      }
      const now = unixSeconds(clock);
      await database.transaction(async (tx) => {
        await tx.run(sql.recordSent, channel.name, now, now + between, partial ?? null);
        await onSent?.(tx);
      });
      if (partial === undefined) await clearFailing(channel.name);
      else await raiseFailing(channel.name, now, partial);
    },
  };
}
