import { statement } from './statement.ts';

export const insertLease = statement(
  'lease_take_new',
  `INSERT INTO lease (name, holder, heartbeat, instance_id, renewed_at) VALUES ($1, $2, 0, $3, $4) ON CONFLICT DO NOTHING`,
);

export const readLease = statement<{ holder: string | null; heartbeat: number }>(
  'lease_read',
  'SELECT holder, heartbeat FROM lease WHERE name = $1',
);

/** Changes nothing if the counter has changed since it was read. */
export const takeOverLease = statement(
  'lease_take_over',
  'UPDATE lease SET holder = $2, heartbeat = heartbeat + 1, instance_id = $4, renewed_at = $5 WHERE name = $1 AND heartbeat = $3',
);

export const renewLease = statement(
  'lease_renew',
  'UPDATE lease SET heartbeat = heartbeat + 1, renewed_at = $4 WHERE name = $1 AND holder = $2 AND heartbeat = $3',
);

export const releaseLease = statement(
  'lease_give_back',
  'UPDATE lease SET holder = NULL, instance_id = NULL WHERE name = $1 AND holder = $2',
);

export type LeaseRow = { name: string; holder: string | null; instance_id: string | null; renewed_at: number | null };

export const listLeases = statement<LeaseRow>('lease_list', 'SELECT name, holder, instance_id, renewed_at FROM lease ORDER BY name');
