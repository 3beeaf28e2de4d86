import type { SqlReader, Tx } from '../../core/db/database.ts';
import { endRetentionPeriod, PERIODS_PER_DAY } from '../../core/db/retention.ts';
import { type RowWrite, writeRows } from '../../core/db/row-write.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { newId } from '../../core/kernel/ids.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import { type Outbound, OutboundError } from '../../core/outbound/outbound.ts';
import { createDeliverer, type Deliverer, type DelivererDependencies, type DeliveryCounts } from './deliverer.ts';
import * as rows from './deliveries.sql.ts';
import { countWaiting, type DeliveryPage, listDeliveries, listDeliveriesOfLightning, MAX_COUNTED } from './delivery-lists.ts';
import { firstRow, rowWith } from './delivery-rows.ts';
import type { PlacedLog } from './log-place.ts';
import { placesOf, type ReplayRange } from './replay-range.ts';
import { newSecret, type StoredSecret } from './secrets.ts';
import { validSecrets } from './sender.ts';
import { type Delivery, toDelivery, toWebhook, type Webhook } from './webhook.ts';
import * as sql from './webhooks.sql.ts';

export type { DeliveryPage } from './delivery-lists.ts';
export type { RenderEvents } from './queue.ts';
export { createSecretBox } from './secrets.ts';
export { DELIVERY_STATES, type Delivery, type Webhook } from './webhook.ts';

/** Writes rows in the transaction that creates an object, such as the outcome of an idempotent request. */
type ExtraRows<T> = (created: T) => readonly RowWrite[];

export interface NewWebhook {
  readonly accountId: string;
  readonly walletId: string | undefined;
  readonly url: string;
  readonly eventTypes: readonly EventType[] | undefined;
  readonly userLabel: string;
}

/** A webhook with its signing secret, which is returned only once. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string;
}

/** Undefined leaves a field unchanged; null for `eventTypes`: all. */
export interface WebhookChanges {
  readonly url?: string | undefined;
  readonly eventTypes?: readonly EventType[] | null | undefined;
  readonly userLabel?: string | undefined;
  readonly status?: 'active' | 'paused' | undefined;
}

export interface Replay {
  /** `whr_…` */
  readonly id: string;
  readonly webhookId: string;
}

/** Endpoints of accounts, to which the service delivers events. All methods throw Refusal `not_found` for a webhook of another account. */
export interface Webhooks {
  list(accountId: string, limit: number, offset: number): Promise<{ webhooks: Webhook[]; total: number }>;
  find(accountId: string, id: string): Promise<Webhook>;
  /** Returns the number of waiting deliveries and of events that were not read yet, at most 10,000. */
  countWaiting(webhook: Webhook): Promise<number>;
  /** @throws Refusal `validation_failed` for the URL, `too_many_webhooks` */
  create(order: NewWebhook, extraRows: ExtraRows<WebhookWithSecret>): Promise<WebhookWithSecret>;
  change(accountId: string, id: string, changes: WebhookChanges): Promise<Webhook>;
  remove(accountId: string, id: string): Promise<Webhook>;
  /** Replaces the signing secret. Both secrets sign for `overlapSeconds`. */
  rotateSecret(accountId: string, id: string, overlapSeconds: number, extraRows: ExtraRows<WebhookWithSecret>): Promise<WebhookWithSecret>;
  /** Creates the delivery of a test event. @throws Refusal `webhook_inactive` */
  test(accountId: string, id: string, extraRows: ExtraRows<Delivery>): Promise<Delivery>;
  /** Delivers a range of events again. @throws Refusal `webhook_inactive`, `validation_failed`, `cursor_expired` */
  replay(accountId: string, id: string, range: ReplayRange, extraRows: ExtraRows<Replay>): Promise<Replay>;
  /** Returns deliveries, newest first, after the one with the id `after`. */
  deliveries(webhook: Webhook, page: DeliveryPage): Promise<Delivery[]>;
  /** Returns the same for the events of an invoice or a payment, to all webhooks of the account. */
  deliveriesOfLightning(accountId: string, lightningId: string, page: Omit<DeliveryPage, 'state'>): Promise<Delivery[]>;
  findDelivery(accountId: string, id: string, deliveryId: string): Promise<Delivery>;
  /** Creates another delivery of the same event, which does not wait for others. @throws Refusal `webhook_inactive` */
  redeliver(accountId: string, id: string, deliveryId: string, extraRows: ExtraRows<Delivery>): Promise<Delivery>;
  /** Delivers until the signal aborts. */
  deliver(signal: AbortSignal): Promise<void>;
  /** Ends a retention period (db/retention.ts). */
  endRetentionPeriod(): Promise<void>;
  stats(): Promise<WebhookStats>;
}

export interface WebhookStats {
  readonly counts: DeliveryCounts;
  /** At most 10,000. */
  readonly waiting: number;
  readonly oldestWaitingSeconds: number;
  readonly disabled: number;
}

export interface WebhookDependencies extends DelivererDependencies {
  readonly eventLog: PlacedLog;
  readonly outbound: Pick<Outbound, 'post' | 'checkUrl'>;
  readonly retentionDays: number;
}

