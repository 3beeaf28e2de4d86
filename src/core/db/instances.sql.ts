import { statement } from './statement.ts';

export type InstanceRow = { id: string; host: string; pid: number; started_at: number; seen_at: number };

export const reportInstance = statement(
  'instance_report',
  `INSERT INTO instance (id, host, pid, started_at, seen_at) VALUES ($1, $2, $3, $4, $5)
   ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
);

export const listInstances = statement<InstanceRow>(
  'instance_list',
  'SELECT id, host, pid, started_at, seen_at FROM instance ORDER BY started_at, id',
);

export const deleteInstance = statement('instance_delete', 'DELETE FROM instance WHERE id = $1');

/** Deletes what crashed instances left. */
export const deleteUnseen = statement('instance_delete_unseen', 'DELETE FROM instance WHERE seen_at < $1');
