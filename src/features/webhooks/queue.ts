import type { Database } from '../../core/db/database.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import type { DeliveryRow } from './deliveries.sql.ts';
import * as sql from './deliveries.sql.ts';
import { firstRow, rowAfterAttempt, rowWith, testEvent } from './delivery-rows.ts';
import { type Fresh, Lane, type LoadedRow } from './lane.ts';
import type { PlacedEvent, PlacedLog } from './log-place.ts';
import { comparePlaces, cursorAt, type LogPlace } from './log-place.ts';
import type { Progressing, Results } from './results.ts';
import { FAILURES_OF_OUTAGE, hasFailedTooLong } from './retry.ts';
import type { Sender } from './sender.ts';
import { type DeliveryAttempt, isWanted, type Webhook } from './webhook.ts';

/** Renders events as the API shows them, in the same order. */
export type RenderEvents = (events: readonly PlacedEvent[]) => Promise<readonly object[]>;

export interface WebhookQueueDependencies {
  readonly database: Database;
  readonly eventLog: Pick<PlacedLog, 'findMany'>;
  readonly renderEvents: RenderEvents;
  readonly sender: Sender;
  readonly results: Results;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts an attempt, for metrics. */
  readonly count: (outcome: 'delivered' | 'failed' | 'dead') => void;
}

/** The most concurrent deliveries to one endpoint; an endpoint that is down gets one at a time. */
const MAX_RUNNING = 8;
/** How many events are held in memory that were not delivered and have no row. */
const MAX_FRESH = 1000;
/** How many rows may wait. Then the cursor waits. */
const MAX_WAITING = 10_000;
/** How many events are rendered, and how many waiting deliveries of a lane are read, at once. */
const RENDERED_AT_ONCE = 50;
/** The wait after something that was not the receiver's fault. */
const STALL_MS = 500;
/** HTTP 410 Gone: the receiver wants nothing more. */
const GONE = 410;

/**
 * The deliveries to one endpoint, while this instance holds its lease. Events of one wallet are a lane: they are sent one after the other, and one
 * that fails holds back the later ones, which then wait as rows. Lanes do not wait for each other.
 */
export class WebhookQueue implements Progressing {
  webhook: Webhook;
  health: Pick<Webhook, 'lastSuccessAt' | 'failingSince' | 'failures'>;
  /** The place up to which events of the log were offered. Undefined while it follows the reader that all endpoints share. */
  ownPlace: LogPlace | undefined;
  /** How many deliveries are running. */
  running = 0;
  isStopped = false;
  readonly #deps: WebhookQueueDependencies;
  readonly #sharedPlace: () => LogPlace;
  readonly #lanes = new Map<string, Lane>();
  readonly #ready: Lane[] = [];
  readonly #life = new AbortController();
  /** Events without a row, and later ones, in the order of the log. */
  #unrecorded: Fresh[] = [];
  #known = new Set<string>();
  #waitingRows = 0;
  #nextDueMs = Number.POSITIVE_INFINITY;
  #stalledUntil = 0;

  private constructor(deps: WebhookQueueDependencies, webhook: Webhook, sharedPlace: () => LogPlace) {
    this.#deps = deps;
    this.#sharedPlace = sharedPlace;
    this.webhook = webhook;
    this.ownPlace = webhook.cursor;
    const { lastSuccessAt, failingSince, failures } = webhook;
    this.health = { lastSuccessAt, failingSince, failures };
  }

  /** Reads the deliveries of a webhook that wait. */
  static async open(deps: WebhookQueueDependencies, webhook: Webhook, sharedPlace: () => LogPlace): Promise<WebhookQueue> {
    const queue = new WebhookQueue(deps, webhook, sharedPlace);
    const { position, rank } = webhook.cursor;
    const after = cursorAt({ position, rank: Math.max(rank, 0) });
    const [lanes, known] = await Promise.all([
      deps.database.all(sql.waitingLanes, webhook.id),
      deps.database.all(sql.knownEvents, webhook.id, after, 2 * MAX_FRESH + MAX_WAITING),
    ]);
    for (const { lane, due_at_ms, n } of lanes) {
      queue.addWaiting(lane, due_at_ms ?? 0);
      queue.#waitingRows += n;
    }
    queue.#known = new Set(known.map(({ event_id }) => event_id));
    return queue;
  }

