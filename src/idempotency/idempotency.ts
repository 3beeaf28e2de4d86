import { hash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { endRound, type Retained, ROUNDS_PER_DAY } from '../db/retention.ts';
import type { RowWrite } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as sql from './idempotency.sql.ts';

/** A request with an Idempotency-Key. */
export interface NamedRequest {
  /** Credential, wallet, method and route. The same Idempotency-Key in another scope is another request. */
  readonly scope: string;
  /** The Idempotency-Key. */
  readonly key: string;
  /** The parsed body. */
  readonly body: unknown;
  /** The number of attempts before this one that were closed; absent: 0. */
  readonly attempt?: number;
}

/** The outcome of an earlier request with the same scope and Idempotency-Key. */
export interface Outcome {
  /** The id of the created object. */
  readonly made: string;
  readonly sealed: Uint8Array | undefined;
}

/** A concurrent request with the same scope and Idempotency-Key was first. Its outcome is the response. */
export class ConcurrentOutcome extends Error {
  override readonly name = 'ConcurrentOutcome';
}

/**
 * Outcomes of idempotent requests, stored for at least two days of running time and shared by all instances. A request that created nothing
 * is not stored.
 */
export interface Idempotency {
  /** Returns the stored outcome of an attempt. @throws Refusal `idempotency_mismatch` if its body differs. */
  find(request: NamedRequest): Promise<Outcome | 'closed' | undefined>;
  /**
   * Closes an attempt that is refused, so that no other instance can still complete it. The next request is another attempt.
   * @returns false if it has an outcome, or was closed before.
   */
  close(request: NamedRequest): Promise<boolean>;
  /** Returns the row that stores an outcome, for the posting or transaction that creates the object. */
  rowOf(request: NamedRequest, made: string, sealed?: Uint8Array): RowWrite;
  /** Stores an outcome that existed before the request. */
  store(request: NamedRequest, made: string): Promise<void>;
  /** Ends a round of running time (`retention.ts`) and deletes expired outcomes. */
  endRound(): Promise<void>;
}

/** Stored instead of an id. */
const CLOSED = 'closed';

const RETAINED: Retained = {
  name: 'idempotency',
  rounds: 2 * ROUNDS_PER_DAY,
  newestPosition: sql.newestPosition,
  oldestPosition: sql.oldestPosition,
  deleteBelow: sql.deleteBelow,
};

export function createIdempotency(database: Database, clock: Clock): Idempotency {
  function rowOf(request: NamedRequest, made: string, sealed?: Uint8Array): RowWrite {
    const parameters = [nameOf(request), fingerprintOf(request.body), made, sealed ?? null, unixSeconds(clock)];
    return { statement: sql.insertOutcome, parameters, onMiss: new ConcurrentOutcome() };
  }

  return {
    rowOf,
    async find(request) {
      const row = await database.first(sql.findOutcome, nameOf(request));
      if (row?.made === CLOSED) return CLOSED;
      if (row && row.fingerprint !== fingerprintOf(request.body)) throw new Refusal('idempotency_mismatch');
      return row && { made: row.made, sealed: row.sealed ?? undefined };
    },
    async close(request) {
      const { statement, parameters } = rowOf(request, CLOSED);
      return (await database.transaction((tx) => tx.run(statement, ...parameters))) === 1;
    },
    async store(request, made) {
      const { statement, parameters } = rowOf(request, made);
      await database.transaction((tx) => tx.run(statement, ...parameters));
    },
    endRound: () => endRound(database, RETAINED),
  };
}

/** Returns the stored name. The scope contains no line break, so scope and key cannot be confused. */
export function nameOf({ scope, key, attempt = 0 }: Pick<NamedRequest, 'scope' | 'key' | 'attempt'>): string {
  return hash('sha256', attempt === 0 ? `${scope}\n${key}` : `${attempt}\n${scope}\n${key}`, 'base64url');
}

/** Returns a hash that does not depend on the order of fields or the content type. No body, as of a DELETE, counts as null. */
function fingerprintOf(body: unknown): string {
  return hash('sha256', JSON.stringify(sorted(body ?? null)), 'base64url');
}

/** Deeper than any body that a route accepts. */
const MAX_DEPTH = 20;

function sorted(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw new Refusal('validation_failed', `The body must not be nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner, depth + 1)]);
}
