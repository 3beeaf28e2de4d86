import { hash } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import type { Database, SqlValue } from '../../src/core/db/database.ts';
import { CommitUnknown, StatementFailed } from '../../src/core/db/errors.ts';
import { statement } from '../../src/core/db/statement.ts';
import { createEventLog, eventId } from '../../src/core/journal/event-log.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import type { Log } from '../../src/core/kernel/log.ts';
import type { Outbound } from '../../src/core/outbound/outbound.ts';
import type { DeliveryRow } from '../../src/features/webhooks/deliveries.sql.ts';
import { type Result, storeResults as store } from '../../src/features/webhooks/deliveries.ts';
import { createSecretBox, newSecret } from '../../src/features/webhooks/secrets.ts';
import { insertWebhook, type WebhookRow } from '../../src/features/webhooks/webhooks.sql.ts';
import { type WebhookDependencies, Webhooks } from '../../src/features/webhooks/webhooks.ts';
import { silentLog } from '../support/ledger.ts';
import { modulesOn } from '../support/modules.ts';

/*
 * Webhooks on a database of the `ledger` harness, without HTTP. Events are inserted into the table of events, whose trigger inserts deliveries:
 *
 *   const world = await worldOn(await open());
 *   const id = await world.addWebhook();
 *   await world.insertEvents(1, { walletId: world.wallets[0] });
 *   world.start({ post: async () => ({ status: 200, text: 'ok' }) });
 *   await expect.poll(() => world.states(id)).toEqual(['delivered']);
 */

export const KEY = createSecretBox(new Uint8Array(32));

/** Short waits. */
export const QUICK = { refreshMs: 10, pollMs: 3, flushMs: 3, timeoutMs: 1000 };

const insertEvent = statement<{ position: number }>(
  'test_insert_event',
  'INSERT INTO event (created_at_ms, type, account_id, wallet_id, subject, lntx) VALUES ($1, $2, $3, $4, $5, $6) RETURNING position',
);
const readDeliveries = statement<DeliveryRow & { claimed_by: string | null }>(
  'test_read_deliveries',
  'SELECT * FROM webhook_delivery WHERE webhook_id = $1 ORDER BY position',
);
const readWebhook = statement<WebhookRow>('test_read_webhook', 'SELECT * FROM webhook WHERE id = $1');

interface Event {
  readonly walletId: string | null;
  readonly type: string;
  readonly lntx: string | null;
}

interface WebhookFields {
  readonly walletId: string | null;
  readonly eventTypes: string | null;
  readonly keyId: string;
}

type Post = Outbound['post'];

interface InstanceOptions {
  readonly post: Post;
  readonly log?: Log;
  readonly renderEvents?: WebhookDependencies['renderEvents'];
}

const renderIds: WebhookDependencies['renderEvents'] = async (events) => events.map(({ id }) => ({ id }));

/** The service's part that delivers, as a process of its own: `kill` ends it without a trace. */
export class Instance {
  readonly id = `ins_${newId()}`;
  readonly webhooks: Webhooks;
  isKilled = false;
  /** The next transaction fails: before it begins, or after its commit. */
  fault: 'before' | 'after' | undefined;
  readonly #life = new AbortController();
  readonly #ended: Promise<void>;
  #onCommit = (): void => undefined;

  constructor(world: World, { post, log = silentLog, renderEvents = renderIds }: InstanceOptions) {
    const clock = { nowMs: () => Date.now() + world.passedMs };
    const transaction: Database['transaction'] = (work) =>
      this.#transaction(world.database, work).finally(() => this.#onCommit()) as ReturnType<typeof work>;
    // An instance notices its own commits only.
    const onCommit: Database['onCommit'] = (listener) => {
      this.#onCommit = listener;
      return () => undefined;
    };
    const database = { ...world.database, transaction, onCommit };
    const sendUnlessKilled: Post = async (...request) => {
      if (this.isKilled) return new Promise(() => undefined);
      const response = await post(...request);
      return this.isKilled ? new Promise(() => undefined) : response;
    };
    this.webhooks = new Webhooks({
      database,
      clock,
      log,
      secretBox: KEY,
      retentionDays: 1,
      alerts: createAlerts(database, clock, silentLog),
      eventLog: createEventLog(database, 1),
      renderEvents,
      instances: { id: this.id, isDead: async (id) => world.ended.has(id) },
      outbound: { checkUrl: () => undefined, post: sendUnlessKilled },
      timing: QUICK,
    });
    this.#ended = this.webhooks.deliver(this.#life.signal).then(() => void world.ended.add(this.id));
  }

