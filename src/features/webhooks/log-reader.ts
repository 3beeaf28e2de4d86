import type { Log } from '../../core/kernel/log.ts';
import { comparePlaces, type LogPlace, type PlacedEvent, type PlacedLog, type PlacedPart, START, UnknownCursor } from './log-place.ts';
import type { WebhookQueue } from './queue.ts';

/** How many events one read returns. */
const PART = 1000;

/**
 * Reads the event log for all endpoints of this instance. Endpoints at its end share one reader. One that is behind, or has as many events as it may
 * hold, reads for itself when it needs events, until it reaches the end.
 */
export class LogReader {
  readonly #eventLog: Pick<PlacedLog, 'read' | 'oldest'>;
  readonly #log: Log;
  readonly #followers = new Map<string, Set<WebhookQueue>>();
  /** Followers that have seen more of the log than the shared reader. */
  readonly #ahead = new Set<WebhookQueue>();
  #place: LogPlace = START;
  #count = 0;

  constructor(eventLog: Pick<PlacedLog, 'read' | 'oldest'>, log: Log) {
    this.#eventLog = eventLog;
    this.#log = log;
  }

  /** The place up to which the shared reader has read. */
  get place(): LogPlace {
    return this.#place;
  }

  remove(queue: WebhookQueue): void {
    const followers = this.#followers.get(queue.webhook.accountId);
    if (!followers?.has(queue)) return;
    queue.ownPlace ??= this.#place;
    this.#ahead.delete(queue);
    followers.delete(queue);
    this.#count -= 1;
    if (followers.size === 0) this.#followers.delete(queue.webhook.accountId);
  }

  /** Reads new events for the endpoints at the end of the log. @returns whether there may be more */
  async readNew(): Promise<boolean> {
    if (this.#count === 0) return false;
    const part = await this.#eventLog.read({ scope: 'all' }, this.#place, PART).catch((error) => this.#skipExpired(error));
    for (const event of part.events) this.#dispatch(event);
    this.#place = part.upTo;
    for (const queue of this.#ahead) {
      if (queue.ownPlace && comparePlaces(part.upTo, queue.ownPlace) < 0) continue;
      queue.ownPlace = undefined;
      this.#ahead.delete(queue);
    }
    return !part.isEnd;
  }

  #dispatch(event: PlacedEvent): void {
    for (const queue of this.#followers.get(event.accountId) ?? []) {
      if (queue.hasSeen(event)) continue;
      if (queue.isFull) {
        this.remove(queue);
        queue.ownPlace = { position: event.place.position, rank: event.place.rank - 1 };
      } else queue.offer(event);
    }
  }

  /** Reads events for an endpoint that is behind and needs some. @returns whether it has read */
  async readFor(queue: WebhookQueue): Promise<boolean> {
    const isFollower = this.#followers.get(queue.webhook.accountId)?.has(queue) ?? false;
    if (isFollower || !queue.needsEvents) return false;
    const { id, accountId } = queue.webhook;
    const scope = { accountId };
    const part = await this.#eventLog.read({ scope }, queue.place, PART).catch((error) => this.#skipExpired(error, id));
    if (queue.isStopped) return false;
    for (const event of part.events) queue.offer(event);
    queue.ownPlace = part.upTo;
    if (part.isEnd) this.#follow(queue);
    return true;
  }

  /** Returns a part without events that ends before the oldest event. @throws errors other than UnknownCursor */
  async #skipExpired(error: unknown, webhook?: string): Promise<PlacedPart> {
    if (!(error instanceof UnknownCursor)) throw error;
    this.#log.warn({ webhook }, 'events may have expired before they were read for webhooks; reading continues with the oldest event');
    return { events: [], upTo: await this.#eventLog.oldest(), isEnd: false };
  }

  #follow(queue: WebhookQueue): void {
    const { ownPlace } = queue;
    if (!ownPlace) return;
    if (this.#count === 0) this.#place = ownPlace;
    // Otherwise it reads once more.
    if (comparePlaces(ownPlace, this.#place) < 0) return;
    const { accountId } = queue.webhook;
    this.#followers.set(accountId, (this.#followers.get(accountId) ?? new Set()).add(queue));
    this.#count += 1;
    this.#ahead.add(queue);
  }
}
