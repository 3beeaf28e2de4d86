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

/** Stores an outcome or a later refusal in place of the refusal $6. The row is kept from now on, so it moves to the newest position. */
export const replaceRefusal = statement('idempotency_replace_refusal', {
  sqlite: `UPDATE idempotency_outcome SET position = (SELECT max(position) + 1 FROM idempotency_outcome),
      fingerprint = $2, made = $3, sealed = $4, created_at = $5 WHERE name = $1 AND made = $6`,
  postgres: `UPDATE idempotency_outcome SET position = DEFAULT,
      fingerprint = $2, made = $3, sealed = $4, created_at = $5 WHERE name = $1 AND made = $6`,
});
