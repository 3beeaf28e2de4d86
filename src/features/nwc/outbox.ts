import { pause } from '../../core/kernel/clock.ts';
import { parseJson } from '../../core/kernel/json.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { readEvent } from '../../core/nostr/event.ts';
import type { WaitingEvent } from './requests.ts';
import type { Serving } from './serving.ts';

const POLL_MS = 1000;

/** Publishes stored events until a relay has accepted each, and answers requests whose payments have ended. */
export type Outbox = ReturnType<typeof createOutbox>;

export function createOutbox() {
  let wake = new AbortController();

  /** Publishes an event to the relays of its connection. @returns whether it need not be published again */
  async function publish({ connections, pool }: Serving, { connection_id, event }: WaitingEvent): Promise<boolean> {
    const [connection, read] = [await connections.findById(connection_id), readEvent(parseJson(event))];
    return !connection || !read || pool.publish(connection.relays, read);
  }

  async function publishDue(serving: Serving): Promise<void> {
    const { requests } = serving;
    const due = await requests.listDue();
    const published = await Promise.all(due.map((one) => publish(serving, one)));
    await requests.remove(due.flatMap(({ position }, index) => (published[index] ? [position] : [])));
    for (const [index, one] of due.entries()) if (!published[index]) await requests.postpone(one);
  }

  return {
    /** Publishes waiting events now. */
    wake: (): void => wake.abort(),

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
