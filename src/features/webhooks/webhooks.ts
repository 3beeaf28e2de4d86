import { changeOwnAccount, type Key } from '../../core/accounts/accounts.ts';
import type { Alerts } from '../../core/alerts/alerts.ts';
import type { Database, SqlReader, SqlValue, Tx } from '../../core/db/database.ts';
import { type ListStatements, openList } from '../../core/db/list.ts';
import { endRetentionPeriod, PERIODS_PER_DAY } from '../../core/db/retention.ts';
import { type RowWrite, writeRows } from '../../core/db/row-write.ts';
import { END, type EventLog, type LoggedEvent, START } from '../../core/journal/event-log.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { type List, pageOf } from '../../core/kernel/list.ts';
import type { Log } from '../../core/kernel/log.ts';
import { Refusal, requireFound } from '../../core/kernel/refusal.ts';
import { type Outbound, OutboundError } from '../../core/outbound/outbound.ts';
import { Deliverer, type WebhookTiming } from './deliverer.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import * as lists from './delivery-lists.sql.ts';
import { newSecret, type SecretBox, validSecrets } from './secrets.ts';
import * as upkeep from './upkeep.sql.ts';
import { type DeliveryState, deliveryId, parseDeliveryId } from './webhook-object.ts';
import type { WebhookRow } from './webhooks.sql.ts';
import * as sql from './webhooks.sql.ts';

/** Returns rows to write in the transaction that creates an object, such as the outcome of an idempotent request. */
type ExtraRows<T> = (created: T) => readonly RowWrite[];

type NewWebhook = Pick<WebhookRow, 'wallet_id' | 'url' | 'event_types' | 'user_label'>;

/** A webhook with its signing secret, which is returned only once. */
export interface WebhookWithSecret {
  readonly webhook: WebhookRow;
  readonly secret: string;
}

/** A range of events: those after an event, or those of a time in Unix seconds. */
type ReplayRange = { readonly after: string } | { readonly from: number; readonly to: number };

export interface WebhookDependencies {
  readonly database: Database;
  readonly eventLog: EventLog;
  /** Renders events as the API shows them, in the same order. */
  readonly renderEvents: (events: readonly LoggedEvent[]) => Promise<readonly object[]>;
  readonly instances: { readonly id: string; isDead(id: string): Promise<boolean> };
  readonly alerts: Alerts;
  readonly outbound: Pick<Outbound, 'post' | 'checkUrl'>;
  readonly secretBox: SecretBox;
  /** How long deliveries are kept: as long as events. */
  readonly retentionDays: number;
  readonly timing: Partial<WebhookTiming> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Each inserts a row with every event of the account. */
const MAX_WEBHOOKS = 20;
const MAX_REPLAYS = 10;
const MAX_SECRETS = 5;
/** Larger numbers are not counted. */
const MAX_COUNTED = 10_000;

/**
 * Endpoints of accounts, to which the service delivers events. All methods throw Refusal `not_found` for a webhook of another account. `by` is the
 * requesting key; every change checks it in its transaction, and throws Refusal `unauthorized`.
 */
export class Webhooks {
  readonly #deps: WebhookDependencies;
  readonly #deliverer: Deliverer;

  constructor(deps: WebhookDependencies) {
    this.#deps = deps;
    this.#deliverer = new Deliverer(deps);
  }