  get place(): LogPlace {
    return this.ownPlace ?? this.#sharedPlace();
  }

  get cursor(): LogPlace {
    const first = this.#unrecorded.findIndex(({ isRecorded }) => !isRecorded);
    this.#unrecorded = first < 0 ? [] : this.#unrecorded.slice(first);
    const place = this.#unrecorded[0]?.event.place;
    return place ? { position: place.position - 1, rank: 0 } : this.place;
  }

  get needsEvents(): boolean {
    return !this.isStopped && this.#unrecorded.length < MAX_FRESH / 4;
  }

  get isFull(): boolean {
    return this.#unrecorded.length >= MAX_FRESH;
  }

  get mayAddRows(): boolean {
    return !this.isStopped && this.#waitingRows < MAX_WAITING / 2;
  }

  get isDown(): boolean {
    return this.health.failures >= FAILURES_OF_OUTAGE;
  }

  get nextDueMs(): number {
    return this.#nextDueMs;
  }

  /** Takes an event of the account. Others, and those that have a row, are ignored. */
  offer(event: PlacedEvent): void {
    if (!isWanted(this.webhook, event) || this.#known.delete(event.id)) return;
    const fresh: Fresh = { event, body: undefined, isRecorded: false };
    this.#unrecorded.push(fresh);
    const lane = this.#lane(event.walletId ?? '');
    lane.fresh.push(fresh);
    this.#park(lane);
    this.#makeReady(lane);
  }

  /** Adds a lane with a waiting delivery. */
  addWaiting(key: string, dueMs: number): void {
    const lane = this.#lane(key);
    if (lane.dueMs !== undefined) return;
    this.#wait(lane, dueMs);
    this.#makeReady(lane);
  }

  /** Adds rows that were inserted for a lane. */
  addRows(key: string, count: number): void {
    this.#waitingRows += count;
    this.#lane(key).addedSinceLoad += count;
    this.addWaiting(key, 0);
  }

  /** Adds the lanes whose next attempt is due. */
  checkDue(): void {
    const now = this.#deps.clock.nowMs();
    if (now < this.#nextDueMs) return;
    this.#nextDueMs = Number.POSITIVE_INFINITY;
    for (const lane of this.#lanes.values()) {
      if (lane.dueMs === undefined) continue;
      if (lane.dueMs > now) this.#nextDueMs = Math.min(this.#nextDueMs, lane.dueMs);
      else this.#makeReady(lane);
    }
  }

  /** Whether a delivery can begin. */
  get isReady(): boolean {
    const limit = this.isDown ? 1 : MAX_RUNNING;
    return !this.isStopped && this.#ready.length > 0 && this.running < limit && performance.now() >= this.#stalledUntil;
  }

  get stalledUntil(): number {
    return this.#stalledUntil;
  }

  /** Makes one delivery. Never throws. */
  async deliverOne(): Promise<void> {
    const lane = this.#ready.shift();
    if (!lane) return;
    lane.isReady = false;
    lane.isRunning = true;
    this.running += 1;
    try {
      if (lane.dueMs === undefined) await this.#deliverFresh(lane);
      else await this.#deliverRow(lane);
    } catch (error) {
      this.#stall();
      this.#deps.log.warn({ webhook: this.webhook.id, reason: errorMessage(error) }, 'a webhook delivery was interrupted; it begins again');
    } finally {
      lane.isRunning = false;
      this.running -= 1;
      this.#makeReady(lane);
      if (lane.isEmpty) this.#lanes.delete(lane.key);
    }
  }

  /** Begins no more deliveries. */
  stop(): void {
    this.isStopped = true;
  }

  /** Ends the running deliveries; their events are delivered again. */
  abort(): void {
    this.isStopped = true;
    this.#life.abort();
  }

  #lane(key: string): Lane {
    const known = this.#lanes.get(key);
    if (known) return known;
    const lane = new Lane(key);
    this.#lanes.set(key, lane);
    return lane;
  }

  #makeReady(lane: Lane): void {
    if (lane.isRunning || lane.isReady) return;
    const isDue = lane.dueMs === undefined ? lane.fresh.length > 0 : lane.dueMs <= this.#deps.clock.nowMs();
    if (!isDue) return;
    lane.isReady = true;
    this.#ready.push(lane);
  }

