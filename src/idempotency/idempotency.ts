import { hash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import { endRound, type Retained, ROUNDS_PER_DAY } from '../db/retention.ts';
import type { RowWrite } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { Refusal } from '../kernel/refusal.ts';
import * as sql from './idempotency.sql.ts';

/** A request that its caller has named, so that sending it again makes nothing twice. */
export interface NamedRequest {
  /** Who asks for what: credential, wallet, method and route. The same key means something else in another scope. */
  readonly scope: string;
  /** The Idempotency-Key. */
  readonly key: string;
  /** The parsed body. */
  readonly body: unknown;
}

/** What an earlier request of the same name made. */
export interface Outcome {
  /** The id of what was made. */
  readonly made: string;
  readonly sealed: Uint8Array | undefined;
}

/** Another request of the same name was first, perhaps in another instance: what it made is the answer. */
export class MadeMeanwhile extends Error {
  override readonly name = 'MadeMeanwhile';
}

/**
 * Outcomes of named requests, kept across restarts and instances for at least two days of running time. A request that made nothing is
 * not kept.
 */
export interface Idempotency {
  /** @throws Refusal `idempotency_mismatch` when the name was used with another body. */
  find(request: NamedRequest): Promise<Outcome | undefined>;
  /** The row that remembers an outcome; part of the posting or transaction that makes it. */
  rowOf(request: NamedRequest, made: string, sealed?: Uint8Array): RowWrite;
  /** Remembers what had been made before this request came. */
  remember(request: NamedRequest, made: string): Promise<void>;
  /** Ends a round of running time (retention.ts) and deletes the outcomes that are old enough. */
  endRound(): Promise<void>;
}

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
    return { statement: sql.insertOutcome, parameters, onMiss: new MadeMeanwhile() };
  }

  return {
    rowOf,
    async find(request) {
      const row = await database.first(sql.findOutcome, nameOf(request));
      if (row && row.fingerprint !== fingerprintOf(request.body)) throw new Refusal('idempotency_mismatch');
      return row && { made: row.made, sealed: row.sealed ?? undefined };
    },
    async remember(request, made) {
      const { statement, parameters } = rowOf(request, made);
      await database.transaction((tx) => tx.run(statement, ...parameters));
    },
    endRound: () => endRound(database, RETAINED),
  };
}

/** The scope has no line break, so nothing can be moved between it and the key. */
export function nameOf({ scope, key }: Pick<NamedRequest, 'scope' | 'key'>): string {
  return hash('sha256', `${scope}\n${key}`, 'base64url');
}

/** The same for bodies that say the same, in whatever order and form they were sent. */
function fingerprintOf(body: unknown): string {
  return hash('sha256', JSON.stringify(sorted(body)), 'base64url');
}

/** No body that any route accepts nests deeper. */
const MAX_DEPTH = 20;

function sorted(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) throw new Refusal('validation_failed', `The body is nested deeper than ${MAX_DEPTH}.`);
  if (Array.isArray(value)) return value.map((item) => sorted(item, depth + 1));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner, depth + 1)]);
}