  list(accountId: string): List<WebhookRow> {
    const statements = sql.listOfAccount;
    return openList(this.#deps.database, { statements, filters: [accountId], prefix: 'whk' });
  }

  async find(accountId: string, id: string): Promise<WebhookRow> {
    return readWebhook(this.#deps.database, id, accountId);
  }

  /** Returns the number of waiting deliveries, at most 10,000. */
  async countWaiting(id: string): Promise<number> {
    return (await this.#deps.database.first(lists.countWaiting, id, MAX_COUNTED))?.n ?? 0;
  }

  /** @throws Refusal `validation_failed` for the URL, `too_many_webhooks` */
  create(by: Key, { wallet_id, url, event_types, user_label }: NewWebhook, extraRows: ExtraRows<WebhookWithSecret>) {
    this.#checkUrl(url);
    const { secretBox, clock } = this.#deps;
    const id = `whk_${newId(clock.nowMs())}`;
    const secret = newSecret();
    const row = [id, by.accountId, wallet_id, url, event_types, user_label, unixSeconds(clock)];
    return this.#write(by, extraRows, async (tx) => {
      const count = await tx.first(sql.listOfAccount.count, by.accountId, MAX_WEBHOOKS);
      if (count?.n === MAX_WEBHOOKS) throw new Refusal('too_many_webhooks');
      await tx.run(sql.insertWebhook, ...row, JSON.stringify([secretBox.seal(id, secret)]), secretBox.keyId);
      return { webhook: await readWebhook(tx, id, by.accountId), secret };
    });
  }

  async change(by: Key, id: string, changes: Partial<NewWebhook> & { status?: 'active' | 'paused' }): Promise<WebhookRow> {
    if (changes.url !== undefined) this.#checkUrl(changes.url);
    const { eventLog, alerts, clock } = this.#deps;
    const now = unixSeconds(clock);
    let isResumed = false;
    const changed = await this.#changeOne(by, id, noRows, async (tx, webhook) => {
      isResumed = changes.status === 'active' && webhook.status !== 'active';
      const after = { ...webhook, ...changes, ...(isResumed && { failing_since: null, failures: 0, active_since: now }) };
      if (webhook.missed_after !== null && after.status !== 'disabled') {
        // Events that are inserted after the commit have deliveries again.
        const newest = await eventLog.lockNewest(tx);
        if (newest > webhook.missed_after) await this.#insertReplay(tx, id, webhook.missed_after, newest);
        await alerts.clearIn(tx, 'webhook_disabled', id);
      }
      const health = [after.failing_since, after.failures, after.active_since];
      await tx.run(sql.updateWebhook, id, after.url, after.event_types, after.user_label, after.status, ...health, now);
      return readWebhook(tx, id, by.accountId);
    });
    if (isResumed) this.#deliverer.makeDue(id);
    return changed;
  }

