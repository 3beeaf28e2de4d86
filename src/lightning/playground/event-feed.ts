import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeEvent } from '../node.ts';
import type { Bell } from './bell.ts';
import type { Call } from './link.ts';

const PAGE = 256;
const RETRY_MS = 100;

/**
 * The hub's events after `position`, in order, until the signal aborts. It reads the outbox again from where it was whenever the worker was
 * replaced, so it skips nothing and repeats nothing.
 */
export async function* eventFeed(call: Call, bell: Bell, position: number, signal: AbortSignal): AsyncGenerator<NodeEvent> {
  let after = position;
  while (!signal.aborted) {
    const events = await call('events', { after, limit: PAGE }).catch(() => undefined);
    for (const event of events ?? []) {
      if (signal.aborted) return;
      after = event.position;
      yield event;
    }
    if (!events) await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    else if (events.length < PAGE) await bell.rings(after, signal);
  }
}
