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