  remove(by: Key, id: string): Promise<WebhookRow> {
    return this.#changeOne(by, id, noRows, async (tx, webhook) => {
      await tx.run(sql.markDeleted, id);
      if (webhook.status === 'disabled') await this.#deps.alerts.clearIn(tx, 'webhook_disabled', id);
      return webhook;
    });
  }

  /** Replaces the signing secret. Both secrets sign for `overlapSeconds`. */
  rotateSecret(by: Key, id: string, overlapSeconds: number, extraRows: ExtraRows<WebhookWithSecret>): Promise<WebhookWithSecret> {
    const { secretBox, clock } = this.#deps;
    return this.#changeOne(by, id, extraRows, async (tx, webhook) => {
      const now = unixSeconds(clock);
      const secret = newSecret();
      const until = now + overlapSeconds;
      const earlier = validSecrets(webhook, now).map((one) => ({ ...one, expiresAt: Math.min(one.expiresAt ?? until, until) }));
      const secrets = [secretBox.seal(id, secret), ...earlier.filter(({ expiresAt }) => expiresAt > now)].slice(0, MAX_SECRETS);
      await tx.run(sql.updateSecrets, id, JSON.stringify(secrets), secretBox.keyId, now);
      return { webhook: await readWebhook(tx, id, by.accountId), secret };
    });
  }

  /** Creates the delivery of a test event. @throws Refusal `webhook_inactive` */
  test(by: Key, id: string, extraRows: ExtraRows<DeliveryRow>): Promise<DeliveryRow> {
    const now = this.#deps.clock.nowMs();
    return this.#changeOne(by, id, extraRows, async (tx, webhook) => {
      requireActive(webhook);
      return insertDelivery(tx, [id, 0, now, 'webhook_test', null, null, newId(now), now]);
    });
  }

  /** Creates another delivery of the same event, which does not wait for others. @throws Refusal `webhook_inactive` */
  redeliver(by: Key, id: string, deliveryId: string, extraRows: ExtraRows<DeliveryRow>): Promise<DeliveryRow> {
    const now = this.#deps.clock.nowMs();
    return this.#changeOne(by, id, extraRows, async (tx, webhook) => {
      const { event_position, event_created_at_ms, event_type, wallet_id, lntx } = await readDelivery(tx, id, deliveryId);
      requireActive(webhook);
      return insertDelivery(tx, [id, event_position, event_created_at_ms, event_type, wallet_id, lntx, newId(now), now]);
    });
  }

  /** Delivers a range of events again. @returns the id of the replay. @throws UnknownCursor; Refusal `webhook_inactive`, `validation_failed` */
  async replay(by: Key, id: string, range: ReplayRange, extraRows: ExtraRows<string>): Promise<string> {
    const { eventLog } = this.#deps;
    const after = await ('after' in range ? eventLog.positionOf(range.after) : eventLog.positionAt(range.from * 1000));
    const until = await ('after' in range ? eventLog.newest() : eventLog.positionAt((range.to + 1) * 1000));
    return this.#changeOne(by, id, extraRows, async (tx, webhook) => {
      requireActive(webhook);
      const count = await tx.first(upkeep.countReplays, id);
      if ((count?.n ?? 0) >= MAX_REPLAYS)
        throw new Refusal('validation_failed', `The webhook has ${MAX_REPLAYS} replays that are not finished. Wait until one is.`);
      return this.#insertReplay(tx, id, after, until);
    });
  }

  /** Returns the deliveries of a webhook: those of a state, or all. */
  deliveries(id: string, state: DeliveryState | undefined): List<DeliveryRow> {
    return listOfDeliveries(this.#deps.database, lists.listOfWebhook[state ?? 'all'], [id]);
  }

  /** Returns the deliveries of all webhooks of an account: those of a state, or all. An account has few webhooks, so their lists are merged. */
  deliveriesOfAccount(accountId: string, state: DeliveryState | undefined): List<DeliveryRow> {
    const { database } = this.#deps;
    const readLists = async () => {
      const webhooks = await database.all(sql.listOfAccount.asc, accountId, '', MAX_WEBHOOKS, 0);
      return webhooks.map(({ id }) => this.deliveries(id, state));
    };
    return {
      async readPage(part) {
        const pages = await Promise.all((await readLists()).map((list) => list.readPage(part)));
        const items = pages.flatMap((page) => page.items);
        items.sort((a, b) => (part.order === 'asc' ? a.position - b.position : b.position - a.position));
        const { items: page, next } = pageOf(items, part.limit, deliveryId);
        const last = page.at(-1);
        return { items: page, next: next ?? (last && pages.some((one) => one.next !== undefined) ? deliveryId(last) : undefined) };
      },
      async count(max) {
        const counts = await Promise.all((await readLists()).map((list) => list.count(max)));
        return Math.min(
          max,
          counts.reduce<number>((sum, count) => sum + Number(count), 0),
        );
      },
    };
  }

  /** Returns the deliveries of the events of an invoice or a payment, to all webhooks of the account. */
  deliveriesOfLightning(accountId: string, lightningId: string): List<DeliveryRow> {
    return listOfDeliveries(this.#deps.database, lists.listOfLightning, [lightningId, accountId]);
  }

  async findDelivery(accountId: string, id: string, deliveryId: string): Promise<DeliveryRow> {
    await this.find(accountId, id);
    return readDelivery(this.#deps.database, id, deliveryId);
  }

  /** Delivers until the signal aborts. */
  deliver(signal: AbortSignal): Promise<void> {
    return this.#deliverer.run(signal);
  }

  /** Ends a retention period (db/retention.ts). */
  async endRetentionPeriod(): Promise<void> {
    const { database, retentionDays } = this.#deps;
    const periods = retentionDays * PERIODS_PER_DAY;
    await endRetentionPeriod(database, { table: 'webhook_delivery', periods, expiring: upkeep.EXPIRING });
  }

  /** Returns figures for metrics: the attempts of this process by outcome, and deliveries that wait, at most 10,000. */
  async stats() {
    const { database, clock } = this.#deps;
    const [waiting, disabled] = await Promise.all([database.first(lists.readWaiting, MAX_COUNTED), database.first(sql.countDisabled)]);
    const oldestWaitingSeconds = Math.max(0, clock.nowMs() - (waiting?.oldest ?? clock.nowMs())) / 1000;
    return { counts: this.#deliverer.counts, waiting: waiting?.n ?? 0, oldestWaitingSeconds, disabled: disabled?.n ?? 0 };
  }

  /** Calls a function with the seconds from a delivery's creation to its first attempt by this process. */
  onFirstAttempt(listener: (seconds: number) => void): void {
    this.#deliverer.onFirstAttempt(listener);
  }

  async #insertReplay(tx: Tx, id: string, after: number, until: number): Promise<string> {
    const { clock } = this.#deps;
    const replayId = `whr_${newId(clock.nowMs())}`;
    await tx.run(upkeep.insertReplay, replayId, id, unixSeconds(clock), after, until);
    return replayId;
  }

  /** Changes a webhook, which is locked. */
  #changeOne<T>(by: Key, id: string, extraRows: ExtraRows<T>, change: (tx: Tx, webhook: WebhookRow) => Promise<T>): Promise<T> {
    return this.#write(by, extraRows, async (tx) => change(tx, requireFound(await tx.first(sql.lockWebhook, id, by.accountId))));
  }

  /** Runs a transaction, and lets the deliverer notice. */
  async #write<T>(by: Key, extraRows: ExtraRows<T>, work: (tx: Tx) => Promise<T>): Promise<T> {
    const made = await changeOwnAccount(this.#deps.database, by, async (tx) => {
      const result = await work(tx);
      await writeRows(tx, extraRows(result));
      return result;
    });
    this.#deliverer.wake();
    return made;
  }

  #checkUrl(url: string): void {
    try {
      this.#deps.outbound.checkUrl(url);
    } catch (error) {
      if (error instanceof OutboundError) throw new Refusal('validation_failed', `\`url\`: ${error.message}`);
      throw error;
    }
  }
}

