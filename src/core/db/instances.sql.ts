import { statement } from './statement.ts';

export type InstanceRow = { id: string; host: string; pid: number; started_at: number; seen_at: number };

/** Registers an instance, also one that was taken for dead. */
export const registerInstance = statement(
  'instance_register',
  `INSERT INTO instance (id, host, pid, started_at, seen_at, heartbeat) VALUES ($1, $2, $3, $4, $5, 0)
   ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, heartbeat = instance.heartbeat + 1, ended_at = NULL`,
);

/** Changes nothing if another instance has taken this one for dead. */
export const sendHeartbeat = statement(
  'instance_heartbeat',
  'UPDATE instance SET heartbeat = heartbeat + 1, seen_at = $2 WHERE id = $1 AND ended_at IS NULL',
);

/** The heartbeats of the running instances. */
export const listRunning = statement<{ id: string; heartbeat: number }>(
  'instance_list_running',
  'SELECT id, heartbeat FROM instance WHERE ended_at IS NULL',
);

/** Changes nothing if the instance has sent a heartbeat since $2 was read. */
export const endInstance = statement(
  'instance_end',
  'UPDATE instance SET ended_at = $3 WHERE id = $1 AND heartbeat = $2 AND ended_at IS NULL',
);

export const deleteInstance = statement('instance_delete', 'DELETE FROM instance WHERE id = $1');

/** The running instances, and those that ended after a time. */
export const listInstances = statement<InstanceRow>(
  'instance_list',
  'SELECT id, host, pid, started_at, seen_at FROM instance WHERE ended_at IS NULL OR ended_at > $1',
);

export const deleteEnded = statement('instance_delete_ended', 'DELETE FROM instance WHERE ended_at <= $1');

/** Changes nothing if another instance holds the lease. An instance that never learned that it took the lease takes it again. */
export const takeLease = statement(
  'lease_take',
  `INSERT INTO lease (name, instance_id) VALUES ($1, $2)
   ON CONFLICT (name) DO UPDATE SET instance_id = excluded.instance_id 
     WHERE lease.instance_id IS NULL OR lease.instance_id = excluded.instance_id`,
);

export const freeLease = statement('lease_free', 'UPDATE lease SET instance_id = NULL WHERE name = $1 AND instance_id = $2');

export const freeLeases = statement('lease_free_all', 'UPDATE lease SET instance_id = NULL WHERE instance_id = $1');

export const listLeases = statement<{ name: string; instance_id: string | null }>(
  'lease_list',
  'SELECT name, instance_id FROM lease ORDER BY name',
);
