import { setTimeout as sleep } from 'node:timers/promises';
import { eventNumber } from '../../src/lightning/event-position.ts';
import { HistoryChanged, type NodeEvent, type Position } from '../../src/lightning/node.ts';
import type { Bell } from './bell.ts';
import type { Call } from './link.ts';

const PAGE = 256;
const RETRY_MS = 100;

/**
 * Returns the hub's events after `position`, in order, until the signal aborts. It reads the outbox again from where it was whenever the
 * worker was replaced, so it skips nothing and repeats nothing.
 * @throws HistoryChanged when the playground was replaced by one that was restored from an older backup.
 */
export async function* eventFeed(call: Call, bell: Bell, position: Position | undefined, signal: AbortSignal): AsyncGenerator<NodeEvent> {
  let after = position;
  while (!signal.aborted) {
    const page = call('events', { after: after ?? null, limit: PAGE }).catch(() => undefined);
    const events = await unlessAborted(page, signal);
    if (events === null) throw new HistoryChanged(`the playground has no event at position ${after}`);
    for (const event of events ?? []) {
      if (signal.aborted) return;
      after = event.position;
      yield event;
    }
    if (!events) await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined);
    else if (events.length < PAGE) await bell.rings(eventNumber(after), signal);
  }
}

/** The promise's value, or undefined when the signal aborts first: a node that is away must not keep a watch from ending. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise: aborted, resolve } = Promise.withResolvers<undefined>();
  const abort = (): void => resolve(undefined);
  signal.addEventListener('abort', abort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