async function readWebhook(from: SqlReader, id: string, accountId: string): Promise<WebhookRow> {
  return requireFound(await from.first(sql.findWebhook, id, accountId));
}

async function readDelivery(from: SqlReader, id: string, given: string): Promise<DeliveryRow> {
  const parsed = parseDeliveryId(given);
  const row = parsed && (await from.first(lists.findDelivery, parsed.position, parsed.createdAtMs));
  if (row?.webhook_id !== id) throw new Refusal('not_found');
  return row;
}

function listOfDeliveries(queries: SqlReader, statements: ListStatements<DeliveryRow>, filters: readonly SqlValue[]): List<DeliveryRow> {
  return {
    async readPage({ limit, order, after }) {
      const cursor = after === undefined ? undefined : parseDeliveryId(after);
      if (after !== undefined && !cursor)
        throw new Refusal('validation_failed', '`after` must be the id of an item of this list, `whd_…`.');
      const position = cursor?.position ?? (order === 'asc' ? START : END);
      return pageOf(await queries.all(statements[order], ...filters, position, limit + 1, 0), limit, deliveryId);
    },
    count: async (max) => (await queries.first(statements.count, ...filters, max))?.n ?? 0,
  };
}

async function insertDelivery(tx: Tx, values: readonly SqlValue[]): Promise<DeliveryRow> {
  const row = await tx.first(upkeep.insertDelivery, ...values);
  invariant(row, 'the delivery is inserted');
  return row;
}

function noRows(): [] {
  return [];
}

function requireActive({ status, disabled_reason }: WebhookRow): void {
  if (status === 'active') return;
  const why = disabled_reason ? `disabled (${disabled_reason})` : status;
  throw new Refusal('webhook_inactive', `The webhook is ${why}. Send PATCH with \`status\` active first.`);
}
