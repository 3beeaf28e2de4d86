import { statement } from '../../core/db/statement.ts';

export type AppRequestRow = {
  position: number;
  id: string;
  connection_id: string;
  method: string;
  scheme: 'nip44_v2' | 'nip04';
  item: string | null;
  made: string | null;
  response: string | null;
};

const COLUMNS = 'position, id, connection_id, method, scheme, item, made, response';

/** Changes nothing if a request with this id was executed or refused before. */
export const insertRequest = statement(
  'nwc_request_insert',
  `INSERT INTO nwc_request (id, connection_id, method, scheme, item, made, response, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT DO NOTHING`,
);

export const findRequest = statement<AppRequestRow>('nwc_request_find', `SELECT ${COLUMNS} FROM nwc_request WHERE id = $1`);

/** Requests without a response whose payments have ended, after a position, the oldest first. `pay` can be answered before. */
export const listUnanswered = statement<AppRequestRow>(
  'nwc_request_list_unanswered',
  `SELECT ${COLUMNS.replaceAll(/\w+/g, 'r.$&')} FROM nwc_request r LEFT JOIN payment p ON p.id = r.made
   WHERE r.response IS NULL AND r.position > $1 AND (p.id IS NULL OR p.state <> 'pending' OR r.method = 'pay') ORDER BY r.position LIMIT $2`,
);

/** Changes nothing if the request has a response. */
export const storeResponse = statement('nwc_request_answer', 'UPDATE nwc_request SET response = $2 WHERE id = $1 AND response IS NULL');

export type OutboxRow = {
  position: number;
  connection_id: string;
  event: string;
  created_at_ms: number;
  due_at_ms: number;
  attempts: number;
};

export const insertOutbox = statement<{ position: number }>(
  'nwc_outbox_insert',
  'INSERT INTO nwc_outbox (connection_id, event, created_at_ms, due_at_ms) VALUES ($1, $2, $3, $4)',
);

/** Events that are due. One that is planned later than `$2` was planned before the clock was set back. */
export const listDue = statement<OutboxRow>(
  'nwc_outbox_list_due',
  `SELECT position, connection_id, event, created_at_ms, due_at_ms, attempts FROM nwc_outbox WHERE due_at_ms <= $1 OR due_at_ms > $2
   ORDER BY due_at_ms LIMIT $3`,
);

export const postpone = statement(
  'nwc_outbox_postpone',
  'UPDATE nwc_outbox SET due_at_ms = $2, attempts = attempts + 1 WHERE position = $1',
);

export const makeDue = statement('nwc_outbox_make_due', 'UPDATE nwc_outbox SET due_at_ms = $1 WHERE due_at_ms > $1');

export const deleteFromOutbox = statement('nwc_outbox_delete', 'DELETE FROM nwc_outbox WHERE position = $1');

export const countOutbox = statement<{ n: number }>(
  'nwc_outbox_count',
  'SELECT count(*) AS n FROM (SELECT 1 FROM nwc_outbox LIMIT 10000) AS waiting',
);
