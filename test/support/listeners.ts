import type { Client } from './client.ts';

/** Returns the number of requests that wait for an event, and of live streams, of the instance. */
export async function countListeners(client: Client): Promise<number> {
  const { text } = await client.request('GET', '/metrics');
  return Number(/^satchel_feed_listeners (\d+)$/m.exec(text)?.[1]);
}
