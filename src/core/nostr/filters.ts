/** The events that a subscription asks for (NIP-01). */
export interface RelayFilter {
  readonly ids?: readonly string[];
  readonly authors?: readonly string[];
  readonly kinds?: readonly number[];
  readonly '#e'?: readonly string[];
  readonly '#p'?: readonly string[];
  /** Unix seconds, inclusive, as `until`. */
  readonly since?: number;
  readonly until?: number;
  /** The most stored events to send before EOSE. */
  readonly limit?: number;
}

/** Two filters of as many keys, 67 bytes each, fit into a message. Relays accept 500 and more. */
const MAX_KEYS = 400;
const MAX_FILTERS = 20;
/** Relays limit messages to 64 KiB and more. */
const MAX_BYTES = 60_000;

const SPLIT_FIELDS = ['#p', '#e', 'authors', 'ids'] as const;

/**
 * Divides filters into the filters of requests that relays accept: up to 400 keys in a filter, 20 filters and 60,000 bytes in a request. An
 * appended key changes only the last request.
 */
export function batchFilters(filters: readonly RelayFilter[]): RelayFilter[][] {
  const batches: RelayFilter[][] = [];
  let bytes = 0;
  for (const filter of filters.flatMap(splitFilter)) {
    const added = JSON.stringify(filter).length + 1;
    const last = batches.at(-1);
    if (last && last.length < MAX_FILTERS && bytes + added <= MAX_BYTES) {
      last.push(filter);
      bytes += added;
    } else {
      batches.push([filter]);
      bytes = added;
    }
  }
  return batches;
}

function splitFilter(filter: RelayFilter): RelayFilter[] {
  const field = SPLIT_FIELDS.find((one) => (filter[one]?.length ?? 0) > MAX_KEYS);
  if (!field) return [filter];
  const keys = filter[field] ?? [];
  const parts = Math.ceil(keys.length / MAX_KEYS);
  return Array.from({ length: parts }, (_, part) => ({ ...filter, [field]: keys.slice(part * MAX_KEYS, (part + 1) * MAX_KEYS) }));
}
