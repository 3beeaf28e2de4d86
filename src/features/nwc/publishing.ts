import { findBookings, findTransactions } from '../../core/journal/wallet-transactions.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { isJsonObject, parseJson } from '../../core/kernel/json.ts';
import { readEvent } from '../../core/nostr/event.ts';
import type { Queue, RetryRule, Task } from '../../core/tasks/tasks.ts';
import { completeRows } from '../transactions/complete.ts';
import { NOTIFICATIONS, type NotificationType } from './methods.ts';
import type { NwcModules } from './modules.ts';
import { RESPONSES } from './requests.ts';
import type { Serving } from './serving.ts';
import { type NwcTransaction, transactionOfInvoice, transactionOfWallet } from './transaction-object.ts';

/** The queue of notifications, whose key is the id of the connection. */
export const NOTIFIED = 'app notifications';

/** An event that no relay has accepted for ten minutes is given up: apps have found out by other means. */
const RETRY: RetryRule = { firstMs: 1000, longestMs: 60_000, giveUpMs: 600_000 };

/** What a notification reports. It is read, encrypted and signed when it is sent. */
export interface NotificationPayload {
  readonly type: NotificationType;
  /** The id of the wallet transaction, or of the hold invoice. */
  readonly subject: string;
}

/** Publishes responses until a relay has accepted each. Each has a relay's answer to wait for, and little else. */
export function responseQueue({ requests, connections, pool }: Pick<Serving, 'requests' | 'connections' | 'pool'>): Queue {
  return {
    name: RESPONSES,
    retry: RETRY,
    slots: { total: 200, ofAccount: 50, slow: 100, slowOfAccount: 20 },
    async run({ payload }) {
      const stored = await requests.find(payload);
      const event = readEvent(parseJson(stored?.response ?? 'null'));
      const connection = stored && (await connections.findById(stored.connection_id));
      return !event || !connection || (await pool.publish(connection.relays, event)) ? 'done' : 'failed';
    },
  };
}

/** Publishes notifications, of few accounts at the same time, so that responses do not wait for their encryption. */
export function notificationQueue(serving: Serving): Queue {
  return {
    name: NOTIFIED,
    retry: RETRY,
    slots: { total: 8, ofAccount: 2, slow: 4, slowOfAccount: 1 },
    run: async (task) => ((await notify(serving, task)) ? 'done' : 'failed'),
  };
}

/** Publishes a notification. @returns false if no relay has accepted it */
async function notify({ connections, served, responses, pool, modules }: Serving, { orderingKey, payload }: Task): Promise<boolean> {
  const connection = await connections.findById(orderingKey ?? '');
  const key = connection && (await modules.accounts.findValid(connection.keyId));
  const notified = readPayload(payload);
  if (!connection || !key || !notified || (key.expiresAt ?? Number.POSITIVE_INFINITY) <= unixSeconds(modules.clock)) return true;
  const transaction = await transactionOf(modules, notified);
  if (!transaction) return true;
  const events = await responses.notify({ ...connection, scheme: served.schemeOf(connection) }, notified.type, transaction);
  const published = await Promise.all(events.map((event) => pool.publish(connection.relays, event)));
  return published.every(Boolean);
}

function readPayload(text: string): NotificationPayload | undefined {
  const payload = parseJson(text);
  if (!isJsonObject(payload) || typeof payload.subject !== 'string') return undefined;
  const type = NOTIFICATIONS.find((one) => one === payload.type);
  return type && { type, subject: payload.subject };
}

async function transactionOf(modules: NwcModules, { type, subject }: NotificationPayload): Promise<NwcTransaction | undefined> {
  const now = unixSeconds(modules.clock);
  if (type === 'hold_invoice_accepted') {
    const invoice = await modules.invoices.find(subject);
    // It may have been settled or cancelled meanwhile.
    return invoice && transactionOfInvoice({ ...invoice, state: 'held' }, now);
  }
  const [transaction] = await completeRows(modules, await findTransactions(modules.database, [subject]));
  const booking = (await findBookings(modules.database, [subject])).get(subject);
  return transaction && transactionOfWallet(transaction, now, booking?.service_fee_msat);
}
