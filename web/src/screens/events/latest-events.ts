import type { Event, ListEventsRequest } from '../../api/client.ts';

type ListEvents = (request: ListEventsRequest, options: { signal: AbortSignal }) => Promise<Event[]>;

const PAGE_SIZE = 100;
/** The list begins with the oldest event; this bounds the requests that reach the newest. */
const MAX_PAGES = 100;
const SHOWN = 200;

/** Returns the newest stored events, newest first. */
export async function latestEvents(list: ListEvents, filter: Omit<ListEventsRequest, 'after'>, signal: AbortSignal): Promise<Event[]> {
  let latest: Event[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const last = latest.at(-1);
    const events = await list({ ...filter, 'per-page': PAGE_SIZE, ...(last && { after: last.id }) }, { signal });
    latest = [...latest, ...events].slice(-SHOWN);
    if (events.length < PAGE_SIZE) break;
  }
  return latest.reverse();
}
