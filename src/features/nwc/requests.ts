import type { Database } from '../../core/db/database.ts';
import { endRetentionPeriod, PERIODS_PER_DAY } from '../../core/db/retention.ts';
import { type RowWrite, writeRows } from '../../core/db/row-write.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { NostrEvent } from '../../core/nostr/event.ts';
import type { Tasks } from '../../core/tasks/tasks.ts';
import type { Connection } from './connections.ts';
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

/** The queue of responses that no relay has accepted yet. The payload of a task is the id of its request. */
export const RESPONSES = 'app responses';

/** Requests that were executed or refused, and their responses. */
export type RequestStore = ReturnType<typeof createRequestStore>;

export interface RequestDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly tasks: Tasks;
}

/** @param retentionDays how long requests are kept, in days of running time: longer than an event is accepted */
export function createRequestStore({ database, clock, tasks }: RequestDependencies, retentionDays: number) {
  function requestRow(request: NewRequest, made: string | null, response: NostrEvent | null): RowWrite {
    const { id, connection, method, scheme, item } = request;
    const createdAt = Math.floor(clock.nowMs() / 1000);
    const stored = response && JSON.stringify(response);
    const parameters = [id, connection.id, isMethod(method) ? method : 'unknown', scheme, item ?? null, made, stored, createdAt];
    return { statement: sql.insertRequest, parameters, onMiss: () => new ConcurrentRequest() };
  }

  function responseTask({ accountId }: Pick<Connection, 'accountId'>, id: string): RowWrite {
    return tasks.rowOf({ queue: RESPONSES, accountId, payload: id });
  }

  return {
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
        .transaction((tx) => writeRows(tx, [requestRow(request, null, response), responseTask(request.connection, request.id)]))
        .then(
          () => true,
          (error) => {
            if (error instanceof ConcurrentRequest) return false;
            throw error;
          },
        );
    },

    /** Stores the response of a request, which is then published, unless it has one. When it resolves, its outcome is durable. */
    async answer(requestId: string, connection: Connection, response: NostrEvent): Promise<void> {
      await database.transaction(async (tx) => {
        if ((await tx.run(sql.storeResponse, requestId, JSON.stringify(response))) === 1)
          await writeRows(tx, [responseTask(connection, requestId)]);
      });
    },

    /** Returns requests without a response whose outcome is known, after a position, the oldest first. */
    listUnanswered: (after: number, limit: number): Promise<StoredRequest[]> => database.all(sql.listUnanswered, after, limit),

    /** Ends a retention period (db/retention.ts) and deletes old requests. */
    endRetentionPeriod: () =>
      endRetentionPeriod(database, { table: 'nwc_request', periods: retentionDays * PERIODS_PER_DAY, expiring: 'response IS NOT NULL' }),
  };
}