const MAX_WEBHOOKS = 50;
const MAX_REPLAYS = 10;
const MAX_SECRETS = 5;

export function createWebhooks(deps: WebhookDependencies): Webhooks {
  return new StoredWebhooks(deps);
}

class StoredWebhooks implements Webhooks {
  readonly #deps: WebhookDependencies;
  readonly #deliverer: Deliverer;

  constructor(deps: WebhookDependencies) {
    this.#deps = deps;
    this.#deliverer = createDeliverer(deps);
  }

  async list(accountId: string, limit: number, offset: number) {
    const { database } = this.#deps;
    const [found, count] = await Promise.all([
      database.all(sql.listOfAccount, accountId, limit, offset),
      database.first(sql.countOfAccount, accountId),
    ]);
    return { webhooks: found.map(toWebhook), total: count?.n ?? 0 };
  }

  async find(accountId: string, id: string): Promise<Webhook> {
    return read(this.#deps.database, { id, accountId });
  }

  countWaiting(webhook: Webhook): Promise<number> {
    return countWaiting(this.#deps, webhook);
  }

  async create({ accountId, walletId, url, eventTypes, userLabel }: NewWebhook, extraRows: ExtraRows<WebhookWithSecret>) {
    this.#checkUrl(url);
    const { database, eventLog, secretBox, clock } = this.#deps;
    const place = await eventLog.newest();
    const id = `whk_${newId(clock.nowMs())}`;
    const secret = newSecret();
    const created = await database.transaction(async (tx) => {
      await tx.first(sql.lockAccount, accountId);
      const count = await tx.first(sql.countOfAccount, accountId);
      if ((count?.n ?? 0) >= MAX_WEBHOOKS) throw new Refusal('too_many_webhooks');
      const settings = [walletId ?? null, url, eventTypes?.join(' ') ?? null, userLabel, unixSeconds(clock)];
      const secrets = JSON.stringify([secretBox.seal(id, secret)]);
      await tx.run(sql.insertWebhook, id, accountId, ...settings, secrets, secretBox.keyId, place.position, place.rank);
      return withRows(tx, { webhook: await read(tx, { id, accountId }), secret }, extraRows);
    });
    this.#deliverer.wake();
    return created;
  }

  async change(accountId: string, id: string, { url, eventTypes, userLabel, status }: WebhookChanges): Promise<Webhook> {
    if (url !== undefined) this.#checkUrl(url);
    const { clock, alerts } = this.#deps;
    const changed = await this.#changeOne(accountId, id, async (tx, webhook) => {
      const isResumed = status === 'active' && webhook.status !== 'active';
      const types = eventTypes === undefined ? webhook.eventTypes : (eventTypes ?? undefined);
      const after = status ?? webhook.status;
      const reason = after === 'disabled' ? (webhook.disabledReason ?? null) : null;
      const health = isResumed ? [null, 0] : [webhook.failingSince ?? null, webhook.failures];
      const settings = [url ?? webhook.url, types?.join(' ') ?? null, userLabel ?? webhook.userLabel, after, reason];
      await tx.run(sql.updateWebhook, id, ...settings, ...health, unixSeconds(clock));
      if (isResumed) await tx.run(rows.restartRetries, id, clock.nowMs());
      return { webhook: await read(tx, webhook), wasDisabled: webhook.status === 'disabled' && after !== 'disabled' };
    });
    if (changed.wasDisabled) await alerts.clear('webhook_disabled', id);
    return changed.webhook;
  }

