import { statement } from '../db/statement.ts';

const COLUMNS = 'created_at_ms, type, ledger_account, account_id, subject, data';

const SQLITE_POSITION = '(SELECT coalesce(max(position), 0) FROM ledger_transfer)';

/** On PostgreSQL the position has a default, from the sequence of the transfers. */
export const insertEvent = statement('event_insert', {
  sqlite: `INSERT INTO event (position, ${COLUMNS}) VALUES (${SQLITE_POSITION}, $1, $2, $3, $4, $5, $6)`,
  postgres: `INSERT INTO event (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6)`,
  postgresMany: `INSERT INTO event (${COLUMNS})
    SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[]) RETURNING 1`,
});

const OF_OPERATOR = 'WHERE EXISTS (SELECT 1 FROM alert WHERE alert.id = $3) ORDER BY id LIMIT 1';

/**
 * An event about an alert for the operator, whose account is the first. Changes nothing before that account exists, or when there is no alert
 * with the id `$3`: an alert that is raised again while it is open keeps its first id.
 */
export const insertAlertEvent = statement('event_insert_alert', {
  sqlite: `INSERT INTO event (position, ${COLUMNS})
    SELECT ${SQLITE_POSITION}, $1, $2, NULL, id, $3, $4 FROM account ${OF_OPERATOR}`,
  postgres: `INSERT INTO event (${COLUMNS}) SELECT $1, $2, NULL, id, $3, $4 FROM account ${OF_OPERATOR}`,
});
