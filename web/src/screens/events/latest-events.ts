import type { Event, ListEventsRequest } from '../../api/client.ts';

type ListEvents = (request: ListEventsRequest, options: { signal: AbortSignal }) => Promise<Event[]>;

const PAGE_SIZE = 100;
const SHOWN = 200;

/** Returns the newest stored events, newest first. */
export async function latestEvents(list: ListEvents, filter: Omit<ListEventsRequest, 'after'>, signal: AbortSignal): Promise<Event[]> {
  const latest: Event[] = [];
  while (latest.length < SHOWN) {
    const last = latest.at(-1);
    const request = { ...filter, order: 'desc', 'per-page': PAGE_SIZE, ...(last && { after: last.id }) } as const;
    const events = await list(request, { signal });
    latest.push(...events);
    if (events.length < PAGE_SIZE) break;
  }
  return latest;
}