  async remove(accountId: string, id: string): Promise<Webhook> {
    const removed = await this.#changeOne(accountId, id, async (tx, webhook) => {
      await tx.run(sql.markDeleted, id);
      return webhook;
    });
    if (removed.status === 'disabled') await this.#deps.alerts.clear('webhook_disabled', id);
    return removed;
  }

  rotateSecret(accountId: string, id: string, overlapSeconds: number, extraRows: ExtraRows<WebhookWithSecret>) {
    const { secretBox, clock } = this.#deps;
    return this.#changeOne(accountId, id, async (tx, webhook) => {
      const now = unixSeconds(clock);
      const secret = newSecret();
      const until = now + overlapSeconds;
      const earlier = webhook.secrets.map((one): StoredSecret => ({ ...one, expiresAt: Math.min(one.expiresAt ?? until, until) }));
      const secrets = validSecrets([secretBox.seal(id, secret), ...earlier], now).slice(0, MAX_SECRETS);
      await tx.run(sql.updateSecrets, id, JSON.stringify(secrets), secretBox.keyId, now);
      return withRows(tx, { webhook: await read(tx, webhook), secret }, extraRows);
    });
  }

  test(accountId: string, id: string, extraRows: ExtraRows<Delivery>): Promise<Delivery> {
    const { clock } = this.#deps;
    return this.#changeOne(accountId, id, async (tx, webhook) => {
      requireActive(webhook);
      const event = { id: `evt_${newId(clock.nowMs())}`, type: 'webhook_test', walletId: undefined, lightningId: undefined } as const;
      return insertSingle(tx, firstRow(id, event, clock.nowMs()), extraRows);
    });
  }

  async replay(accountId: string, id: string, range: ReplayRange, extraRows: ExtraRows<Replay>): Promise<Replay> {
    const { eventLog, clock } = this.#deps;
    await this.find(accountId, id);
    const [after, until] = await placesOf(eventLog, range);
    return this.#changeOne(accountId, id, async (tx, webhook) => {
      requireActive(webhook);
      const count = await tx.first(sql.countReplays, id);
      if ((count?.n ?? 0) >= MAX_REPLAYS)
        throw new Refusal('validation_failed', `The webhook has ${MAX_REPLAYS} replays that are not finished. Wait until one is.`);
      const replay = { id: `whr_${newId(clock.nowMs())}`, webhookId: id };
      const places = [after.position, after.rank, until.position, until.rank];
      await tx.run(sql.insertReplay, replay.id, id, unixSeconds(clock), ...places);
      return withRows(tx, replay, extraRows);
    });
  }

  deliveries({ id }: Webhook, page: DeliveryPage): Promise<Delivery[]> {
    return listDeliveries(this.#deps.database, id, page);
  }

  deliveriesOfLightning(accountId: string, lightningId: string, page: Omit<DeliveryPage, 'state'>): Promise<Delivery[]> {
    return listDeliveriesOfLightning(this.#deps.database, { accountId, lightningId }, page);
  }

  async findDelivery(accountId: string, id: string, deliveryId: string): Promise<Delivery> {
    await this.find(accountId, id);
    const row = await this.#deps.database.first(rows.findDelivery, deliveryId, id);
    if (!row) throw new Refusal('not_found');
    return toDelivery(row);
  }

  redeliver(accountId: string, id: string, deliveryId: string, extraRows: ExtraRows<Delivery>): Promise<Delivery> {
    return this.#changeOne(accountId, id, async (tx, webhook) => {
      const row = await tx.first(rows.findDelivery, deliveryId, id);
      if (!row) throw new Refusal('not_found');
      requireActive(webhook);
      const { event_type, wallet_id, lntx } = row;
      const event = { id: row.event_id, type: event_type as EventType, walletId: wallet_id ?? undefined, lightningId: lntx ?? undefined };
      return insertSingle(tx, firstRow(id, event, this.#deps.clock.nowMs()), extraRows);
    });
  }

  deliver(signal: AbortSignal): Promise<void> {
    return this.#deliverer.run(signal);
  }

  async endRetentionPeriod(): Promise<void> {
    const { database, retentionDays } = this.#deps;
    const { newestPosition, oldestPosition, deleteBelow } = rows;
    const periods = retentionDays * PERIODS_PER_DAY;
    await endRetentionPeriod(database, { name: 'webhook_delivery', periods, newestPosition, oldestPosition, deleteBelow });
  }

  async stats(): Promise<WebhookStats> {
    const { database, clock } = this.#deps;
    const [waiting, oldest, disabled] = await Promise.all([
      database.first(rows.countAllWaiting, MAX_COUNTED),
      database.first(rows.oldestWaiting),
      database.first(sql.countDisabled),
    ]);
    const oldestMs = oldest ? Math.max(0, clock.nowMs() - oldest.created_at_ms) : 0;
    const counts = this.#deliverer.counts();
    return { counts, waiting: waiting?.n ?? 0, oldestWaitingSeconds: oldestMs / 1000, disabled: disabled?.n ?? 0 };
  }

  /** Changes a webhook in a transaction, and lets the deliverer notice. */
  async #changeOne<T>(accountId: string, id: string, work: (tx: Tx, webhook: Webhook) => Promise<T>): Promise<T> {
    const result = await this.#deps.database.transaction(async (tx) => {
      const row = await tx.first(sql.lockWebhook, id, accountId);
      if (!row) throw new Refusal('not_found');
      return work(tx, toWebhook(row));
    });
    this.#deliverer.wake();
    return result;
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

async function read(from: SqlReader, { id, accountId }: Pick<Webhook, 'id' | 'accountId'>): Promise<Webhook> {
  const row = await from.first(sql.findWebhook, id, accountId);
  if (!row) throw new Refusal('not_found');
  return toWebhook(row);
}

/** Inserts a delivery that waits for no other. */
async function insertSingle(tx: Tx, row: rows.DeliveryRow, extraRows: ExtraRows<Delivery>): Promise<Delivery> {
  const due = rowWith(row, { lane: row.id, due_at_ms: row.created_at_ms });
  await tx.run(rows.insertDeliveries, JSON.stringify([due]));
  return withRows(tx, toDelivery(due), extraRows);
}

async function withRows<T>(tx: Tx, created: T, extraRows: ExtraRows<T>): Promise<T> {
  await writeRows(tx, extraRows(created));
  return created;
}

function requireActive({ status, disabledReason }: Webhook): void {
  if (status === 'active') return;
  const why = disabledReason ? `disabled (${disabledReason})` : status;
  throw new Refusal('webhook_inactive', `The webhook is ${why}. Send PATCH with \`status\` active first.`);
}
