import { pause } from '../../core/kernel/clock.ts';
import { parseJson } from '../../core/kernel/json.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { readEvent } from '../../core/nostr/event.ts';
import type { WaitingEvent } from './requests.ts';
import type { Serving } from './serving.ts';

const POLL_MS = 1000;
const MAX_AT_ONCE = 200;

/** Publishes stored events until a relay has accepted each, and answers requests whose payments have ended. */
export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox() {
  let wake = new AbortController();
  /** The positions of events that are being published. */
  const attempted = new Set<number>();

  /** Publishes an event to the relays of its connection. @returns whether it need not be published again */
  async function publish({ connections, pool }: Serving, { connection_id, event }: WaitingEvent): Promise<boolean> {
    const [connection, read] = [await connections.findById(connection_id), readEvent(parseJson(event))];
    return !connection || !read || pool.publish(connection.relays, read);
  }

  /** Publishes an event once. Nothing waits for it: a relay may take long to answer. */
  async function attempt(serving: Serving, waiting: WaitingEvent): Promise<void> {
    const { requests, modules } = serving;
    attempted.add(waiting.position);
    try {
      if (await publish(serving, waiting)) await requests.remove(waiting.position);
      else await requests.postpone(waiting);
    } catch (error) {
      modules.log.warn({ reason: errorMessage(error) }, 'an event for an app was not published; it is published later');
    } finally {
      attempted.delete(waiting.position);
    }
  }

  async function publishDue(serving: Serving): Promise<void> {
    const due = await serving.requests.listDue();
    for (const waiting of due) if (!attempted.has(waiting.position) && attempted.size < MAX_AT_ONCE) void attempt(serving, waiting);
  }

  return {
    /** Publishes waiting events now. */
    wake: (): void => wake.abort(),

    /** Publishes all events that wait, because a relay is back. */
    onRelay({ requests, modules }: Pick<Serving, 'requests' | 'modules'>): void {
      requests.makeDue().then(
        () => wake.abort(),
        (error) => modules.log.warn({ reason: errorMessage(error) }, 'responses to apps are published later'),
      );
    },

    /** Publishes until the signal aborts. */
    async run(serving: Serving): Promise<void> {
      const { signal, executor, timing, modules } = serving;
      while (!signal.aborted) {
        wake = new AbortController();
        try {
          await executor.answerEnded();
          await publishDue(serving);
        } catch (error) {
          modules.log.warn({ reason: errorMessage(error) }, 'responses to apps were not published; they are published later');
        }
        await pause(timing?.pollMs ?? POLL_MS, AbortSignal.any([signal, wake.signal]));
      }
    },
  };
}
