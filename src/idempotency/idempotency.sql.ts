import { statement } from '../db/statement.ts';

export type OutcomeRow = { fingerprint: string; made: string; sealed: Uint8Array | null };

export const findOutcome = statement<OutcomeRow>(
  'idempotency_find',
  'SELECT fingerprint, made, sealed FROM idempotency_outcome WHERE name = $1',
);

/** Changes nothing if an outcome with this name exists. */
export const insertOutcome = statement(
  'idempotency_insert',
  `INSERT INTO idempotency_outcome (name, fingerprint, made, sealed, created_at) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING`,
);

export const newestPosition = statement<{ position: number | null }>(
  'idempotency_newest_position',
  'SELECT max(position) AS position FROM idempotency_outcome',
);

export const oldestPosition = statement<{ position: number | null }>(
  'idempotency_oldest_position',
  'SELECT min(position) AS position FROM idempotency_outcome',
);

export const deleteBelow = statement('idempotency_delete_below', 'DELETE FROM idempotency_outcome WHERE position < $1');
