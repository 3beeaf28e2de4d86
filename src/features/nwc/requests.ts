import type { Database } from '../../core/db/database.ts';
import { endRetentionPeriod, PERIODS_PER_DAY } from '../../core/db/retention.ts';
import { type RowWrite, writeRows } from '../../core/db/row-write.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { NostrEvent } from '../../core/nostr/event.ts';
import { isMethod } from './methods.ts';
import type { AppRequest } from './modules.ts';
import * as sql from './requests.sql.ts';

export type StoredRequest = sql.AppRequestRow;

/** The same event was executed or refused meanwhile, by another instance. It is answered by that one. */
export class ConcurrentRequest extends Error {
  override readonly name = 'ConcurrentRequest';
}

/** `method` is the text that the app sent. */
export type NewRequest = Pick<AppRequest, 'id' | 'scheme' | 'item' | 'connection'> & { readonly method: string };

/** An event to be published. */
export type WaitingEvent = sql.OutboxRow;

const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
/** An event that no relay has accepted for so long is given up: apps have found out by other means. */
const GIVE_UP_MS = 600_000;
const AT_ONCE = 100;
const MAX_WAITING = 10_000;

/** Executed requests, and the events that wait to be published. */
export type RequestStore = ReturnType<typeof createRequestStore>;

/** @param retentionDays how long requests are kept, in days of running time: longer than an event is accepted */
export function createRequestStore(database: Database, clock: Clock, retentionDays: number) {
  function requestRow(request: NewRequest, made: string | null, response: NostrEvent | null): RowWrite {
    const { id, connection, method, scheme, item } = request;
    const createdAt = Math.floor(clock.nowMs() / 1000);
    const stored = response && JSON.stringify(response);
    const parameters = [id, connection.id, isMethod(method) ? method : 'unknown', scheme, item ?? null, made, stored, createdAt];
    return { statement: sql.insertRequest, parameters, onMiss: () => new ConcurrentRequest() };
  }

  /** Returns the row of an event that is published as soon as possible. */
  function outboxRow(connectionId: string, event: NostrEvent): RowWrite {
    const now = clock.nowMs();
    const parameters = [connectionId, JSON.stringify(event), now, now];
    return { statement: sql.insertOutbox, parameters, onMiss: () => new Error('the event was not stored') };
  }

  return {
    outboxRow,

    /** Returns the row of a request that has created something, for the transaction that creates it. A second one of the request fails it. */
    rowOf: (request: NewRequest, made: string): RowWrite => requestRow(request, made, null),

    find: (id: string): Promise<StoredRequest | undefined> => database.first(sql.findRequest, id),

    /** Stores a request whose object an earlier one has created. Does nothing if it is stored. */
    async store(request: NewRequest, made: string): Promise<void> {
      await database.transaction((tx) => writeRows(tx, [{ ...requestRow(request, made, null), onMiss: 'ignore' }]));
    },

    /**
     * Stores that a request was refused, with its response. From then on it is not executed, also not by another instance.
     * @returns false if it was executed or refused before
     */
    refuse(request: NewRequest, response: NostrEvent): Promise<boolean> {
      return database
        .transaction((tx) => writeRows(tx, [requestRow(request, null, response), outboxRow(request.connection.id, response)]))
        .then(
          () => true,
          (error) => {
            if (error instanceof ConcurrentRequest) return false;
            throw error;
          },
        );
    },

    /** Stores the response of a request and publishes it, unless it has one. When it resolves, its outcome is durable. */
    async answer(requestId: string, connectionId: string, response: NostrEvent): Promise<void> {
      await database.transaction(async (tx) => {
        if ((await tx.run(sql.storeResponse, requestId, JSON.stringify(response))) === 1)
          await writeRows(tx, [outboxRow(connectionId, response)]);
      });
    },

    /** Returns requests without a response whose outcome is known, after a position, the oldest first. */
    listUnanswered: (after: number, limit: number): Promise<StoredRequest[]> => database.all(sql.listUnanswered, after, limit),

    /** Returns events that are due, at most 100. */
    async listDue(): Promise<WaitingEvent[]> {
      const now = clock.nowMs();
      return database.all(sql.listDue, now, now + 2 * LONGEST_RETRY_MS, AT_ONCE);
    },

    /** Removes an event that was published. */
    async remove(position: number): Promise<void> {
      await database.transaction((tx) => tx.run(sql.deleteFromOutbox, position));
    },

    /** Plans the next attempt to publish an event. @returns false if it is given up instead */
    async postpone({ position, attempts, created_at_ms: createdAtMs }: WaitingEvent): Promise<boolean> {
      const now = clock.nowMs();
      const isLate = now - createdAtMs > GIVE_UP_MS;
      const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts, 10));
      await database.transaction((tx) => (isLate ? tx.run(sql.deleteFromOutbox, position) : tx.run(sql.postpone, position, now + wait)));
      return !isLate;
    },

    /** Plans the next attempts to publish events for now: a relay is back. */
    async makeDue(): Promise<void> {
      await database.transaction((tx) => tx.run(sql.makeDue, clock.nowMs()));
    },

    /** Counts the events that wait, up to 10,000. */
    countWaiting: async (): Promise<number> => Math.min((await database.first(sql.countOutbox))?.n ?? 0, MAX_WAITING),

    /** Ends a retention period (db/retention.ts) and deletes old requests. */
    endRetentionPeriod: () =>
      endRetentionPeriod(database, { table: 'nwc_request', periods: retentionDays * PERIODS_PER_DAY, expiring: 'response IS NOT NULL' }),
  };
}
