/**
 * Returns the promise of the first page of a list, which also yields all items (`for await`) and all pages. Requests begin at once; each further
 * page is requested when it is needed.
 */
export function createList(send, operation, ids, request, options) {
  async function readPage(fields) {
    const { value, response } = await send(operation, ids, fields, options);
    return { page: value, next: nextRequest(fields, value, response.headers.get('link') ?? '', operation.hasCursor) };
  }

  let next;
  const first = readPage(request).then((read) => {
    next = read.next;
    return read.page;
  });

  async function* pages() {
    const page = await first;
    if (page.length > 0) yield page;
    for (let following = next; following !== undefined; ) {
      const read = await readPage(following);
      if (read.page.length > 0) yield read.page;
      following = read.next;
    }
  }

  async function* items() {
    for await (const page of pages()) yield* page;
  }

  return Object.assign(first, { pages, [Symbol.asyncIterator]: items });
}

/** Returns the request of the page after this one; undefined after the last. */
function nextRequest(request, page, link, hasCursor) {
  const following = /<[^>]*\?([^>]*)>; rel="next"/.exec(link)?.[1];
  if (following === undefined) return undefined;
  const { page: number = 1, ...rest } = request;
  // A filtered page may be empty before the end; only the link has its cursor.
  const after = hasCursor ? (new URLSearchParams(following).get('after') ?? page.at(-1)?.id) : undefined;
  return after === undefined ? { ...rest, page: number + 1 } : { ...rest, after };
}
