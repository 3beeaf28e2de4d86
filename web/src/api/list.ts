import type { ClientResponse, RequestOptions } from '../../../client/satchel.js';
import { SERVICE_URL } from '../base-path.ts';

/** A page of a list of the API, and what its headers say of the list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; undefined at the end. */
  readonly next: string | undefined;
  /** The number of items of the whole list; undefined if it was not counted. */
  readonly total: number | undefined;
  /** The list has more items than `total`. */
  readonly isCapped: boolean;
}

/** Returns the URL of a whole list as CSV. `path` and `filter` are those of the list. */
export function csvUrl(path: string, filter: Readonly<Record<string, string | undefined>> = {}): string {
  const set = Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${SERVICE_URL}/v1/${path}?${new URLSearchParams([...set, ['format', 'csv']])}`;
}

/** Sends a request for a page of a list, and reads its cursor and its count. `send` passes the options to the client. */
export async function readListPage<T extends { readonly id: string | number }>(
  send: (options: RequestOptions) => Promise<readonly T[]>,
  signal: AbortSignal,
): Promise<ListPage<T>> {
  let headers: ClientResponse['headers'] = new Headers();
  const items = await send({
    signal,
    onResponse: (response) => {
      headers = response.headers;
    },
  });
  const links = headers.get('link') ?? '';
  const link = /<\?([^>]*)>; rel="next"/.exec(links)?.[1];
  const total = headers.get('x-pagination-total-count');
  return {
    items,
    // A search may end before it has found anything. It continues behind the last item that it has read, which the link names.
    next: link === undefined ? undefined : (new URLSearchParams(link).get('after') ?? String(items.at(-1)?.id)),
    total: total === null ? undefined : Number(total),
    isCapped: headers.get('x-pagination-total-capped') === 'true',
  };
}
