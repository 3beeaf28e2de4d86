import type { Database } from '../../core/db/database.ts';
import { readFact, writeOnce } from '../../core/db/facts.sql.ts';
import { type EventLog, type LoggedEvent, START } from '../../core/journal/event-log.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import { followLog } from '../../core/journal/follow.ts';
import { type Clock, pause } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import type { Outbound } from '../../core/outbound/outbound.ts';
import type { History } from '../transactions/history.ts';
import type { RenderedTransaction } from '../transactions/wallet-transaction-object.ts';
import { createVapid } from './encryption.ts';
import { type PaidNotification, PushQueue, type PushTiming } from './push-queue.ts';
import type { SubscriptionRow } from './subscriptions.sql.ts';
import * as sql from './subscriptions.sql.ts';
import { createSubscriptions, type SubscriptionDependencies, type Subscriptions } from './subscriptions.ts';

export interface PushDependencies extends SubscriptionDependencies {
  readonly database: Database;
  readonly eventLog: EventLog;
  readonly history: Pick<History, 'findMany'>;
  readonly outbound: Pick<Outbound, 'checkUrl' | 'post'>;
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: Partial<PushTiming> | undefined;
}

/** The message that the service worker reads (web/service-worker.js). */
interface PaidMessage {
  readonly type: 'paid';
  readonly msat: number;
  readonly wallet: string;
  readonly name: string;
  readonly transaction: string;
  readonly language: string;
}

/** A push service keeps a message for an offline browser for this time. Older payments are not reported. */
const REPORTED_MS = 24 * 3600 * 1000;
/** The interval at which payments booked by other instances, and the first subscription, are looked for. */
const POLL_MS = 1000;
/** The position is stored at least once per this number of events, so that a start rereads few of them. */
const STORED_EVERY = 10_000;
const FACT = 'push_position';
/** Booked payments. Transfers between wallets of the account, held payments and imported balances have other events, or none. */
const RECEIPTS: ReadonlySet<EventType> = new Set(['wallet_receive']);

/** Notifies the browsers of accounts when their wallets are paid (Push API, RFC 8030). */
export class Push {
  readonly subscriptions: Subscriptions;
  /** The key of the service with which browsers subscribe. */
  readonly publicKey: string;
  readonly #deps: PushDependencies;
  readonly #vapid: ReturnType<typeof createVapid>;
  /** As stored; undefined: not read yet. */
  #stored: string | undefined;
  #position = START;
  #queue: PushQueue;

  constructor(deps: PushDependencies) {
    this.#deps = deps;
    this.subscriptions = createSubscriptions(deps);
    // Push services require an https URL.
    this.#vapid = createVapid(deps.secretKey, deps.publicUrl.replace(/^http:/, 'https:'));
    this.publicKey = this.#vapid.publicKey;
    this.#queue = this.#newQueue();
  }

  #newQueue(): PushQueue {
    return new PushQueue({ ...this.#deps, subscriptions: this.subscriptions, vapid: this.#vapid });
  }

  async #endQueue(): Promise<void> {
    const queue = this.#queue;
    this.#queue = this.#newQueue();
    await queue.stop();
  }

  /** Sends notifications until the signal aborts. One instance does it at a time. Without subscriptions, no event is read. */
  async run(signal: AbortSignal): Promise<void> {
    const { database } = this.#deps;
    this.#stored = undefined;
    try {
      do {
        const first = (await database.first(sql.firstAfter))?.position ?? null;
        if (first !== null) await this.#follow(first, signal);
      } while (!(await pause(POLL_MS, signal)));
    } finally {
      // After a failure of the database, this runs again.
      if (signal.aborted) await this.#endQueue();
    }
  }

  /** Queues the notifications of payments until the signal aborts or no subscription is left. @param first the position after which they begin */
  async #follow(first: number, signal: AbortSignal): Promise<void> {
    if (this.#stored === undefined) await this.#readPosition(first);
    const noneLeft = new AbortController();
    await followLog(this.#deps, {
      name: 'browsers could not be notified of payments; they are notified later',
      after: Math.max(this.#position, first),
      types: RECEIPTS,
      signal: AbortSignal.any([signal, noneLeft.signal]),
      pollMs: POLL_MS,
      handle: async ({ events, next }) => {
        const earliest = (await this.#deps.database.first(sql.firstAfter))?.position ?? null;
        if (earliest === null) noneLeft.abort();
        else await this.#queueNotifications(events, next, earliest);
      },
    });
  }

  /** Queues the notifications of the next payments. */
  async #queueNotifications(events: readonly LoggedEvent[], next: number, earliest: number): Promise<void> {
    if (this.#stored === undefined) await this.#readPosition(earliest);
    const notifications = await this.#notificationsOf(events.filter(({ position }) => position > this.#position));
    if (notifications.length === 0 && next - Number(this.#stored) < STORED_EVERY) this.#position = Math.max(this.#position, next);
    // The position is stored before the notifications are sent, so none is sent twice.
    else if (await this.#storePosition(next)) for (const one of notifications) this.#queue.add(one);
  }

  async #readPosition(first: number): Promise<void> {
    const { database } = this.#deps;
    const read = () => database.first(readFact, FACT);
    if (!(await read())) await database.transaction((tx) => tx.run(writeOnce, FACT, String(first)));
    this.#stored = (await read())?.value ?? String(first);
    this.#position = Number(this.#stored);
  }

  /** Stores the position. Returns false if another instance has moved it in the meantime. */
  async #storePosition(next: number): Promise<boolean> {
    const stored = this.#stored ?? '';
    const isTaken = (await this.#deps.database.transaction((tx) => tx.run(sql.advance, FACT, String(next), stored))) > 0;
    this.#stored = isTaken ? String(next) : undefined;
    this.#position = next;
    return isTaken;
  }

  async #notificationsOf(events: readonly LoggedEvent[]): Promise<PaidNotification[]> {
    const oldestMs = this.#deps.clock.nowMs() - REPORTED_MS;
    const recent = events.filter(({ createdAtMs }) => createdAtMs > oldestMs);
    if (recent.length === 0) return [];
    const subscriptions = await this.subscriptions.listValid([...new Set(recent.map(({ accountId }) => accountId))]);
    const ofAccount = Map.groupBy(subscriptions, (row) => row.account_id);
    const reported = recent.filter(({ accountId }) => ofAccount.has(accountId));
    const found = await this.#deps.history.findMany(reported.map(({ subject }) => subject));
    const transactions = new Map(found.map((transaction) => [transaction.id, transaction]));
    const notifications: PaidNotification[] = [];
    for (const event of reported) {
      const transaction = transactions.get(event.subject);
      if (!transaction) continue;
      const rows = (ofAccount.get(event.accountId) ?? []).filter((row) => row.after_position < event.position);
      notifications.push(...rows.map((row) => notificationOf(row, event, transaction)));
    }
    return notifications;
  }
}

function notificationOf(row: SubscriptionRow, event: LoggedEvent, { id, num_msat, wal }: RenderedTransaction): PaidNotification {
  const { accountId, createdAtMs } = event;
  const message: PaidMessage = {
    type: 'paid',
    msat: num_msat,
    wallet: wal.id,
    name: wal.user_label.slice(0, 100).toWellFormed(),
    transaction: id,
    language: row.language,
  };
  return { subscriptionId: row.id, accountId, text: JSON.stringify(message), expiresAtMs: createdAtMs + REPORTED_MS };
}
