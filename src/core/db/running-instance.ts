import { setTimeout as delay } from 'node:timers/promises';
import type { SqlReader } from './database.ts';
import { listRunning } from './instances.sql.ts';

/** An instance increments its heartbeat every second. */
const HEARTBEATS_MS = 2_500;

/** Returns the id of an instance of the service that is running: its heartbeat moves. The row of a crashed one stands still. */
export async function findRunningInstance(database: SqlReader): Promise<string | undefined> {
  const before = new Map((await database.all(listRunning)).map(({ id, heartbeat }) => [id, heartbeat]));
  if (before.size === 0) return undefined;
  await delay(HEARTBEATS_MS);
  return (await database.all(listRunning)).find(({ id, heartbeat }) => heartbeat !== before.get(id))?.id;
}