  async #transaction<T>(shared: Database, work: Parameters<Database['transaction']>[0]): Promise<T> {
    const { fault } = this;
    this.fault = undefined;
    if (this.isKilled || fault === 'before') throw new StatementFailed('the test breaks the transaction', 'broken');
    const result = await shared.transaction(work);
    if (this.isKilled || fault === 'after') throw new CommitUnknown();
    return result as T;
  }

  kill(): void {
    this.isKilled = true;
    this.#life.abort();
  }

  async stop(): Promise<void> {
    this.#life.abort();
    await this.#ended;
  }
}

/** An account with two wallets, and its webhooks. */
export class World {
  readonly database: Database;
  readonly accountId: string;
  readonly wallets: readonly [string, string];
  /** The instances that have ended. */
  readonly ended = new Set<string>();
  /** By how much the clock is ahead. */
  passedMs = 0;

  constructor(database: Database, accountId: string, wallets: readonly [string, string]) {
    this.database = database;
    this.accountId = accountId;
    this.wallets = wallets;
  }

  /** Starts an instance. It is stopped after the test, if the test does not do so. */
  start(options: InstanceOptions): Instance {
    const instance = new Instance(this, options);
    onTestFinished(() => (instance.isKilled ? undefined : instance.stop()));
    return instance;
  }

  async addWebhook({ walletId = null, eventTypes = null, keyId = KEY.keyId }: Partial<WebhookFields> = {}): Promise<string> {
    const id = `whk_${newId()}`;
    const secrets = JSON.stringify([KEY.seal(id, newSecret())]);
    const settings = [walletId, `https://shop.example/${id}`, eventTypes, '', Math.floor(Date.now() / 1000)];
    await this.database.transaction((tx) => tx.run(insertWebhook, id, this.accountId, ...settings, secrets, keyId));
    return id;
  }

  /** Inserts events in one transaction, and returns their ids. */
  async insertEvents(count: number, { walletId = null, type = 'wallet_updated', lntx = null }: Partial<Event> = {}): Promise<string[]> {
    const now = Date.now();
    return this.database.transaction(async (tx) => {
      const ids: string[] = [];
      for (let i = 0; i < count; i++) {
        const row = await tx.first(insertEvent, now, type, this.accountId, walletId, 'subject', lntx);
        ids.push(eventId(row?.position ?? 0, now));
      }
      return ids;
    });
  }

  async deliveries(webhookId: string) {
    return this.database.all(readDeliveries, webhookId);
  }

  async states(webhookId: string): Promise<string[]> {
    return (await this.deliveries(webhookId)).map(({ state }) => state);
  }

  async webhook(id: string): Promise<WebhookRow> {
    return (await this.database.first(readWebhook, id)) as WebhookRow;
  }

  /** Changes the database without the service. */
  async execute(sql: string, ...parameters: SqlValue[]): Promise<void> {
    await this.database.transaction((tx) => tx.run(statement(`test_execute_${hash('sha256', sql).slice(0, 20)}`, sql), ...parameters));
  }
}

/** Returns what an instance of the world claims deliveries with. */
export function claimer({ passedMs }: World, id: string): WebhookDependencies {
  return { instances: { id }, secretBox: KEY, clock: { nowMs: () => Date.now() + passedMs } } as WebhookDependencies;
}

/** Stores results as an instance does. @returns whether a webhook was disabled */
export function storeResults({ database }: World, results: readonly Result[], instanceId = 'ins_a'): Promise<boolean> {
  const alerts = createAlerts(database, systemClock, silentLog);
  const deps = { instances: { id: instanceId }, alerts, clock: systemClock } as WebhookDependencies;
  return database.transaction((tx) => store(tx, deps, results));
}

export async function worldOn(database: Database): Promise<World> {
  const { wallet } = await modulesOn(database);
  const [a, b] = [await wallet(0), await wallet(0)];
  return new World(database, a.accountId, [a.id, b.id]);
}
