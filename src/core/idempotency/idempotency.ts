import { hash, hkdfSync } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { endRetentionPeriod, PERIODS_PER_DAY, type Retained } from '../db/retention.ts';
import type { RowWrite } from '../db/row-write.ts';
import { markBooked } from '../kernel/booking-mark.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import { sealText, unsealText } from '../kernel/sealing.ts';
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
  /** Null if the response has no secret. */
  readonly sealed: Uint8Array | null;
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

/** A refusal is stored as this prefix and a number, in place of the id of the created object. */
const REFUSED = 'refused ';

const RETAINED: Retained = { table: 'idempotency_outcome', periods: 2 * PERIODS_PER_DAY };

/** Outcomes of idempotent requests, stored for at least two days of running time and shared by all instances. */
export type Idempotency = ReturnType<typeof createIdempotency>;

export function createIdempotency(database: Database, clock: Clock) {
  /** Returns the row that stores an outcome, for the posting or transaction that creates the object. */
  function rowOf(request: NamedRequest, made: string, sealed?: Uint8Array): RowWrite {
    const parameters = [nameOf(request), fingerprintOf(request.body), made, sealed ?? null, unixSeconds(clock)];
    const onMiss = new ConcurrentOutcome();
    if (!request.refused) return { statement: sql.insertOutcome, parameters, onMiss };
    return { statement: sql.replaceRefusal, parameters: [...parameters, request.refused.refusal], onMiss };
  }

  /** Returns the stored state of a request. @throws Refusal `idempotency_mismatch` if it has an outcome, and its body differs. */
  async function find(request: NamedRequest): Promise<Outcome | Refused | undefined> {
    const row = await database.first(sql.findOutcome, nameOf(request));
    if (row?.made.startsWith(REFUSED)) return { refusal: row.made };
    if (!row) return undefined;
    if (row.fingerprint !== fingerprintOf(request.body)) throw new Refusal('idempotency_mismatch');
    markBooked();
    // The commit of the earlier request may have ended without a response.
    await database.ensureDurable();
    return row;
  }

  /** Stores an outcome that existed before the request. @returns false if another outcome or refusal was stored meanwhile. */
  async function store(request: NamedRequest, made: string): Promise<boolean> {
    const { statement, parameters } = rowOf(request, made);
    return (await database.transaction((tx) => tx.run(statement, ...parameters))) === 1;
  }

  return {
    rowOf,
    find,
    store,
    /**
     * Stores that a request is refused, so that no other instance that is executing it can complete it.
     * @returns its outcome instead, if it has one.
     */
    async refuse(request: NamedRequest): Promise<Outcome | undefined> {
      for (let { refused } = request; ; ) {
        if (await store({ ...request, refused }, nextRefusal(refused))) return undefined;
        const found = await find(request);
        if (isOutcome(found)) return found;
        refused = found;
      }
    },
    /** Ends a retention period (`retention.ts`) and deletes expired outcomes. */
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

/** The secrets from which the encryption key is derived: the request's credential and its Idempotency-Key. Neither is stored. */
export interface SealKey {
  readonly credential: string;
  readonly idempotencyKey: string;
}

/** Encrypts a JSON value (AES-256-GCM, key derived with HKDF-SHA256, RFC 5869). */
export function seal(key: SealKey, value: unknown): Uint8Array {
  return sealText(derive(key), JSON.stringify(value));
}

/** Decrypts a sealed value. @throws Error if the key differs or the bytes were changed. */
export function unseal(key: SealKey, sealed: Uint8Array): unknown {
  return JSON.parse(unsealText(derive(key), sealed));
}

function derive({ credential, idempotencyKey }: SealKey): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential, idempotencyKey, 'satchel idempotency', 32));
}