  #wait(lane: Lane, dueMs: number): void {
    lane.dueMs = dueMs;
    this.#nextDueMs = Math.min(this.#nextDueMs, dueMs);
  }

  #stall(): void {
    this.#stalledUntil = performance.now() + STALL_MS;
  }

  /** Stores the events of a lane that wait for an earlier one as rows. */
  #park(lane: Lane): void {
    while (lane.dueMs !== undefined && this.#waitingRows < MAX_WAITING) {
      const fresh = lane.fresh.shift();
      if (!fresh) return;
      this.#insert(fresh, firstRow(this.webhook.id, fresh.event, this.#deps.clock.nowMs()));
      lane.addedSinceLoad += 1;
    }
  }

  #insert(fresh: Fresh, row: DeliveryRow): void {
    fresh.isRecorded = true;
    if (row.ended_at_ms === null) this.#waitingRows += 1;
    this.#deps.results.insert(this, row);
  }

  async #deliverFresh(lane: Lane): Promise<void> {
    const [fresh] = lane.fresh;
    if (!fresh) return;
    const { event } = fresh;
    fresh.body ??= this.#renderWithNext(fresh);
    const body = await fresh.body;
    const { clock } = this.#deps;
    const attempt = await this.#send({ eventId: event.id, eventType: event.type, body });
    if (!attempt) return;
    lane.fresh.shift();
    const row = rowAfterAttempt(firstRow(this.webhook.id, event, clock.nowMs()), attempt, clock.nowMs(), this.#isFinal(attempt));
    this.#insert(fresh, row);
    if (row.due_at_ms !== null) {
      this.#wait(lane, row.due_at_ms);
      lane.addedSinceLoad += 1;
      this.#park(lane);
    }
    this.#conclude(row, attempt);
  }

  async #deliverRow(lane: Lane): Promise<void> {
    if (lane.rows.length === 0 && !(await this.#load(lane))) return;
    const [loaded] = lane.rows;
    if (!loaded) return;
    const { row, body } = loaded;
    const { clock, results } = this.#deps;
    if (body === undefined) {
      this.#endRow(lane);
      results.update(this, rowWith(row, { state: 'cancelled', due_at_ms: null, ended_at_ms: clock.nowMs() }));
      return;
    }
    const attempt = await this.#send({ eventId: row.event_id, eventType: row.event_type, body });
    if (!attempt) return;
    const after = rowAfterAttempt(row, attempt, clock.nowMs(), this.#isFinal(attempt));
    results.update(this, after);
    if (after.due_at_ms === null) this.#endRow(lane);
    else {
      lane.rows = [];
      lane.addedSinceLoad += 1;
      this.#wait(lane, after.due_at_ms);
    }
    this.#conclude(after, attempt);
  }

  #endRow(lane: Lane): void {
    lane.rows.shift();
    this.#waitingRows -= 1;
    // Otherwise the rows are read again, after the results were written.
    if (lane.rows.length === 0 && lane.hasAllRows && lane.addedSinceLoad === 0) lane.dueMs = undefined;
  }

  #isFinal({ status }: DeliveryAttempt): boolean {
    return status === GONE;
  }

  /** Reads the next waiting rows of a lane. @returns false if there are none: then its later events are sent directly again */
  async #load(lane: Lane): Promise<boolean> {
    const { database, eventLog, results } = this.#deps;
    lane.addedSinceLoad = 0;
    await results.flush();
    const rows = await database.all(sql.firstOfLane, this.webhook.id, lane.key, RENDERED_AT_ONCE);
    if (rows.length === 0) {
      if (lane.addedSinceLoad === 0) lane.dueMs = undefined;
      return false;
    }
    lane.hasAllRows = rows.length < RENDERED_AT_ONCE;
    const events = await eventLog.findMany(rows.flatMap(({ event_type, event_id }) => (event_type === 'webhook_test' ? [] : event_id)));
    const tests = rows.filter(({ event_type }) => event_type === 'webhook_test').map((row) => testEvent(this.webhook, row));
    const all = [...events, ...tests];
    const bodies = await this.#render(all);
    const bodyOf = new Map(all.map(({ id }, index) => [id, bodies[index]]));
    lane.rows = rows.map((row): LoadedRow => ({ row, body: bodyOf.get(row.event_id) }));
    return true;
  }

  /** Renders an event, and the next ones with it. */
  #renderWithNext(fresh: Fresh): Promise<string> {
    const from = Math.max(this.#unrecorded.indexOf(fresh), 0);
    const others = this.#unrecorded.slice(from + 1, from + 4 * RENDERED_AT_ONCE).filter(({ body, isRecorded }) => !body && !isRecorded);
    const together = [fresh, ...others.slice(0, RENDERED_AT_ONCE - 1)];
    const bodies = this.#render(together.map(({ event }) => event));
    for (const [index, one] of together.entries()) {
      one.body = bodies.then((all) => all[index] ?? '');
      one.body.catch(() => {
        one.body = undefined;
      });
    }
    return fresh.body as Promise<string>;
  }

  async #render(events: readonly PlacedEvent[]): Promise<string[]> {
    return events.length === 0 ? [] : (await this.#deps.renderEvents(events)).map((event) => JSON.stringify(event));
  }

  async #send(event: { eventId: string; eventType: string; body: string }): Promise<DeliveryAttempt | undefined> {
    if (this.isStopped) return undefined;
    const attempt = await this.#deps.sender.send(this.webhook, event, this.#life.signal);
    if (!attempt) this.#stall();
    return attempt;
  }

  #conclude(row: DeliveryRow, attempt: DeliveryAttempt): void {
    const { clock, count } = this.#deps;
    const now = unixSeconds(clock);
    if (attempt.error === null) {
      const wasDown = this.isDown;
      this.health = { lastSuccessAt: now, failingSince: undefined, failures: 0 };
      count('delivered');
      if (wasDown) this.#recover();
      return;
    }
    count(row.state === 'dead' ? 'dead' : 'failed');
    if (attempt.status === GONE) this.#disable('gone');
    // A test is sent once, and says nothing about the time of outages.
    if (this.isStopped || row.event_type === 'webhook_test') return;
    const { lastSuccessAt, failingSince = now, failures } = this.health;
    this.health = { lastSuccessAt, failingSince, failures: failures + 1 };
    if (hasFailedTooLong(failingSince, now)) this.#disable('failing');
  }

  /** After an outage, all deliveries that wait are due at once. */
  #recover(): void {
    this.#deps.results.makeDue(this);
    for (const lane of this.#lanes.values()) {
      if (lane.dueMs === undefined) continue;
      this.#wait(lane, 0);
      this.#makeReady(lane);
    }
  }

  #disable(reason: 'gone' | 'failing'): void {
    this.stop();
    this.#deps.results.disable(this, reason);
  }

  /** Whether an event that the shared reader found was offered before. */
  hasSeen(event: PlacedEvent): boolean {
    return this.ownPlace !== undefined && comparePlaces(event.place, this.ownPlace) <= 0;
  }
}
