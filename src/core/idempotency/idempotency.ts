import { hash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { endRetentionPeriod, PERIODS_PER_DAY, type Retained } from '../db/retention.ts';
import type { RowWrite } from '../db/row-write.ts';
import { markBooked } from '../kernel/booking-mark.ts';
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
  /** The last refusal, if the request was refused before and is executed again. */
  readonly refused?: Refused | undefined;
}

/** The outcome of an earlier request with the same scope and Idempotency-Key. */
export interface Outcome {
  /** The id of the created object. */
  readonly made: string;
  readonly sealed: Uint8Array | undefined;
}

/**
 * A stored refusal of a request. An instance that read the state before the refusal can no longer complete the request. An instance that has
 * read the refusal may execute the request again.
 */
export interface Refused {
  /** The stored text, which differs for each refusal. */
  readonly refusal: string;
}

/** Another request with the same scope and Idempotency-Key was executed or refused meanwhile. If it has an outcome, that is the response. */
export class ConcurrentOutcome extends Error {
  override readonly name = 'ConcurrentOutcome';
}

/**
 * Outcomes of idempotent requests, stored for at least two days of running time and shared by all instances.
 */
export interface Idempotency {
  /** Returns the stored state of a request. @throws Refusal `idempotency_mismatch` if it has an outcome, and its body differs. */
  find(request: NamedRequest): Promise<Outcome | Refused | undefined>;
  /**
   * Stores that a request is refused, so that no other instance that is executing it can complete it.
   * @returns its outcome instead, if it has one.
   */
  refuse(request: NamedRequest): Promise<Outcome | undefined>;
  /** Returns the row that stores an outcome, for the posting or transaction that creates the object. */
  rowOf(request: NamedRequest, made: string, sealed?: Uint8Array): RowWrite;
  /** Stores an outcome that existed before the request. */
  store(request: NamedRequest, made: string): Promise<void>;
  /** Ends a retention period (`retention.ts`) and deletes expired outcomes. */
  endRetentionPeriod(): Promise<void>;
}

/** A refusal is stored as this prefix and a number, in place of the id of the created object. */
const REFUSED = 'refused ';

const RETAINED: Retained = { table: 'idempotency_outcome', periods: 2 * PERIODS_PER_DAY };

export function createIdempotency(database: Database, clock: Clock): Idempotency {
  function rowOf(request: NamedRequest, made: string, sealed?: Uint8Array): RowWrite {
    const parameters = [nameOf(request), fingerprintOf(request.body), made, sealed ?? null, unixSeconds(clock)];
    const onMiss = new ConcurrentOutcome();
    if (!request.refused) return { statement: sql.insertOutcome, parameters, onMiss };
    return { statement: sql.replaceRefusal, parameters: [...parameters, request.refused.refusal], onMiss };
  }

  async function find(request: NamedRequest): Promise<Outcome | Refused | undefined> {
    const row = await database.first(sql.findOutcome, nameOf(request));
    if (row?.made.startsWith(REFUSED)) return { refusal: row.made };
    if (!row) return undefined;
    if (row.fingerprint !== fingerprintOf(request.body)) throw new Refusal('idempotency_mismatch');
    markBooked();
    return { made: row.made, sealed: row.sealed ?? undefined };
  }

  return {
    rowOf,
    find,
    async refuse(request) {
      for (let { refused } = request; ; ) {
        const { statement, parameters } = rowOf({ ...request, refused }, nextRefusal(refused));
        if ((await database.transaction((tx) => tx.run(statement, ...parameters))) === 1) return undefined;
        const found = await find(request);
        if (isOutcome(found)) return found;
        refused = found;
      }
    },
    async store(request, made) {
      const { statement, parameters } = rowOf(request, made);
      await database.transaction((tx) => tx.run(statement, ...parameters));
    },
    endRetentionPeriod: () => endRetentionPeriod(database, RETAINED),
  };
}

export function isOutcome(state: Outcome | Refused | undefined): state is Outcome {
  return state !== undefined && 'made' in state;
}

function nextRefusal(refused: Refused | undefined): string {
  return `${REFUSED}${Number(refused?.refusal.slice(REFUSED.length) ?? 0) + 1}`;
}

/** Returns the stored name. The scope contains no line break, so scope and key cannot be confused. */
export function nameOf({ scope, key }: Pick<NamedRequest, 'scope' | 'key'>): string {
  return hash('sha256', `${scope}\n${key}`, 'base64url');
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
