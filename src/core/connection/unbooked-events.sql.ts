import { statement } from '../db/statement.ts';

export type UnbookedEventRow = { id: string; event: string };

/** Changes one row in every case: an event that is read again, after a restore of the node, keeps its row. */
export const setAside = statement(
  'unbooked_event_set_aside',
  `INSERT INTO unbooked_event (id, event, reason, set_aside_at, node_id) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (id) DO UPDATE SET reason = excluded.reason`,
);

export const listAfter = statement<UnbookedEventRow>(
  'unbooked_event_list',
  'SELECT id, event FROM unbooked_event WHERE node_id = $1 AND id > $2 ORDER BY id LIMIT $3',
);

export const remove = statement('unbooked_event_forget', 'DELETE FROM unbooked_event WHERE id = $1');

export const count = statement<{ n: number }>('unbooked_event_count', 'SELECT count(*) AS n FROM unbooked_event WHERE node_id = $1');
